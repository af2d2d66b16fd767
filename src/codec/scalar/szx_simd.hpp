// SPDX-License-Identifier: BSD-3-Clause
// What szx needs beyond the scalar vocabulary: extremes, residuals from a mid-range, lanes that repeat. The reference
// that the other engines are tested against.
#pragma once

#include "codec/scalar/simd.hpp"

namespace laconic::codec {
namespace {

struct scalar_szx_simd : scalar_simd {
    /// Smallest and largest of the lanes that are not NaN; +inf and -inf when all are.
    template <class T>
    static void find_extremes(const values<T>& x, T& low, T& high) noexcept {
        low = std::numeric_limits<T>::infinity();
        high = -low;
        for (const T v : x) {
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    }
    template <class T>
    static values<T> splat(T v) noexcept {
        values<T> all;
        all.fill(v);
        return all;
    }
    template <class T>
    static values<T> minus(const std::array<T, lanes>& x, const std::array<T, lanes>& center) noexcept {
        std::array<T, lanes> residual;
        for (std::size_t i = 0; i < lanes; ++i) residual[i] = x[i] - center[i];
        return residual;
    }
    /// center + real * step
    template <class T>
    static values<T> restored(const std::array<T, lanes>& real, const std::array<T, lanes>& center,
                              const rule<T>& how) noexcept {
        std::array<T, lanes> y;
        for (std::size_t i = 0; i < lanes; ++i) y[i] = center[i] + real[i] * how.step;
        return y;
    }
    /// Some lane is further from y than the limit, or not a number.
    template <class T>
    static bool strays(const std::array<T, lanes>& x, const std::array<T, lanes>& y, const rule<T>& how) noexcept {
        bool found = false;
        for (std::size_t i = 0; i < lanes; ++i) found |= !(std::abs(x[i] - y[i]) <= how.limit);
        return found;
    }
    /// Some lane strays or is -0.0.
    template <class T>
    static bool stands_out(const std::array<T, lanes>& x, const std::array<T, lanes>& y, const rule<T>& how) noexcept {
        bool found = strays(x, y, how);
        for (const T v : x) found |= v == 0 && std::signbit(v);
        return found;
    }

    /// Mask of the lanes that differ from the one before; bit 0 means nothing.
    static std::uint32_t changes(const ints& q) noexcept {
        std::uint32_t mask = 0;
        for (std::size_t i = 1; i < lanes; ++i) mask |= static_cast<std::uint32_t>(q[i] != q[i - 1]) << i;
        return mask;
    }
    /// The bits that the mask selects, moved together.
    static std::uint32_t gather_bits(std::uint32_t bits, std::uint32_t mask) noexcept {
        std::uint32_t found = 0;
        for (unsigned i = 0; mask != 0; mask &= mask - 1, ++i) found |= ((bits >> __builtin_ctz(mask)) & 1U) << i;
        return found;
    }
    /// Bit i of the result is the one that gather_bits took from the nearest lane of the mask at or below i.
    static std::uint32_t spread_bits(std::uint32_t bits, std::uint32_t mask) noexcept {
        std::uint32_t all = 0;
        for (; mask != 0; mask &= mask - 1, bits >>= 1) {
            const std::uint32_t from_here = ~std::uint32_t{0} << __builtin_ctz(mask);
            all = (bits & 1U) != 0 ? all | from_here : all & ~from_here;
        }
        return all;
    }
};

}  // namespace
}  // namespace laconic::codec
