// SPDX-License-Identifier: BSD-3-Clause
// The two 16-bit floating-point types of MPI programs and training frameworks: a number's bits flow in and out; values
// are computed with in float. Arrays of any other 16-bit type of the same format may be reinterpreted as these.
#pragma once

#include <bit>
#include <cstdint>

namespace laconic {

/// IEEE 754 binary16.
struct half {
    std::uint16_t bits = 0;

    half() = default;
    /// Round to nearest, ties to even; overflow gives an infinity, NaN a quiet NaN.
    explicit constexpr half(float value) noexcept : bits(round(value)) {}
    /// Exact; the payload of a NaN is kept.
    explicit constexpr operator float() const noexcept {
        const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
        const std::uint32_t rest = bits & 0x7FFFU;
        if (rest >= 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U | (rest & 0x3FFU) << 13);
        // Scaling by 2^112 turns the biased exponent of binary16 into that of binary32, subnormals included.
        const float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112F;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
    }

private:
    static constexpr std::uint16_t round(float value) noexcept {
        const auto all = std::bit_cast<std::uint32_t>(value);
        const auto sign = static_cast<std::uint16_t>(all >> 16 & 0x8000U);
        const std::uint32_t rest = all & 0x7FFFFFFFU;
        if (rest > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U | (rest >> 13 & 0x3FFU));
        if (rest >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
        if (rest < 0x38800000U) {
            // Subnormal result: adding 0.5 leaves its bits, rounded by the addition, at the low end.
            const float aligned = std::bit_cast<float>(rest) + 0.5F;
            return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3F000000U));
        }
        const std::uint32_t odd = rest >> 13 & 1U;
        return static_cast<std::uint16_t>(sign | ((rest - 0x38000000U + 0xFFFU + odd) >> 13));
    }
};

/// The upper half of a binary32.
struct bfloat16 {
    std::uint16_t bits = 0;

    bfloat16() = default;
    /// Round to nearest, ties to even; overflow gives an infinity, NaN a quiet NaN.
    explicit constexpr bfloat16(float value) noexcept : bits(round(value)) {}
    /// Exact; the payload of a NaN is kept.
    explicit constexpr operator float() const noexcept {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    }

private:
    static constexpr std::uint16_t round(float value) noexcept {
        const auto all = std::bit_cast<std::uint32_t>(value);
        if ((all & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(all >> 16 | 0x40U);
        return static_cast<std::uint16_t>((all + 0x7FFFU + (all >> 16 & 1U)) >> 16);
    }
};

}  // namespace laconic
