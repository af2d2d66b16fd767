// SPDX-License-Identifier: BSD-3-Clause
// The codec `raw`: values flow out as they flow in, in the shape of the other codecs. The yardstick for all of them.
#pragma once

#include <cstddef>
#include <span>

#include "codec/progress.hpp"
#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::codec {

/// Values between two calls of the progress callback.
inline constexpr std::size_t raw_chunk_values = 65536;

/// The array's own size.
[[nodiscard]] std::size_t raw_bound(element_type type, std::size_t count) noexcept;

/// Copies `values` to the start of `out`, bit for bit. Any count, any alignment, no overlap.
/// returns the report (look at `cancelled`), or output_too_small
template <class T>
[[nodiscard]] result<coding_report> raw_encode(std::span<const T> values, std::span<std::byte> out,
                                               const progress& watch = {});

/// returns the report (look at `cancelled`), truncated when the payload is smaller than the values, corrupt when larger
template <class T>
[[nodiscard]] result<coding_report> raw_decode(std::span<const std::byte> payload, std::span<T> values,
                                               const progress& watch = {});

}  // namespace laconic::codec
