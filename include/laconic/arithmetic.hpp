// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on compressed arrays: frames of codec fle flow in, the frame of their sum, difference, multiple, minimum
// or maximum flows out, and nothing is decompressed to values on the way. The split form keeps an array as integers,
// to which received frames are added.
//
// Frames that meet must agree in type, count, step, bound per contribution and row length; else mismatch, with both
// values in the message. Every function is local, thread-safe, and treats frames as hostile.
// `out` needs sum_bound() bytes; it may start where the first frame starts (in place), otherwise nothing overlaps. When
// an in-place operation fails, that frame is lost.
// All return the size of the resulting frame, or truncated, corrupt, unsupported (another codec than fle; more than
// 2^32 - 1 contributions), mismatch, output_too_small, cancelled.
// Results decode to the exact real number rounded once, but where frame_info::exact_sums is false. Integers never wrap:
// a block that would leave the range is carried uncompressed.
#pragma once

#include "laconic/codec.hpp"

namespace laconic {

/// out = a + b. The bound of the sum is the sum of both bounds.
[[nodiscard]] result<std::size_t> add(std::span<const std::byte> a, std::span<const std::byte> b,
                                      std::span<std::byte> out, const run_options& run = {});

/// out = a - b. The bound is the sum of both bounds; an exact result of zero is +0.0.
[[nodiscard]] result<std::size_t> subtract(std::span<const std::byte> a, std::span<const std::byte> b,
                                           std::span<std::byte> out, const run_options& run = {});

/// out = factor * frame: byte for byte the sum of `factor` copies when the factor is positive and nothing is raw, and
/// it counts as so many contributions. A negative factor turns zeros into +0.0; 0 gives zeros, NaN for what is not
/// finite.
[[nodiscard]] result<std::size_t> scale(std::span<const std::byte> frame, std::int32_t factor, std::span<std::byte> out,
                                        const run_options& run = {});

/// out = -frame: scale by -1.
[[nodiscard]] result<std::size_t> negate(std::span<const std::byte> frame, std::span<std::byte> out,
                                         const run_options& run = {});

/// Element by element the smaller (or larger) of a and b; NaN where one of them is NaN; -0.0 counts as less than +0.0.
/// Each is within the larger of both bounds of the smaller (larger) of the original elements.
[[nodiscard]] result<std::size_t> minimum(std::span<const std::byte> a, std::span<const std::byte> b,
                                          std::span<std::byte> out, const run_options& run = {});
[[nodiscard]] result<std::size_t> maximum(std::span<const std::byte> a, std::span<const std::byte> b,
                                          std::span<std::byte> out, const run_options& run = {});

/// out = compress(values) + frame in one pass (fused sum): byte for byte what compressing `values` with the frame's
/// step and adding would give. `out` must not overlap its inputs.
template <class T>
[[nodiscard]] result<std::size_t> add(std::span<const T> values, std::span<const std::byte> frame,
                                      std::span<std::byte> out, const run_options& run = {});

/// An array as integers: x is within `bound` of q * step. What a frame's header would say of it.
struct quantised_array {
    element_type type = element_type::f32;
    double step = 1;
    double bound = 0;             ///< of one contribution
    std::uint64_t magnitude = 0;  ///< no |q| exceeds this
    std::uint32_t row_length = 0;
    std::uint32_t contributions = 1;  ///< how many arrays were summed into this one
};

/// Quantises `values` to 32-bit integers, with the step that compress() would choose (options.max_abs, row_length).
/// integers  exactly values.size()
/// returns   the description, or invalid_bound, mismatch (sizes), or unrepresentable when some element has no integer
///           (NaN, an infinity, or too large against the bound): such arrays must travel as frames
template <class T>
[[nodiscard]] result<quantised_array> quantise(std::span<const T> values, bound limit, std::span<std::int32_t> integers,
                                               const frame_options& options = {});

/// The frame of quantised integers: that of the array itself, but that -0.0 has become +0.0.
/// returns  unrepresentable when an integer exceeds what one contribution may have (2^24; f64 2^28 - 1; 16-bit types
///          2^13 - 1)
[[nodiscard]] result<std::size_t> encode(const quantised_array& array, std::span<const std::int32_t> integers,
                                         std::span<std::byte> out);

/// out = integers + frame, for integers quantised with the frame's step. `out` must not overlap its inputs.
[[nodiscard]] result<std::size_t> add(const quantised_array& array, std::span<const std::int32_t> integers,
                                      std::span<const std::byte> frame, std::span<std::byte> out);

/// The integers of a frame, and its description as an array. Returns unrepresentable when some are not 32-bit integers
/// or some values are not quantised.
[[nodiscard]] result<quantised_array> extract(std::span<const std::byte> frame, std::span<std::int32_t> integers);

}  // namespace laconic
