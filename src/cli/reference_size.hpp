// SPDX-License-Identifier: BSD-3-Clause
// The sizes that published codecs of the family would reach: a field and a bound flow in, a byte count flows out. They
// are the yardsticks for our own ratio; nothing is encoded.
//
// Both code blocks of 32 differences of integers as one rate byte and, unless all differences are 0, a sign map of 4
// bytes and `rate` bit-planes of 4 bytes. They differ in the integers:
//   cuSZp, plain mode (Huang et al., SC'23)   q = round(x / 2e), differences start again from 0 in every block
//   fZ-light (of hZCCL, SC'24)                q = trunc(x / e), differences run along the whole array
// Headers and offset tables are left out, in the references' favour, and so are fZ-light's pieces per thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace laconic::cli {

inline constexpr std::size_t reference_block_values = 32;

/// Bytes of a block whose differences have these bits among their magnitudes.
[[nodiscard]] constexpr std::uint64_t coded_block_size(std::uint64_t bits) noexcept {
    const auto rate = static_cast<std::uint64_t>(std::bit_width(bits));
    return rate == 0 ? 1 : 1 + 4 + 4 * rate;
}

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
    return coded_block_size(bits);
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

/// The same for fZ-light; what it cannot hold counts as in reference_block_size, and the next difference is taken from
/// the last integer there was.
template <class T>
[[nodiscard]] std::uint64_t fz_light_size(std::span<const T> values, double e) {
    constexpr double largest = 0x1p62;
    std::uint64_t bytes = 0;
    std::int64_t previous = 0;
    while (!values.empty()) {
        const auto block = values.first(std::min(reference_block_values, values.size()));
        values = values.subspan(block.size());
        std::uint64_t bits = 0;
        bool fits = true;
        for (const T x : block) {
            const double scaled = std::trunc(static_cast<double>(x) / e);
            if (!(std::fabs(scaled) < largest)) {
                fits = false;
                continue;
            }
            const auto q = static_cast<std::int64_t>(scaled);
            const std::int64_t difference = q - previous;
            bits |= static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
            previous = q;
        }
        bytes += fits ? coded_block_size(bits) : 1 + reference_block_values * sizeof(T);
    }
    return bytes;
}

}  // namespace laconic::cli
