// SPDX-License-Identifier: BSD-3-Clause
// The table of codecs, and the payloads of those other than fle: a row here is all that the rest of the code knows.
#include <array>
#include <cstring>
#include <string>

#include "base/units.hpp"
#include "codec/engine.hpp"
#include "codec/payload_codec.hpp"

namespace laconic {
namespace codec {
namespace {

constexpr std::array table{
    codec_description{codec_id::fle, "fle", "quantise, predict, bit-planes; frames can be added compressed", true, true,
                      true},
    codec_description{codec_id::raw, "raw", "a copy", true, false, true},
};

const codec_description* find(codec_id codec) noexcept {
    for (const codec_description& row : table)
        if (row.id == codec) return &row;
    return nullptr;
}

status unknown(codec_id codec) {
    return {errc::unsupported, "codec number " + std::to_string(static_cast<unsigned>(codec)) +
                                   " is not part of this build; `laconic info --codecs` lists what is"};
}

}  // namespace

status check_codec(codec_id codec, element_type, double) {
    const codec_description* const row = find(codec);
    if (row == nullptr || !row->available) return unknown(codec);
    return {};
}

std::size_t payload_bound(codec_id, element_type type, std::size_t count) noexcept { return count * size_of(type); }

template <class T>
result<std::size_t> write_payload(std::span<const T> values, const frame_header& header, const run_options&,
                                  std::span<std::byte> out) {
    if (header.codec != codec_id::raw) return unknown(header.codec);
    if (!values.empty()) std::memcpy(out.data(), values.data(), values.size_bytes());
    return values.size_bytes();
}

template <class T>
status read_payload(const frame_header& header, std::span<const std::byte> payload, std::span<T> values,
                    const run_options&) {
    if (status bad = check_payload(header, payload); !bad.ok()) return bad;
    if (!values.empty()) std::memcpy(values.data(), payload.data(), values.size_bytes());
    return {};
}

status check_payload(const frame_header& header, std::span<const std::byte> payload) {
    if (header.codec != codec_id::raw) return unknown(header.codec);
    if (payload.size() / size_of(header.type) != header.count || payload.size() % size_of(header.type) != 0)
        return explain(payload.size() < header.count ? stream_fault::truncated : stream_fault::corrupt);
    return {};
}

#define LACONIC_INSTANTIATE(T)                                                                              \
    template result<std::size_t> write_payload(std::span<const T>, const frame_header&, const run_options&, \
                                               std::span<std::byte>);                                       \
    template status read_payload(const frame_header&, std::span<const std::byte>, std::span<T>, const run_options&);

LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace codec

std::span<const codec_description> codecs() noexcept { return codec::table; }

result<codec_id> codec_named(std::string_view name) {
    std::string known;
    for (const codec_description& row : codec::table) {
        if (row.name == name) return row.id;
        known.append(known.empty() ? "" : ", ").append(row.name);
    }
    return status{errc::invalid_argument, "there is no codec '" + std::string(name) + "'; use " + known};
}

}  // namespace laconic
