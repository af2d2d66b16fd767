// SPDX-License-Identifier: BSD-3-Clause
// What the fuzzers have found and the library still does: the targets look away while a constant is true. Whoever mends
// one makes it false; the inputs are in regressions.
#pragma once

namespace laconic::fuzz::known {

/// One thread calls a frame corrupt where several, or one with progress, who see a part each, call it truncated.
inline constexpr bool threads_word_faults_differently = false;
/// minimum() and maximum() do not order -0.0 and +0.0 where a block is uncompressed.
inline constexpr bool raw_zeros_have_no_order = false;
/// f16: on the engines' path a mask makes -0.0 also of a lane whose q is not 0 and whose value rounds to zero.
inline constexpr bool masks_reach_underflows = false;
/// add() copies a NaN in a wide value of its first operand, whatever its bits.
inline constexpr bool nan_bits_survive = false;

}  // namespace laconic::fuzz::known
