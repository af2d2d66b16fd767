// SPDX-License-Identifier: BSD-3-Clause
// The codec `szx` on bare payloads: values and an absolute bound flow in, chunks of 5120 values with a table of their
// sizes in front flow out. The idea is SZx's (Yu et al., HPDC'22): blocks that one value represents, or else
// residuals from the block's mid-range without their leading bits; the chunking is PIPE-SZx's (C-Coll). The bytes are
// our own: docs/format/szx.md.
#pragma once

#include <cstddef>
#include <span>

#include "codec/progress.hpp"
#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::codec {

/// Worst-case payload bytes: the array's own size plus less than 1 % plus 512 bytes (room for stores past the end).
[[nodiscard]] std::size_t szx_bound(element_type type, std::size_t count) noexcept;

/// Encodes `values` at the start of `out`. Local, thread-safe, allocates nothing; the bytes do not depend on the
/// engine.
///
/// values  any count including 0, any alignment, any values
/// e       finite, >= 0: every finite x comes back as y with |x - y| <= e, exactly; NaN (any payload), infinities and
///         -0.0 come back bit-identical; 0 is lossless
/// out     at least szx_bound() bytes, not overlapping `values`
/// returns the report (look at `cancelled`), or invalid_bound, output_too_small
/// cost    one pass over the data in chunks that stay in the first-level cache
template <class T>
[[nodiscard]] result<coding_report> szx_encode(std::span<const T> values, double e, std::span<std::byte> out,
                                               const progress& watch = {});

/// Decodes a payload of exactly values.size() elements of T; the bound is not needed. The payload is treated as
/// hostile. On failure the contents of `values` are unspecified.
/// returns the report (look at `cancelled`), or truncated, corrupt
template <class T>
[[nodiscard]] result<coding_report> szx_decode(std::span<const std::byte> payload, std::span<T> values,
                                               const progress& watch = {});

}  // namespace laconic::codec
