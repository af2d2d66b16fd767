// SPDX-License-Identifier: BSD-3-Clause
// The size that the cuSZp family's plain mode would reach: a field and a bound flow in, a byte count flows out. It is
// the yardstick for our own ratio; nothing is encoded. (cuSZp: Huang et al., SC'23.)
//
// Blocks of 32: q = round(x / 2e), first-order differences that start again from 0 in every block, one rate byte per
// block, and, unless all differences are 0, a sign map of 4 bytes and `rate` bit-planes of 4 bytes. Headers and
// offset tables are left out, in the reference's favour.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace laconic::cli {

inline constexpr std::size_t reference_block_values = 32;

/// Bytes for one block of up to 32 values; a shorter last block counts as filled up with zero differences. A block
/// the scheme cannot hold (not finite, or integers beyond 62 bits) counts as its raw values and a rate byte.
template <class T>
[[nodiscard]] std::uint64_t reference_block_size(std::span<const T> block, double e) {
    constexpr double largest = 0x1p62;
    std::int64_t previous = 0;
    std::uint64_t bits = 0;
    for (const T x : block) {
        const double scaled = std::nearbyint(static_cast<double>(x) / (2 * e));
        if (!(std::fabs(scaled) < largest)) return 1 + reference_block_values * sizeof(T);
        const auto q = static_cast<std::int64_t>(scaled);
        const std::int64_t difference = q - previous;
        bits |= static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
        previous = q;
    }
    const auto rate = static_cast<std::uint64_t>(std::bit_width(bits));
    return rate == 0 ? 1 : 1 + 4 + 4 * rate;
}

/// Precondition: e > 0.
template <class T>
[[nodiscard]] std::uint64_t reference_size(std::span<const T> values, double e) {
    std::uint64_t bytes = 0;
    for (std::size_t first = 0; first < values.size(); first += reference_block_values)
        bytes +=
            reference_block_size(values.subspan(first, std::min(reference_block_values, values.size() - first)), e);
    return bytes;
}

}  // namespace laconic::cli
