// SPDX-License-Identifier: BSD-3-Clause
// Copies in pieces, so that progress can be told.
#include "codec/raw.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/engine.hpp"

namespace laconic::codec {
namespace {

coding_report copy(const std::byte* from, std::byte* to, std::size_t count, std::size_t width, const progress& watch) {
    coding_report report;
    for (std::size_t done = 0; done < count && !report.cancelled;) {
        const std::size_t n = std::min(raw_chunk_values, count - done);
        std::memcpy(to + done * width, from + done * width, n * width);
        done += n;
        report.bytes = done * width;
        report.cancelled = !watch.report(done, count, report.bytes);
    }
    return report;
}

}  // namespace

std::size_t raw_bound(element_type type, std::size_t count) noexcept { return count * size_of(type); }

template <class T>
result<coding_report> raw_encode(std::span<const T> values, std::span<std::byte> out, const progress& watch) {
    if (out.size() < values.size_bytes()) return too_small(out.size(), values.size_bytes());
    return copy(reinterpret_cast<const std::byte*>(values.data()), out.data(), values.size(), sizeof(T), watch);
}

template <class T>
result<coding_report> raw_decode(std::span<const std::byte> payload, std::span<T> values, const progress& watch) {
    if (payload.size() != values.size_bytes())
        return status{payload.size() < values.size_bytes() ? errc::truncated : errc::corrupt,
                      "the raw payload has " + std::to_string(payload.size()) + " bytes; " +
                          std::to_string(values.size_bytes()) + " are expected for this element count and type"};
    return copy(payload.data(), reinterpret_cast<std::byte*>(values.data()), values.size(), sizeof(T), watch);
}

#define LACONIC_INSTANTIATE(T)                                                                            \
    template result<coding_report> raw_encode(std::span<const T>, std::span<std::byte>, const progress&); \
    template result<coding_report> raw_decode(std::span<const std::byte>, std::span<T>, const progress&);

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::codec
