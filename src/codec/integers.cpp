// SPDX-License-Identifier: BSD-3-Clause
// Arrays as integers: quantised up front, encoded or added to frames later, and taken out of frames again.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.hpp"
#include "codec/float_environment.hpp"
#include "codec/frame_parts.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic {
namespace {

using namespace codec;

status check_room(std::size_t integers, std::uint64_t elements) {
    if (integers == elements) return {};
    return {errc::mismatch, "there is room for " + std::to_string(integers) + " integers and there are " +
                                std::to_string(elements) + " elements"};
}

/// What one contribution may have, with or without rows.
template <class T>
std::uint64_t most_integer() noexcept {
    return std::min(static_cast<std::uint64_t>(integer_limits<T>::contribution), narrow_magnitude(1));
}

status check_array(const quantised_array& array, std::span<const std::int32_t> integers) {
    std::uint64_t largest = 0;
    for (const std::int32_t q : integers)
        largest = std::max(largest, static_cast<std::uint64_t>(std::abs(std::int64_t{q})));
    const std::uint64_t limit = with_element(array.type, [](auto zero) { return most_integer<decltype(zero)>(); });
    if (largest > limit || array.magnitude > limit)
        return {errc::unrepresentable, "an integer of " + std::to_string(std::max(largest, array.magnitude)) +
                                           " exceeds what one contribution may have, " + std::to_string(limit)};
    if (largest > array.magnitude)
        return {errc::mismatch, "an integer of " + std::to_string(largest) + " exceeds the array's magnitude, " +
                                    std::to_string(array.magnitude)};
    if (!is_step_of(array.type, array.step))
        return {errc::invalid_argument, "the step is " + base::format_real(array.step) +
                                            "; it must be positive, finite and of the element type"};
    if (!(array.bound >= 0) || !std::isfinite(array.bound))
        return {errc::invalid_bound, "the array's bound is " + base::format_real(array.bound)};
    if (array.contributions == 0)
        return {errc::invalid_argument, "the array has 0 contributions; one that was quantised has 1"};
    if (array.row_length != usable_row(array.row_length))
        return {errc::invalid_argument,
                "row length " + std::to_string(array.row_length) + "; it must be 0 or 32 to 2047"};
    return {};
}

result<std::size_t> write_integers(const quantised_array& array, std::span<const std::int32_t> integers,
                                   const parsed_frame* frame, std::span<std::byte> out) {
    frame_header header;
    if (frame != nullptr) header = frame->header;
    header.type = array.type;
    header.count = integers.size();
    header.step = array.step;
    header.contribution_bound = array.bound;
    header.row = array.row_length;
    std::byte* const table = out.data() + frame_header_bytes;
    const sink to{table + table_bytes(codec_id::fle, integers.size()), table};
    const std::uint64_t others = frame == nullptr ? 0 : header.magnitude;
    header.magnitude = others + array.magnitude;
    const std::uint32_t theirs_before = frame == nullptr ? 0 : header.contributions;
    header.contributions = theirs_before + array.contributions;
    if (header.contributions < theirs_before)
        return status{errc::unsupported, "the result would have more than 2^32 - 1 contributions"};
    sequence theirs;
    if (frame != nullptr) theirs = sequence_of(*frame);
    sum_report report;
    const stream_fault fault = with_element(array.type, [&](auto zero) {
        using T = decltype(zero);
        const sum_rule<T> how{static_cast<real_type<T>>(array.step), array.row_length, header.magnitude};
        header.magnitude = std::min(header.magnitude, static_cast<std::uint64_t>(sum_limit<T>(header.row)));
        return current_kernels<T>().add_ints(integers.data(), integers.size(), how, array.magnitude,
                                             frame == nullptr ? nullptr : &theirs, to, report);
    });
    if (fault != stream_fault::none) return explain(fault);
    header.payload_bytes = report.bytes;
    header.exact &= report.exact;
    return seal_frame(header, out.data());
}

}  // namespace

template <class T>
result<quantised_array> quantise(std::span<const T> values, bound limit, std::span<std::int32_t> integers,
                                 const frame_options& options) {
    const float_environment standard;
    if (status bad = check_bound(limit); !bad.ok()) return bad;
    if (status bad = check_room(integers.size(), values.size()); !bad.ok()) return bad;
    double e = limit.value;
    const bool ranged = limit.kind == bound_kind::relative || sizeof(T) == 2;
    auto choice = ranged ? choose_ranged_step(values, limit, options.max_abs, e) : choose_step<T>(e, options.max_abs);
    quantised_array array;
    const auto missed_with = [&] {
        choice.contribution.row = usable_row(options.row_length);
        return current_kernels<T>().quantise(bytes_of(values), values.size(), choice.contribution, integers.data(),
                                             array.magnitude);
    };
    std::uint64_t missed = missed_with();
    if (missed > 0 && !ranged && options.max_abs < 0) {
        // As compress() does: a step with more room for the rounding of T, now that its magnitude matters.
        choice = choose_step<T>(e, static_cast<double>(range_of(values).max_abs));
        missed = missed_with();
    }
    if (missed == 0 && array.magnitude > most_integer<T>()) missed = 1;
    if (missed > 0)
        return status{errc::unrepresentable, std::to_string(missed) +
                                                 " blocks of 32 hold values without an integer (NaN, infinite, or too "
                                                 "large against the bound); compress the array instead"};
    array.type = element_type_of<T>::value;
    array.step = static_cast<double>(choice.contribution.step);
    array.bound = sizeof(T) == 2 ? choice.contribution_bound : e;
    array.row_length = choice.contribution.row;
    return array;
}

result<std::size_t> encode(const quantised_array& array, std::span<const std::int32_t> integers,
                           std::span<std::byte> out) {
    const float_environment standard;
    if (status bad = check_array(array, integers); !bad.ok()) return bad;
    const std::size_t need = compress_bound(array.type, integers.size());
    if (out.size() < need) return too_small(out.size(), need);
    return write_integers(array, integers, nullptr, out);
}

result<std::size_t> add(const quantised_array& array, std::span<const std::int32_t> integers,
                        std::span<const std::byte> frame, std::span<std::byte> out) {
    const float_environment standard;
    if (status bad = check_array(array, integers); !bad.ok()) return bad;
    auto parsed =
        with_element(array.type, [&](auto zero) { return parse_for<decltype(zero)>(frame, integers.size()); });
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    if (status bad = only_fle(header); !bad.ok()) return bad;
    if (header.step != array.step || header.row != array.row_length || header.contribution_bound != array.bound)
        return status{errc::mismatch, "the integers have step " + base::format_real(array.step) + " and row length " +
                                          std::to_string(array.row_length) + ", the frame " +
                                          base::format_real(header.step) + " and " + std::to_string(header.row) +
                                          "; quantise with the frame's bound and maximum magnitude"};
    const std::size_t need = sum_bound(array.type, integers.size());
    if (out.size() < need) return too_small(out.size(), need);
    return write_integers(array, integers, &*parsed, out);
}

result<quantised_array> extract(std::span<const std::byte> frame, std::span<std::int32_t> integers) {
    const float_environment standard;
    auto parsed = parse_frame(frame);
    if (!parsed) return parsed.error();
    const frame_header& header = parsed->header;
    if (status bad = only_fle(header); !bad.ok()) return bad;
    if (status bad = check_room(integers.size(), header.count); !bad.ok()) return bad;
    if (header.magnitude > narrow_magnitude(header.row))
        return status{errc::unrepresentable,
                      "the frame's integers go up to " + std::to_string(header.magnitude) + ", beyond 32 bits"};
    std::uint64_t missed = 0;
    const stream_fault fault = with_element(header.type, [&](auto zero) {
        return current_kernels<decltype(zero)>().integers(sequence_of(*parsed), header.row, integers.data(),
                                                          integers.size(), missed);
    });
    if (fault != stream_fault::none) return explain(fault);
    if (missed > 0)
        return status{errc::unrepresentable,
                      std::to_string(missed) + " chunks hold values that are not quantised; decompress the frame"};
    return quantised_array{header.type,      header.step, header.contribution_bound,
                           header.magnitude, header.row,  header.contributions};
}

#define LACONIC_INSTANTIATE(T) \
    template result<quantised_array> quantise(std::span<const T>, bound, std::span<std::int32_t>, const frame_options&);
LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic
