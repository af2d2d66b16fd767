// SPDX-License-Identifier: BSD-3-Clause
// The codecs `zfp_abs` and `zfp_rate` on bare payloads: libzfp's accuracy and fixed-rate modes in one dimension, the
// baselines of the literature (Lindstrom, 2014). Values flow in and a parameter, a table of chunk sizes and
// libzfp's own bit streams flow out; docs/format/zfp.md describes the wrapping. All functions are local and
// thread-safe, use the heap for one chunk, and give the same bytes on every engine.
#pragma once

#include <cstddef>
#include <span>

#include "codec/progress.hpp"
#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::codec {

/// Measured on five fields at relative 1e-3: 65536 values gain 0.3 % of ratio over 4096; a chunk should be small enough
/// to poll communication after it (libzfp takes about 0.2 ms).
inline constexpr std::size_t zfp_chunk_values = 4096;

/// Whether this build has libzfp. Without it the functions below return unsupported.
[[nodiscard]] bool zfp_available() noexcept;

/// Worst-case payload bytes of zfp_abs: the array's own size and 4 bytes a chunk.
[[nodiscard]] std::size_t zfp_abs_bound(element_type type, std::size_t count) noexcept;

/// Encodes with libzfp's accuracy mode. Every chunk is decompressed again; elements that miss the bound, are not finite
/// or are -0.0 are sent beside it, and a chunk that would not become smaller is sent uncompressed.
///
/// values  any count including 0, any alignment, any values
/// e       finite, >= 0: the element promise, as szx_encode gives it; 0 is lossless (everything uncompressed)
/// out     at least zfp_abs_bound() bytes, not overlapping `values`
/// returns the report (look at `cancelled`), or invalid_bound, output_too_small, out_of_memory, unsupported
template <class T>
[[nodiscard]] result<coding_report> zfp_abs_encode(std::span<const T> values, double e, std::span<std::byte> out,
                                                   const progress& watch = {});

/// Payload bytes of zfp_rate, exactly, for a rate that zfp_rate_encode accepts.
[[nodiscard]] std::size_t zfp_rate_bound(element_type type, std::size_t count, double bits_per_value) noexcept;

/// Encodes with libzfp's fixed-rate mode. NO ERROR BOUND: errors depend on the data and can exceed any bound; NaN and
/// infinities come back as some finite values, -0.0 perhaps as 0.0.
///
/// bits_per_value  above 0 and at most 32 (f32) or 64 (f64); rounded to a whole number of bits per 4 values, of which
///                 libzfp needs at least 9 (f32) or 12 (f64)
/// returns         the report, or invalid_argument, output_too_small, out_of_memory, unsupported
template <class T>
[[nodiscard]] result<coding_report> zfp_rate_encode(std::span<const T> values, double bits_per_value,
                                                    std::span<std::byte> out, const progress& watch = {});

/// Decode payloads of exactly values.size() elements of T; what libzfp must know is in the payload, which is treated
/// as hostile: libzfp reads from a copy that is as long as it can ever read.
/// returns the report (look at `cancelled`), or truncated, corrupt, out_of_memory, unsupported
template <class T>
[[nodiscard]] result<coding_report> zfp_abs_decode(std::span<const std::byte> payload, std::span<T> values,
                                                   const progress& watch = {});
template <class T>
[[nodiscard]] result<coding_report> zfp_rate_decode(std::span<const std::byte> payload, std::span<T> values,
                                                    const progress& watch = {});

}  // namespace laconic::codec
