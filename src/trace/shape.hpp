// SPDX-License-Identifier: BSD-3-Clause
// A call signature flows in; its shape (what calls that differ in numbers only have in common) and its numbers flow
// out, and the two give the signature back, byte by byte. Nothing here knows what the numbers mean.
#pragma once

#include <cstdint>
#include <vector>

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// Two signatures of equal shape have equally many slots.
struct shaped {
    bytes shape;
    std::vector<std::uint64_t> slots;
};

/// A signature is a sequence of varints: the head, which belongs to the shape, then numbers. Stretches in which
/// numbers go on by constant steps in `period` interleaved lanes (arrays of requests, of statuses, of counts) become
/// runs: how often, where each lane begins, and its step. Bytes that are no sequence of shortest varints are a shape
/// without slots.
///
///   shape := varint 0, bytes                          the signature as it is
///          | varint 1, varint head, segment*          segment := varint 2 * n      n numbers, a slot each
///                                                              | varint 2 * p + 1  a run of period p: slots are the
///                                                                number of turns, p first numbers, p steps (mod 2^64)
[[nodiscard]] shaped shape_of(view signature);

/// Slots that a shape has.
/// returns corrupt  it is none
[[nodiscard]] result<std::size_t> slots_of(view shape);

/// Appends the signature to `out`. `step` and `turn`: each slot counts as slots[i] + turn * steps[i]; an empty `steps`
/// is all zeros.
/// returns corrupt  not as many slots as the shape has, or more than most_signature_numbers
[[nodiscard]] status signature_of(view shape, std::span<const std::uint64_t> slots,
                                  std::span<const std::uint64_t> steps, std::uint64_t turn, bytes& out);

inline constexpr std::uint64_t most_signature_numbers = std::uint64_t{1} << 24;

}  // namespace laconic::trace
