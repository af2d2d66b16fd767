// SPDX-License-Identifier: BSD-3-Clause
// The vector vocabulary in plain C++: 32 lanes as arrays. The reference that the other engines are tested against.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "codec/fle.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

struct scalar_simd {
    static constexpr std::size_t lanes = block_values;
    template <class T>
    using values = std::array<T, lanes>;
    using ints = std::array<std::int32_t, lanes>;
    using words = std::array<std::int16_t, lanes>;
    using carry = std::int32_t;
    template <class R>
    struct rule {
        R step, inverse, limit;
    };

    template <class T>
    static rule<real_type<T>> prepare(const quantiser<T>& how) noexcept {
        return {how.step, how.inverse, how.limit};
    }
    template <class T>
    static values<real_type<T>> load(const std::byte* from) noexcept {
        values<real_type<T>> x;
        for (std::size_t i = 0; i < lanes; ++i) x[i] = load_real<T>(from + i * sizeof(T));
        return x;
    }
    template <class T>
    static void store(std::byte* to, const values<real_type<T>>& v) noexcept {
        for (std::size_t i = 0; i < lanes; ++i) store_as(to + i * sizeof(T), T(v[i]));
    }
    static ints load_ints(const std::int32_t* from) noexcept {
        ints v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static void store_ints(std::int32_t* to, const ints& v) noexcept { std::memcpy(to, &v, sizeof v); }
    static void copy64(const std::byte* from, std::byte* to) noexcept { std::memmove(to, from, 64); }

    // Integers out of reach become INT32_MIN, as the processors' own conversions do.
    template <class T>
    static ints quantise(const values<T>& x, const rule<T>& how) noexcept {
        ints q;
        for (std::size_t i = 0; i < lanes; ++i) {
            const T scaled = x[i] * how.inverse;
            q[i] = std::abs(scaled) < T{1 << 30} ? static_cast<std::int32_t>(std::nearbyint(scaled))
                                                 : std::numeric_limits<std::int32_t>::min();
        }
        return q;
    }
    template <class T>
    static values<T> to_real(const ints& q) noexcept {
        values<T> real;
        for (std::size_t i = 0; i < lanes; ++i) real[i] = static_cast<T>(q[i]);
        return real;
    }
    template <class T>
    static bool misses(const values<T>& x, const values<T>& real, const rule<T>& how) noexcept {
        bool missed = false;
        for (std::size_t i = 0; i < lanes; ++i) missed |= !(std::abs(x[i] - real[i] * how.step) <= how.limit);
        return missed;
    }
    /// Some lane misses the bound or is -0.0.
    template <class T>
    static bool is_odd(const values<T>& x, const values<T>& real, const rule<T>& how) noexcept {
        bool odd = misses(x, real, how);
        for (std::size_t i = 0; i < lanes; ++i) odd |= x[i] == 0 && std::signbit(x[i]);
        return odd;
    }

    template <class T>
    using peak = T;
    template <class T>
    static T no_peak() noexcept {
        return 0;
    }
    template <class T>
    static void raise(T& highest, const ints&, const values<T>& real) noexcept {
        for (const T v : real) highest = std::abs(v) > highest ? std::abs(v) : highest;
    }
    template <class T>
    static std::uint64_t highest(T peak) noexcept {
        return static_cast<std::uint64_t>(peak);
    }

    static carry carry_of(std::int32_t q) noexcept { return q; }
    static carry last(const ints& q) noexcept { return q[lanes - 1]; }
    static std::int32_t first(const ints& q) noexcept { return q[0]; }
    static ints zero() noexcept { return {}; }

    static std::int32_t wrap(std::uint32_t v) noexcept { return static_cast<std::int32_t>(v); }
    static std::uint32_t bits(std::int32_t v) noexcept { return static_cast<std::uint32_t>(v); }
    static ints deltas(const ints& q, carry before) noexcept {
        ints d;
        for (std::size_t i = 0; i < lanes; ++i) d[i] = wrap(bits(q[i]) - bits(i == 0 ? before : q[i - 1]));
        return d;
    }
    /// Running sums from `before`, which becomes the last of them.
    static ints prefix(const ints& d, carry& before) noexcept {
        ints q;
        for (std::size_t i = 0; i < lanes; ++i) q[i] = before = wrap(bits(before) + bits(d[i]));
        return q;
    }
    /// The same from planes of width <= prefix16_width.
    static ints prefix_words(const std::byte* at, unsigned width, carry& before) noexcept {
        return prefix(width == 0 ? zero() : widen(get_words(at, width)), before);
    }
    static ints add(const ints& a, const ints& b) noexcept {
        ints sum;
        for (std::size_t i = 0; i < lanes; ++i) sum[i] = wrap(bits(a[i]) + bits(b[i]));
        return sum;
    }
    static words add(const words& a, const words& b) noexcept {
        words sum;
        for (std::size_t i = 0; i < lanes; ++i) sum[i] = static_cast<std::int16_t>(a[i] + b[i]);
        return sum;
    }

    static ints subtract(const ints& a, const ints& b) noexcept {
        ints difference;
        for (std::size_t i = 0; i < lanes; ++i) difference[i] = wrap(bits(a[i]) - bits(b[i]));
        return difference;
    }
    static words subtract(const words& a, const words& b) noexcept {
        words difference;
        for (std::size_t i = 0; i < lanes; ++i) difference[i] = static_cast<std::int16_t>(a[i] - b[i]);
        return difference;
    }
    static ints multiply(const ints& a, std::int32_t factor) noexcept {
        ints product;
        for (std::size_t i = 0; i < lanes; ++i) product[i] = wrap(bits(a[i]) * bits(factor));
        return product;
    }
    static ints smaller(const ints& a, const ints& b) noexcept {
        ints least;
        for (std::size_t i = 0; i < lanes; ++i) least[i] = b[i] < a[i] ? b[i] : a[i];
        return least;
    }
    static ints larger(const ints& a, const ints& b) noexcept {
        ints most;
        for (std::size_t i = 0; i < lanes; ++i) most[i] = b[i] > a[i] ? b[i] : a[i];
        return most;
    }

    static bool fits(const ints& d, std::uint32_t half) noexcept {
        std::uint32_t out = 0;
        for (const std::int32_t v : d) out |= (bits(v) + half) & ~(2 * half - 1);
        return out == 0;
    }
    static bool fits15(const ints& d) noexcept { return fits(d, 1U << 14); }
    static bool fits16(const ints& d) noexcept { return fits(d, 1U << 15); }
    static words low_words(const ints& d) noexcept {
        words w;
        for (std::size_t i = 0; i < lanes; ++i) w[i] = static_cast<std::int16_t>(d[i]);
        return w;
    }
    static words high_words(const ints& d) noexcept {
        words w;
        for (std::size_t i = 0; i < lanes; ++i) w[i] = static_cast<std::int16_t>(d[i] >> 16);
        return w;
    }
    static ints widen(const words& w) noexcept {
        ints d;
        for (std::size_t i = 0; i < lanes; ++i) d[i] = w[i];
        return d;
    }
    static ints join(const words& low, const words& high) noexcept {
        ints d;
        for (std::size_t i = 0; i < lanes; ++i) d[i] = wrap(static_cast<std::uint16_t>(low[i]) | bits(high[i]) << 16);
        return d;
    }

    /// Transposes 8 bytes as an 8x8 bit matrix: bit j of byte i becomes bit i of byte j.
    static std::uint64_t transpose(std::uint64_t m) noexcept {
        std::uint64_t t = (m ^ (m >> 7)) & 0x00AA00AA00AA00AAULL;
        m ^= t ^ (t << 7);
        t = (m ^ (m >> 14)) & 0x0000CCCC0000CCCCULL;
        m ^= t ^ (t << 14);
        t = (m ^ (m >> 28)) & 0x00000000F0F0F0F0ULL;
        return m ^ t ^ (t << 28);
    }
    /// Writes 16 planes; bit p of the result tells whether plane p differs from the one below it.
    static std::uint32_t put_words(const words& w, std::byte* at, std::uint32_t below) noexcept {
        std::array<std::uint32_t, 16> planes{};
        for (unsigned group = 0; group < 4; ++group) {
            std::uint64_t low = 0;
            std::uint64_t high = 0;
            for (unsigned i = 0; i < 8; ++i) {
                const auto word = static_cast<std::uint16_t>(w[group * 8 + i]);
                low |= std::uint64_t{word & 0xFFU} << (8 * i);
                high |= std::uint64_t{static_cast<unsigned>(word >> 8)} << (8 * i);
            }
            low = transpose(low);
            high = transpose(high);
            for (unsigned p = 0; p < 8; ++p) {
                planes[p] |= static_cast<std::uint32_t>((low >> (8 * p)) & 0xFF) << (8 * group);
                planes[p + 8] |= static_cast<std::uint32_t>((high >> (8 * p)) & 0xFF) << (8 * group);
            }
        }
        std::uint32_t changed = 0;
        for (unsigned p = 0; p < 16; ++p) {
            changed |= static_cast<std::uint32_t>(planes[p] != below) << p;
            below = planes[p];
        }
        store_as(at, planes);
        return changed;
    }
    static unsigned width_from(std::uint32_t changed) noexcept {
        return changed == 0 ? 0 : 32U - static_cast<unsigned>(__builtin_clz(changed));
    }
    static unsigned put16(const ints& d, std::byte* at) noexcept { return width_from(put_words(low_words(d), at, 0)); }
    /// Reads 1..16 planes, sign-extended.
    static words get_words(const std::byte* at, unsigned width) noexcept {
        std::array<std::uint32_t, 16> planes;
        for (unsigned p = 0; p < 16; ++p)
            planes[p] = load_as<std::uint32_t>(at + std::size_t{4} * (p < width ? p : width - 1));
        words w;
        for (unsigned group = 0; group < 4; ++group) {
            std::uint64_t low = 0;
            std::uint64_t high = 0;
            for (unsigned p = 0; p < 8; ++p) {
                low |= std::uint64_t{(planes[p] >> (8 * group)) & 0xFF} << (8 * p);
                high |= std::uint64_t{(planes[p + 8] >> (8 * group)) & 0xFF} << (8 * p);
            }
            low = transpose(low);
            high = transpose(high);
            for (unsigned i = 0; i < 8; ++i)
                w[group * 8 + i] =
                    static_cast<std::int16_t>(((low >> (8 * i)) & 0xFF) | ((high >> (8 * i)) & 0xFF) << 8);
        }
        return w;
    }

    template <class T, bool Wide>
    static T scale_of(T step) noexcept {
        return step;
    }
    template <class T, bool Wide>
    static values<T> restore(const ints& q, T step) noexcept {
        values<T> y;
        for (std::size_t i = 0; i < lanes; ++i) {
            if constexpr (Wide)
                y[i] = static_cast<T>(static_cast<double>(q[i]) * static_cast<double>(step));
            else
                y[i] = static_cast<T>(q[i]) * step;
        }
        return y;
    }

    template <class T>
    struct running_range {
        T min = std::numeric_limits<T>::infinity();
        T max = -std::numeric_limits<T>::infinity();
        bool nonfinite = false;
    };
    template <class T>
    static running_range<T> no_range() noexcept {
        return {};
    }
    template <class T>
    static void extend(running_range<T>& range, const values<T>& x) noexcept {
        for (const T v : x) {
            const bool finite = std::abs(v) < std::numeric_limits<T>::infinity();
            range.nonfinite |= !finite;
            if (finite && v < range.min) range.min = v;
            if (finite && v > range.max) range.max = v;
        }
    }
    template <class T>
    static value_range<T> finish(const running_range<real_type<T>>& range, const std::byte* values,
                                 std::size_t count) noexcept {
        return range_from<T>(range.min, range.max, range.nonfinite, values, count);
    }
};

}  // namespace
}  // namespace laconic::codec
