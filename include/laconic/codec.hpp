// SPDX-License-Identifier: BSD-3-Clause
// The error-bounded block codec `fle`: arrays of float or double in, self-describing frames out, and
// sums of frames taken without decompressing them. docs/format/stream.md specifies the bytes.
//
// All functions here are local (no MPI), thread-safe, allocate nothing (they use up to 256 KB of stack), and give
// the same bytes on every instruction set. They never print and never abort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "laconic/bound.hpp"
#include "laconic/status.hpp"

namespace laconic {

/// Element types of an array. The numbers appear in frames.
enum class element_type : std::uint8_t { f32 = 1, f64 = 2 };

template <class T>
struct element_type_of;
template <>
struct element_type_of<float> {
    static constexpr element_type value = element_type::f32;
};
template <>
struct element_type_of<double> {
    static constexpr element_type value = element_type::f64;
};

[[nodiscard]] constexpr std::size_t size_of(element_type type) noexcept { return type == element_type::f32 ? 4 : 8; }

/// What a frame says about itself, plus what a walk over its blocks counts.
struct frame_info {
    unsigned version = 0;
    element_type type = element_type::f32;
    std::uint64_t count = 0;  ///< elements
    double bound = 0;         ///< |x - y| <= bound for an array; for a sum plus half an ulp for its one rounding
    double step = 0;          ///< quantisation step: y = q * step
    std::uint64_t contributions = 0;  ///< how many compressed arrays were summed into this frame
    std::uint64_t magnitude = 0;      ///< no quantised value exceeds this
    std::uint64_t frame_bytes = 0;    ///< header, chunk table, payload
    std::uint64_t blocks = 0;         ///< blocks of 32 elements
    std::uint64_t zero_blocks = 0;    ///< blocks that take one byte
    std::uint64_t raw_blocks = 0;     ///< blocks that carry uncompressed values
    bool exact_sums = true;    ///< false: some raw values were added with rounding, in the order the sum was taken
    bool checksummed = false;  ///< carries an XXH3-64 checksum
};

/// What a caller may ask of a frame beyond the bound.
struct frame_options {
    bool checksum = false;  ///< store an XXH3-64 checksum, verified by every reader
    /// For an absolute bound: a magnitude that no array to be added with this one exceeds, so that all get the same
    /// step. Negative: not known; the step is then chosen from this array alone.
    double max_abs = -1;
};

/// Largest frame that compress() can produce for `count` elements: the array's own size plus less than 1 % plus
/// 8 KB. Sums of frames are larger in the worst case: sum_bound(). Precondition: count * 8 fits in half a size_t.
[[nodiscard]] std::size_t compress_bound(element_type type, std::size_t count) noexcept;
[[nodiscard]] std::size_t sum_bound(element_type type, std::size_t count) noexcept;

/// Compresses `values` into a frame at the start of `out`.
///
/// values  any count including 0, any alignment (byte-aligned spans are fine), any values: NaN, infinities and
///         -0.0 come back bit-identical, every finite x comes back as y with |x - y| <= the bound.
/// limit   absolute or relative bound; 0 is lossless.
/// out     at least compress_bound(type, values.size()) bytes, not overlapping `values`.
/// returns the frame's size in bytes, or
///         invalid_bound      the bound is negative, NaN or infinite
///         output_too_small   `out` is smaller than compress_bound()
/// cost    one pass over the data for an absolute bound, two for a relative one; up to three more when the values are
///         so large against an absolute bound that the rounding of T itself matters (docs/adr/0002).
template <class T>
[[nodiscard]] result<std::size_t> compress(std::span<const T> values, bound limit, std::span<std::byte> out,
                                           const frame_options& options = {});

/// Decompresses a frame. `values` must have exactly inspect(frame)->count elements of the frame's type.
/// returns ok, truncated, corrupt, unsupported, or mismatch when type or count differ. On failure the contents of
///         `values` are unspecified. The frame is treated as hostile: no read or write leaves the spans.
template <class T>
[[nodiscard]] status decompress(std::span<const std::byte> frame, std::span<T> values);

/// Reads and verifies header, chunk table, block structure and checksum without decoding values.
/// returns the description, or truncated, corrupt, unsupported.
[[nodiscard]] result<frame_info> inspect(std::span<const std::byte> frame);

/// out = a + b, computed on the compressed form (homomorphic sum).
///
/// a, b    frames of equal type, count, bound per array and step; else mismatch, with both values in the message.
/// out     at least sum_bound() bytes. It may start where `a` starts (in place); otherwise no overlap. When an in-place
///         sum fails, `a` is lost.
/// returns the size of the sum's frame, or truncated, corrupt, unsupported, mismatch, output_too_small.
/// error   the sum decodes to q*step exactly rounded once; its bound is the sum of both bounds. Integer sums never
///         wrap: a block that would leave the range is carried uncompressed.
[[nodiscard]] result<std::size_t> add(std::span<const std::byte> a, std::span<const std::byte> b,
                                      std::span<std::byte> out);

/// out = compress(values) + frame in one pass (fused sum): byte for byte what compressing `values` with the frame's
/// step and adding would give. Same errors as add(); `out` must not overlap its inputs.
template <class T>
[[nodiscard]] result<std::size_t> add(std::span<const T> values, std::span<const std::byte> frame,
                                      std::span<std::byte> out);

/// Smallest and largest finite value and the largest magnitude, in one vectorised pass.
template <class T>
struct value_range {
    T min = 0, max = 0;           ///< over the finite values; both 0 when there are none
    T max_abs = 0;                ///< over the finite values
    std::uint64_t nonfinite = 0;  ///< NaN and infinities
};
template <class T>
[[nodiscard]] value_range<T> range_of(std::span<const T> values) noexcept;

/// How far `decoded` is from `original`, as the papers measure it. NaN against NaN and equal infinities count as
/// equal; any other difference involving a non-finite value counts in nonfinite_mismatches and nowhere else.
struct comparison {
    std::uint64_t n = 0;
    double max_abs_error = 0;
    double mean_error = 0;  ///< signed: shows a biased quantiser
    double psnr = 0;        ///< 20 log10(range / RMSE); +inf for identical data, -inf for other data of range 0
    double nrmse = 0;       ///< RMSE / range; 0 for identical data
    double range = 0;       ///< max - min of the finite values of `original`
    std::uint64_t nonfinite_mismatches = 0;
};
/// Precondition: equal sizes; returns mismatch otherwise.
template <class T>
[[nodiscard]] result<comparison> compare(std::span<const T> original, std::span<const T> decoded);

/// Name of the engine in use: "scalar", "avx2" or "avx512", chosen at first use from the processor, or by the
/// environment variable LACONIC_FORCE_ISA (an engine this machine cannot run is refused by check_engine()).
[[nodiscard]] std::string_view engine_name() noexcept;
/// ok, or unsupported when LACONIC_FORCE_ISA names an engine that does not exist or cannot run here.
[[nodiscard]] status check_engine();
/// Names of the engines that this machine can run, slowest first.
[[nodiscard]] std::span<const std::string_view> available_engines() noexcept;
/// Switches the engine for the whole process (benchmarks and tests). Not thread-safe against running calls.
[[nodiscard]] status use_engine(std::string_view name);

}  // namespace laconic
