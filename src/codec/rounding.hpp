// SPDX-License-Identifier: BSD-3-Clause
// Sums that are rounded to an element type once: what an addition loses, rounding to odd on the way, and when double
// precision is enough for it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "codec/quad.hpp"
#include "laconic/codec.hpp"

namespace laconic::codec {

/// a + b rounded to nearest, and what that lost, exactly.
template <class Real>
Real two_sum(Real a, Real b, Real& lost) noexcept {
    const Real sum = a + b;
    const Real back = sum - a;
    lost = (a - (sum - back)) + (b - back);
    return sum;
}

/// a + b + c rounded to odd: rounding that to T is rounding the exact sum to T, once.
inline quad sum_to_odd(quad a, quad b, quad c) noexcept {
    quad lost_first;
    quad lost_second;
    quad lost;
    const quad first = two_sum(b, c, lost_first);
    const quad second = two_sum(first, a, lost_second);
    if (!(second - second == 0)) return second;  // NaN or infinite
    if (lost_first == 0 && lost_second == 0) return second;
    const quad sum = two_sum(second, lost_first + lost_second, lost);
    if (lost == 0) return sum;
    static_assert(sizeof(quad) == 16);
    std::array<std::uint64_t, 2> bits;
    std::memcpy(bits.data(), &sum, sizeof bits);
    if ((bits[0] & 1) != 0) return sum;
    // The neighbour on the side of what was lost is the odd one.
    const bool outwards = (lost > 0) == (sum > 0);
    if (outwards) {
        bits[0] += 1;  // even, so there is no carry
    } else {
        bits[1] -= bits[0] == 0;
        bits[0] -= 1;
    }
    quad odd;
    std::memcpy(&odd, bits.data(), sizeof odd);
    return odd;
}

/// x, rounded to odd, on its way to T: a 16-bit T is rounded to from float, which has to be odd, too.
template <class T>
real_type<T> narrowed(quad x) noexcept {
    const auto nearest = static_cast<real_type<T>>(x);
    if constexpr (sizeof(T) == 2) {
        std::uint32_t bits;
        std::memcpy(&bits, &nearest, sizeof bits);
        const quad lost = x - static_cast<quad>(nearest);
        // Beyond the largest number, which is odd, it has lost all.
        if (lost != 0 && lost == lost && (bits & 1) == 0)
            return std::nextafter(
                nearest, lost > 0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
    }
    return nearest;
}

/// Whether y, q * step + raw as double precision has it, is the float that the exact sum rounds to: quad
/// precision, which is slow, is for the few that lie near the middle of two floats, for zeros, and for what is not
/// finite.
inline bool is_surely_rounded(std::int64_t q, float step, double raw, float& y) noexcept {
    if (q != static_cast<std::int32_t>(q)) return false;
    // Either product has at most 40 bits.
    const double upper = static_cast<double>(q & ~std::int64_t{0xffff}) * static_cast<double>(step);
    const double lower = static_cast<double>(q & 0xffff) * static_cast<double>(step);
    double product_rest;
    double sum_rest;
    const double product = two_sum(upper, lower, product_rest);
    const double sum = two_sum(product, raw, sum_rest);
    const double near = sum + (sum_rest + product_rest);
    const double margin = 0x1p-50 * (std::fabs(near) + std::fabs(sum_rest) + std::fabs(product_rest));
    y = static_cast<float>(near - margin);
    return y == static_cast<float>(near + margin) && y != 0 && std::isfinite(y);
}

}  // namespace laconic::codec
