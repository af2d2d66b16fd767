// SPDX-License-Identifier: BSD-3-Clause
// Error-bounded compression: arrays in, self-describing frames out, and back. docs/format/stream.md specifies the
// bytes; arithmetic.hpp computes with frames without decompressing them; streaming.hpp takes arrays larger than memory.
//
// All functions here are local (no MPI), thread-safe, and give the same bytes on every instruction set. With one thread
// the codecs fle, szx and raw allocate nothing (they use up to 384 KB of stack). They never print and never abort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "laconic/bound.hpp"
#include "laconic/half.hpp"
#include "laconic/status.hpp"

namespace laconic {

/// Element types of an array. The numbers appear in frames.
enum class element_type : std::uint8_t { f32 = 1, f64 = 2, f16 = 3, bf16 = 4 };

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

template <>
struct element_type_of<half> {
    static constexpr element_type value = element_type::f16;
};
template <>
struct element_type_of<bfloat16> {
    static constexpr element_type value = element_type::bf16;
};

[[nodiscard]] constexpr std::size_t size_of(element_type type) noexcept {
    switch (type) {
        case element_type::f64: return 8;
        case element_type::f16:
        case element_type::bf16: return 2;
        default: return 4;
    }
}

/// The type that elements of T are computed with: T itself, float for the 16-bit types.
template <class T>
struct real_of {
    using type = T;
};
template <>
struct real_of<half> {
    using type = float;
};
template <>
struct real_of<bfloat16> {
    using type = float;
};
template <class T>
using real_type = typename real_of<T>::type;

/// How arrays become bytes. The numbers appear in frames. codecs() describes them.
enum class codec_id : std::uint8_t {
    fle = 1,      ///< laconic's own: quantise, predict, fixed-length bit-planes; the only one whose frames can be added
    szx = 2,      ///< constant blocks and truncated residuals, after SZx
    zfp_abs = 3,  ///< libzfp, fixed accuracy
    zfp_rate = 4,  ///< libzfp, fixed rate: the bound is NOT kept
    raw = 5,       ///< a copy
};

struct codec_description {
    codec_id id;
    std::string_view name;
    std::string_view summary;
    bool keeps_bound;  ///< the element promise of docs/guide/accuracy.md
    bool adds;         ///< frames can be added without decompressing them
    bool available;    ///< this build has it
};
[[nodiscard]] std::span<const codec_description> codecs() noexcept;
/// The description of a codec; null for a number that is none.
[[nodiscard]] const codec_description* find_codec(codec_id id) noexcept;
/// The codec of that name, or invalid_argument with the names there are.
[[nodiscard]] result<codec_id> codec_named(std::string_view name);

/// What a frame says about itself, plus what a walk over its blocks counts.
struct frame_info {
    unsigned version = 0;
    codec_id codec = codec_id::fle;
    element_type type = element_type::f32;
    std::uint64_t count = 0;  ///< elements
    /// |x - y| <= bound for an array; for a sum plus half an ulp for its one rounding. 16-bit types: what rounding to
    /// the type adds is not included (it was taken off the bound that compress() was asked for). 0 for zfp_rate: none.
    /// Not of elements whose raw values were added with rounding (exact_sums).
    double bound = 0;
    double step = 0;                  ///< fle: quantisation step, y = q * step; zfp_rate: bits per value
    std::uint32_t row_length = 0;     ///< fle: values of a row, for row prediction; 0: predicted along the array alone
    std::uint64_t contributions = 0;  ///< how many compressed arrays were summed into this frame
    std::uint64_t magnitude = 0;      ///< fle: no quantised value exceeds this
    std::uint64_t frame_bytes = 0;    ///< header, chunk table, payload
    std::uint64_t blocks = 0;         ///< fle: blocks of 32 elements
    std::uint64_t zero_blocks = 0;    ///< fle: blocks without a payload
    std::uint64_t raw_blocks = 0;     ///< fle: blocks that carry uncompressed values
    bool exact_sums = true;    ///< false: some raw values were added with rounding, in the order the sum was taken
    bool checksummed = false;  ///< carries an XXH3-64 checksum
};

/// How far a call has come.
struct progress_info {
    std::uint64_t values = 0;  ///< done
    std::uint64_t total = 0;   ///< to do in all
    std::uint64_t bytes = 0;   ///< of compressed data that are complete (written, or read by decompress)
};

/// How a call runs. The result is the same, byte for byte, whatever is set here.
struct run_options {
    /// OpenMP threads, for codec fle; 0: as many as OpenMP would take. Several threads need memory for their parts
    /// (about 1 MB each); without it, or in a build without OpenMP, one does the work.
    unsigned threads = 1;
    /// Called by the calling thread between groups of chunks, e.g. to let MPI progress, and at the end; false stops the
    /// call, which then returns errc::cancelled. It must not throw. An array that is encoded a second time (see
    /// compress) is reported from its beginning again.
    bool (*progress)(void* user, const progress_info& now) = nullptr;
    void* progress_user = nullptr;
};

/// What a caller may ask of a frame beyond the bound.
struct frame_options {
    codec_id codec = codec_id::fle;
    bool checksum = false;  ///< store an XXH3-64 checksum, verified by every reader
    /// For an absolute bound: a magnitude that no array to be added with this one exceeds, so that all get the same
    /// step. Negative: not known; the step is then chosen from this array alone.
    double max_abs = -1;
    /// fle: the length of the array's fastest dimension, if it has more than one: values are then also predicted from
    /// the row before. Lengths below 32 and from 2048 on are taken as 0, the array as one row.
    std::uint64_t row_length = 0;
    double rate = 8;  ///< zfp_rate: bits per value, up to those of the type
    run_options run;
};

/// Largest frame that compress() can produce for `count` elements: the array's own size plus less than 1 % (16-bit
/// types: 10 %) plus 8 KB. Sums of frames are larger in the worst case: sum_bound(). Precondition: count * 8 fits in
/// half a size_t.
[[nodiscard]] std::size_t compress_bound(element_type type, std::size_t count, codec_id codec = codec_id::fle) noexcept;
[[nodiscard]] std::size_t sum_bound(element_type type, std::size_t count) noexcept;

/// Compresses `values` into a frame at the start of `out`. T is float, double, half or bfloat16 here and below.
///
/// values  any count including 0, any alignment (byte-aligned spans are fine), any values: NaN, infinities and
///         -0.0 come back bit-identical, every finite x comes back as y with |x - y| <= the bound (but for zfp_rate).
/// limit   absolute or relative bound; 0 is lossless.
/// out     at least compress_bound(type, values.size(), codec) bytes, not overlapping `values`.
/// returns the frame's size in bytes, or
///         invalid_bound      the bound is negative, NaN or infinite
///         invalid_argument   options.rate is not usable
///         output_too_small   `out` is smaller than compress_bound()
///         unsupported        this build lacks the codec, or the codec the type
///         cancelled          options.run.progress said so
/// cost    fle: one pass over the data for an absolute bound, two for a relative one or a 16-bit type; up to three more
///         when the values are so large against an absolute bound that the rounding of T itself matters
///         (docs/adr/0002).
template <class T>
[[nodiscard]] result<std::size_t> compress(std::span<const T> values, bound limit, std::span<std::byte> out,
                                           const frame_options& options = {});

/// Decompresses a frame. `values` must have exactly inspect(frame)->count elements of the frame's type.
/// returns ok, truncated, corrupt, unsupported, cancelled, or mismatch when type or count differ. On failure the
///         contents of `values` are unspecified. The frame is treated as hostile: no access leaves the spans.
template <class T>
[[nodiscard]] status decompress(std::span<const std::byte> frame, std::span<T> values, const run_options& run = {});

/// Reads and verifies header, checksum and, for fle, chunk table and block structure, without decoding values.
/// returns the description, or truncated, corrupt, unsupported.
[[nodiscard]] result<frame_info> inspect(std::span<const std::byte> frame);

/// Smallest and largest finite value and the largest magnitude, in one vectorised pass.
template <class T>
struct value_range {
    real_type<T> min = 0, max = 0;  ///< over the finite values; both 0 when there are none
    real_type<T> max_abs = 0;       ///< over the finite values
    std::uint64_t nonfinite = 0;    ///< NaN and infinities
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

/// Name of the engine in use: "scalar", "avx2", "avx512" or "neon", chosen at first use from the processor, or by the
/// environment variable LACONIC_FORCE_ISA (an engine this machine cannot run is refused by check_engine()).
[[nodiscard]] std::string_view engine_name() noexcept;
/// ok, or unsupported when LACONIC_FORCE_ISA names an engine that does not exist or cannot run here.
[[nodiscard]] status check_engine();
/// Names of the engines that this machine can run, slowest first.
[[nodiscard]] std::span<const std::string_view> available_engines() noexcept;
/// Switches the engine for the whole process (benchmarks and tests). Not thread-safe against running calls.
[[nodiscard]] status use_engine(std::string_view name);

}  // namespace laconic
