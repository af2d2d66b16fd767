// SPDX-License-Identifier: BSD-3-Clause
// The bare-sequence functions: spans in, the current engine's loops inside, statuses out.
#include "codec/fle.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/engine.hpp"
#include "codec/float_environment.hpp"
#include "codec/generic/chunk_reader.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

template <class T>
std::size_t bound_of(std::size_t count, std::size_t chunk_bytes) noexcept {
    const std::size_t chunks = count / chunk_values;
    const std::size_t rest = count % chunk_values;
    // A partial chunk is charged as a whole one where that is cheap to say; its blocks may be padded to 32 lanes.
    return chunks * chunk_bytes +
           (rest == 0 ? 0 : std::min(chunk_bytes, chunk_bytes * blocks_in(rest) / chunk_blocks + 64)) + slack_bytes;
}

}  // namespace

status explain(stream_fault fault) {
    switch (fault) {
        case stream_fault::none: return {};
        case stream_fault::truncated:
            return {errc::truncated, "the compressed data end in the middle of a chunk; read or receive them again"};
        case stream_fault::corrupt: break;
    }
    return {errc::corrupt,
            "the compressed data contradict themselves (rate bytes or sizes); they were damaged or are "
            "not for this element count and type"};
}

status too_small(std::size_t have, std::size_t need) {
    return {errc::output_too_small, "the output has " + std::to_string(have) + " bytes; " + std::to_string(need) +
                                        " are needed in the worst case"};
}

namespace {

sequence sequence_of(std::span<const std::byte> bytes) noexcept { return {bytes.data(), bytes.size()}; }

template <class T>
const std::byte* bytes_of(std::span<const T> values) noexcept {
    return reinterpret_cast<const std::byte*>(values.data());
}

}  // namespace

sequence move_to_end(std::span<const std::byte> a, std::span<std::byte> out) noexcept {
    std::byte* const moved = out.data() + out.size() - a.size() - slack_bytes;
    std::memmove(moved, a.data(), a.size());
    return {moved, a.size()};
}

std::size_t bare_bound(element_type type, std::size_t count) noexcept {
    return type == element_type::f32 ? bound_of<float>(count, contribution_chunk_bytes<float>)
                                     : bound_of<double>(count, contribution_chunk_bytes<double>);
}

std::size_t bare_sum_bound(element_type type, std::size_t count) noexcept {
    // One chunk more than the sum itself: an in-place sum first moves its input to the end of the buffer.
    return type == element_type::f32 ? bound_of<float>(count, sum_chunk_bytes<float>) + sum_chunk_bytes<float>
                                     : bound_of<double>(count, sum_chunk_bytes<double>) + sum_chunk_bytes<double>;
}

template <class T>
encode_report encode(std::span<const T> values, const quantiser<T>& how, std::span<std::byte> out) noexcept {
    const float_environment standard;
    return current_kernels<T>().encode(bytes_of(values), values.size(), how, {out.data(), nullptr});
}

template <class T>
status decode(std::span<const std::byte> bare, T step, std::uint64_t magnitude, std::span<T> values,
              std::uint32_t divisor) {
    const float_environment standard;
    return explain(current_kernels<T>().decode(sequence_of(bare), {step, divisor, magnitude},
                                               reinterpret_cast<std::byte*>(values.data()), values.size()));
}

template <class T>
result<sum_report> add(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count, T step,
                       std::uint64_t magnitude, std::span<std::byte> out) {
    const std::size_t need = bare_sum_bound(element_type_of<T>::value, count);
    if (out.size() < need) return too_small(out.size(), need);
    const float_environment standard;
    sequence left = sequence_of(a);
    if (a.data() == out.data()) {
        if (a.size() + slack_bytes > out.size()) return too_small(out.size(), a.size() + slack_bytes);
        left = move_to_end(a, out);
    }
    sum_report report;
    const stream_fault fault =
        current_kernels<T>().add(left, sequence_of(b), count, step, magnitude, {out.data(), nullptr}, report);
    if (fault != stream_fault::none) return explain(fault);
    return report;
}

template <class T>
result<sum_report> add_values(std::span<const T> values, const quantiser<T>& how, std::span<const std::byte> bare,
                              std::uint64_t magnitude, std::span<std::byte> out) {
    const std::size_t need = bare_sum_bound(element_type_of<T>::value, values.size());
    if (out.size() < need) return too_small(out.size(), need);
    const float_environment standard;
    sum_report report;
    // The caller vouches for the sum; the kernel asks about the sequence alone.
    const std::uint64_t others = magnitude <= narrow_magnitude ? 0 : magnitude;
    const stream_fault fault = current_kernels<T>().add_values(bytes_of(values), values.size(), how, sequence_of(bare),
                                                               others, {out.data(), nullptr}, report);
    if (fault != stream_fault::none) return explain(fault);
    return report;
}

namespace {

template <class T>
result<bare_census> census_of(const sequence& from, std::size_t count) {
    bare_census found;
    chunk_cursor<T> cursor(from);
    for (std::size_t done = 0; done < count; done += chunk_values) {
        const std::size_t n = std::min(chunk_values, count - done);
        chunk_view view;
        if (const stream_fault fault = cursor.next(n, view); fault != stream_fault::none) return explain(fault);
        const std::byte* at = view.payload;
        for (std::size_t block = 0; block < blocks_in(n); ++block) {
            const auto rate = std::to_integer<unsigned>(view.rates[block]);
            ++found.blocks;
            found.zero_blocks += rate == 0;
            found.raw_blocks += (rate & kind_raw) != 0;
            if ((rate & kind_mask) == kind_mixed) {
                const auto flags = load_as<std::uint32_t>(at + (rate & width_mask) * std::size_t{4});
                found.exact &= (flags & mixed_inexact) == 0;
            }
            at += block_bytes<T>(rate, std::min(block_values, n - block * block_values));
        }
    }
    if (!cursor.at_end()) return explain(stream_fault::corrupt);
    return found;
}

}  // namespace

result<bare_census> census(element_type type, std::span<const std::byte> bare, std::size_t count,
                           const std::byte* table) {
    const sequence from{bare.data(), bare.size(), table};
    return type == element_type::f32 ? census_of<float>(from, count) : census_of<double>(from, count);
}

template encode_report encode(std::span<const float>, const quantiser<float>&, std::span<std::byte>) noexcept;
template encode_report encode(std::span<const double>, const quantiser<double>&, std::span<std::byte>) noexcept;
template status decode(std::span<const std::byte>, float, std::uint64_t, std::span<float>, std::uint32_t);
template status decode(std::span<const std::byte>, double, std::uint64_t, std::span<double>, std::uint32_t);
template result<sum_report> add(std::span<const std::byte>, std::span<const std::byte>, std::size_t, float,
                                std::uint64_t, std::span<std::byte>);
template result<sum_report> add(std::span<const std::byte>, std::span<const std::byte>, std::size_t, double,
                                std::uint64_t, std::span<std::byte>);
template result<sum_report> add_values(std::span<const float>, const quantiser<float>&, std::span<const std::byte>,
                                       std::uint64_t, std::span<std::byte>);
template result<sum_report> add_values(std::span<const double>, const quantiser<double>&, std::span<const std::byte>,
                                       std::uint64_t, std::span<std::byte>);

}  // namespace laconic::codec
