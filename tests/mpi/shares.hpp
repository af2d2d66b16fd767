// SPDX-License-Identifier: BSD-3-Clause
// Which combinations of parameters a test runs on how many ranks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laconic::test {

/// Many ranks on few cores are slow: of what `turn` counts, every number of ranks above three takes one in `shares`,
/// with four shares or more each of 4, 5, 8 and 11 another one, which beyond 8 is half as large. To have all of them
/// run, a turn must be the same combination whatever the number of ranks. Turns are mixed: loops that take their
/// parameters from remainders of the turn must not have them locked to the share.
[[nodiscard]] inline bool falls_to_size(std::size_t turn, std::size_t shares, int ranks) {
    if (ranks <= 3) return true;
    if (ranks > 8) shares *= 2;
    // The high bits of a product by the golden ratio: the low ones are those of the turn.
    const std::uint64_t mixed = (turn * 0x9e3779b97f4a7c15U) >> 48;
    return mixed % shares == static_cast<std::size_t>(ranks + 1) / 3 % shares;
}

}  // namespace laconic::test
