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

std::size_t bound_of(std::size_t count, std::size_t chunk_bytes) noexcept {
    const std::size_t chunks = count / chunk_values;
    const std::size_t rest = count % chunk_values;
    // A partial chunk is charged as a whole one where that is cheap to say; its blocks may be padded to 32 lanes.
    return chunks * chunk_bytes +
           (rest == 0 ? 0 : std::min(chunk_bytes, chunk_bytes * blocks_in(rest) / chunk_blocks + 128)) + slack_bytes;
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

status cancelled() { return {errc::cancelled, "the progress callback asked to stop"}; }

status too_small(std::size_t have, std::size_t need) {
    return {errc::output_too_small, "the output has " + std::to_string(have) + " bytes; " + std::to_string(need) +
                                        " are needed in the worst case"};
}

namespace {

sequence sequence_of(std::span<const std::byte> bytes) noexcept { return {bytes.data(), bytes.size()}; }

}  // namespace

sequence move_to_end(std::span<const std::byte> a, std::span<std::byte> out) noexcept {
    std::byte* const moved = out.data() + out.size() - a.size() - slack_bytes;
    std::memmove(moved, a.data(), a.size());
    return {moved, a.size()};
}

std::size_t bare_bound(element_type type, std::size_t count) noexcept {
    switch (type) {
        case element_type::f32: return bound_of(count, contribution_chunk_bytes<float>);
        case element_type::f64: return bound_of(count, contribution_chunk_bytes<double>);
        default: return bound_of(count, contribution_chunk_bytes<half>);
    }
}

std::size_t bare_sum_bound(element_type type, std::size_t count) noexcept {
    // One chunk more than the sum itself: an in-place sum first moves its input to the end of the buffer.
    const std::size_t chunk = type == element_type::f64 ? sum_chunk_bytes<double> : sum_chunk_bytes<float>;
    return bound_of(count, chunk) + chunk;
}

template <class T>
encode_report encode(std::span<const T> values, const quantiser<T>& how, std::span<std::byte> out) noexcept {
    const float_environment standard;
    return current_kernels<T>().encode(bytes_of(values), values.size(), how, {out.data(), nullptr});
}

template <class T>
status decode(std::span<const std::byte> bare, real_type<T> step, std::uint64_t magnitude, std::span<T> values,
              std::uint32_t divisor, bool* exact) {
    const float_environment standard;
    bool unasked = true;
    return explain(current_kernels<T>().decode(sequence_of(bare), {step, divisor, magnitude},
                                               reinterpret_cast<std::byte*>(values.data()), values.size(),
                                               exact != nullptr ? *exact : unasked));
}

template <class T>
result<sum_report> add(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count, real_type<T> step,
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
        current_kernels<T>().add(left, sequence_of(b), count, {step, 0, magnitude}, {out.data(), nullptr}, report);
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
    const std::uint64_t others = magnitude <= narrow_magnitude(how.row) ? 0 : magnitude;
    const stream_fault fault = current_kernels<T>().add_values(bytes_of(values), values.size(), how, sequence_of(bare),
                                                               others, {out.data(), nullptr}, report);
    if (fault != stream_fault::none) return explain(fault);
    return report;
}

template <class T>
result<sum_report> extreme(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t count, bool larger,
                           real_type<T> step, std::uint64_t magnitude, std::span<std::byte> out) {
    const std::size_t need = bare_sum_bound(element_type_of<T>::value, count);
    if (out.size() < need) return too_small(out.size(), need);
    const float_environment standard;
    sequence first = sequence_of(a);
    if (a.data() == out.data()) {
        if (a.size() + slack_bytes > out.size()) return too_small(out.size(), a.size() + slack_bytes);
        first = move_to_end(a, out);
    }
    sum_report report;
    const auto fault = current_kernels<T>().extreme(first, sequence_of(b), count, larger, {step, 0, magnitude},
                                                    {out.data(), nullptr}, report);
    if (fault != stream_fault::none) return explain(fault);
    return report;
}

template <class T>
bool quantise(std::span<const T> values, const quantiser<T>& how, std::span<std::int32_t> q) noexcept {
    const float_environment standard;
    std::uint64_t magnitude = 0;
    return current_kernels<T>().quantise(bytes_of(values), values.size(), how, q.data(), magnitude) == 0;
}

template <class T>
result<sum_report> add_integers(std::span<const std::int32_t> q, const quantiser<T>& how, std::uint64_t own,
                                const std::span<const std::byte>* bare, std::uint64_t magnitude,
                                std::span<std::byte> out) {
    const std::size_t need = bare_sum_bound(element_type_of<T>::value, q.size());
    if (out.size() < need) return too_small(out.size(), need);
    const float_environment standard;
    const sequence other = bare == nullptr ? sequence{} : sequence_of(*bare);
    sum_report report;
    const auto fault = current_kernels<T>().add_ints(q.data(), q.size(), {how.step, how.row, magnitude}, own,
                                                     bare == nullptr ? nullptr : &other, {out.data(), nullptr}, report);
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
            const unsigned rate = view.rates[block];
            ++found.blocks;
            found.zero_blocks += rate == 0;
            found.raw_blocks += (rate & kind_raw) != 0;
            if ((rate & kind_mask) == kind_mixed) {
                const auto flags = load_as<std::uint32_t>(at + (rate & width_mask) * std::size_t{4});
                found.exact &= (flags & mixed_inexact) == 0;
            }
            at += block_bytes<T>(rate, lanes_in(n, block));
        }
    }
    if (!cursor.at_end()) return explain(stream_fault::corrupt);
    return found;
}

}  // namespace

result<bare_census> census(element_type type, std::span<const std::byte> bare, std::size_t count,
                           const std::byte* table) {
    const sequence from{bare.data(), bare.size(), table};
    switch (type) {
        case element_type::f32: return census_of<float>(from, count);
        case element_type::f64: return census_of<double>(from, count);
        default: return census_of<half>(from, count);
    }
}

#define LACONIC_INSTANTIATE(T)                                                                                        \
    template encode_report encode(std::span<const T>, const quantiser<T>&, std::span<std::byte>) noexcept;            \
    template status decode(std::span<const std::byte>, real_type<T>, std::uint64_t, std::span<T>, std::uint32_t,      \
                           bool*);                                                                                    \
    template result<sum_report> add<T>(std::span<const std::byte>, std::span<const std::byte>, std::size_t,           \
                                       real_type<T>, std::uint64_t, std::span<std::byte>);                            \
    template result<sum_report> add_values(std::span<const T>, const quantiser<T>&, std::span<const std::byte>,       \
                                           std::uint64_t, std::span<std::byte>);                                      \
    template result<sum_report> extreme<T>(std::span<const std::byte>, std::span<const std::byte>, std::size_t, bool, \
                                           real_type<T>, std::uint64_t, std::span<std::byte>);                        \
    template bool quantise(std::span<const T>, const quantiser<T>&, std::span<std::int32_t>) noexcept;                \
    template result<sum_report> add_integers(std::span<const std::int32_t>, const quantiser<T>&, std::uint64_t,       \
                                             const std::span<const std::byte>*, std::uint64_t, std::span<std::byte>);

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::codec
