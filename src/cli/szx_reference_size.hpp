// SPDX-License-Identifier: BSD-3-Clause
// The size that the published SZx would reach: a field and a bound flow in, a byte count flows out. It is the
// yardstick for our own szx; nothing is encoded. (Yu et al., HPDC'22; block size 128 as in its default.)
//
// Per block one state bit. Constant blocks (all values within e of the mid-range): the mid-range. Others: one byte of
// required length, the mid-range, a 2-bit code per value for the leading bytes it shares with its predecessor, and the
// bytes of its residual that remain up to the required length. Headers and the random-access index (2 bytes a block in
// some versions) are left out, in the reference's favour.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace laconic::cli {

inline constexpr std::size_t szx_reference_block_values = 128;

/// The exponent of the power of two at or below |v| > 0.
[[nodiscard]] inline int szx_reference_exponent(double v) { return std::ilogb(v); }

/// Bytes of one block without its state bit. Precondition: e > 0, 1..128 values.
template <class T>
[[nodiscard]] std::uint64_t szx_reference_block_size(std::span<const T> block, double e) {
    using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int type_bits = sizeof(T) * 8;
    constexpr int head_bits = sizeof(T) == 4 ? 9 : 12;  // sign and exponent
    const auto [low, high] = std::minmax_element(block.begin(), block.end());
    T middle = static_cast<T>((static_cast<double>(*low) + static_cast<double>(*high)) / 2);
    const auto radius = static_cast<double>(*high) - static_cast<double>(middle);
    if (radius <= e) return sizeof(T);
    int required = type_bits + 1;
    if (std::isfinite(radius))
        required = std::max(head_bits, head_bits + 1 + szx_reference_exponent(radius) - szx_reference_exponent(e));
    if (required > type_bits) {
        required = type_bits;
        middle = 0;
    }
    const auto stored = static_cast<unsigned>((required + 7) / 8);
    const unsigned shift = stored * 8 - static_cast<unsigned>(required);
    std::uint64_t bytes = 1 + sizeof(T) + (block.size() + 3) / 4;
    bits_type before = 0;
    for (const T x : block) {
        const bits_type now = std::bit_cast<bits_type>(static_cast<T>(x - middle)) >> shift;
        const auto shared = static_cast<unsigned>(std::countl_zero(static_cast<bits_type>(now ^ before))) / 8;
        bytes += stored - std::min({shared, 3U, stored});
        before = now;
    }
    return bytes;
}

/// Precondition: e > 0.
template <class T>
[[nodiscard]] std::uint64_t szx_reference_size(std::span<const T> values, double e) {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    for (std::size_t first = 0; first < values.size(); first += szx_reference_block_values, ++blocks)
        bytes += szx_reference_block_size(
            values.subspan(first, std::min(szx_reference_block_values, values.size() - first)), e);
    return bytes + (blocks + 7) / 8;
}

}  // namespace laconic::cli
