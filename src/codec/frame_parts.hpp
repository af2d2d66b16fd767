// SPDX-License-Identifier: BSD-3-Clause
// What the functions on frames share: a frame and the array that goes with it flow in, a checked view or a status that
// names both flows out.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.hpp"
#include "codec/element.hpp"
#include "codec/engine.hpp"
#include "codec/frame.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {

[[nodiscard]] inline sequence sequence_of(const parsed_frame& frame) noexcept {
    return {frame.payload.data(), frame.payload.size(), frame.table};
}

[[nodiscard]] inline status check_count(std::uint64_t frame, std::uint64_t array) {
    if (frame == array) return {};
    return {errc::mismatch,
            "the frame holds " + std::to_string(frame) + " elements, the other operand " + std::to_string(array)};
}

/// A bound that a codec can be asked to keep.
[[nodiscard]] inline status check_bound(bound limit) {
    if (std::isfinite(limit.value) && limit.value >= 0) return {};
    return {errc::invalid_bound,
            "the error bound is " + base::format_real(limit.value) + "; give a finite number > 0, or 0 for lossless"};
}

/// A frame that has integers.
[[nodiscard]] inline status only_fle(const frame_header& header) {
    if (header.codec == codec_id::fle) return {};
    return {errc::unsupported, "arithmetic needs frames of codec fle; this one has codec number " +
                                   std::to_string(static_cast<unsigned>(header.codec)) +
                                   "; decompress it and compress the values with fle"};
}

/// The step where the range of the values must be known beforehand: for a relative bound, and for a type whose own
/// rounding matters. `e` becomes the bound in absolute terms.
template <class T>
[[nodiscard]] step_choice<T> choose_ranged_step(std::span<const T> values, bound limit, double max_abs, double& e) {
    const value_range<T> range = range_of(values);
    e = resolve_bound(limit, static_cast<double>(range.min), static_cast<double>(range.max));
    if (limit.kind == bound_kind::relative && range.min == range.max) return choose_constant_step<T>(range.min);
    return choose_step<T>(e, std::max(max_abs, static_cast<double>(range.max_abs)));
}

/// A frame that holds `count` elements of T.
template <class T>
[[nodiscard]] result<parsed_frame> parse_for(std::span<const std::byte> frame, std::size_t count) {
    auto parsed = parse_frame(frame);
    if (!parsed) return parsed.error();
    if (parsed->header.type != element_type_of<T>::value)
        return status{errc::mismatch, "the frame holds " + std::string(name_of(parsed->header.type)) +
                                          ", the array is " + std::string(name_of(element_type_of<T>::value))};
    if (status bad = check_count(parsed->header.count, count); !bad.ok()) return bad;
    return parsed;
}

}  // namespace laconic::codec
