// SPDX-License-Identifier: BSD-3-Clause
// The vector vocabulary in AVX2: 32 lanes are four registers of 32-bit integers or two of 16-bit words.
#pragma once

#include "codec/avx2/half.hpp"
#include "codec/avx2/planes.hpp"
#include "codec/fle.hpp"

namespace laconic::codec {
namespace {

struct f32_lanes {
    __m256 v[4];
};
struct f64_lanes {
    __m256d v[8];
};
template <class T>
struct lanes_of;
template <>
struct lanes_of<float> {
    using type = f32_lanes;
};
template <>
struct lanes_of<double> {
    using type = f64_lanes;
};
struct f32_rule {
    __m256 inverse, step, limit;
};
struct f64_rule {
    __m256d inverse, step, limit;
};
struct f32_range {
    __m256 min, max, finite;
};
struct f64_range {
    __m256d min, max, finite;
};

struct avx2_simd {
    template <class T>
    using values = typename lanes_of<T>::type;
    struct ints {
        __m256i v[4];
    };
    struct words {
        __m256i a, b;
    };
    using carry = __m256i;  // its last lane, or all of them, hold the integer before the block

    template <class T>
    static LACONIC_INLINE f32_rule prepare(const quantiser<T>& how) noexcept {
        return {_mm256_set1_ps(how.inverse), _mm256_set1_ps(how.step), _mm256_set1_ps(how.limit)};
    }
    static LACONIC_INLINE f64_rule prepare(const quantiser<double>& how) noexcept {
        return {_mm256_set1_pd(how.inverse), _mm256_set1_pd(how.step), _mm256_set1_pd(how.limit)};
    }

    static LACONIC_INLINE const float* floats(const std::byte* from) noexcept {
        return reinterpret_cast<const float*>(from);
    }
    static LACONIC_INLINE const double* doubles(const std::byte* from) noexcept {
        return reinterpret_cast<const double*>(from);
    }
    template <class T>
    static LACONIC_INLINE values<real_type<T>> load(const std::byte* from) noexcept {
        values<real_type<T>> x;
        if constexpr (sizeof(T) == 8)
            for (int i = 0; i < 8; ++i) x.v[i] = _mm256_loadu_pd(doubles(from) + 4 * i);
        else if constexpr (sizeof(T) == 4)
            for (int i = 0; i < 4; ++i) x.v[i] = _mm256_loadu_ps(floats(from) + 8 * i);
        else
            for (int i = 0; i < 4; ++i) x.v[i] = widen_floats<T>(from + 16 * i);
        return x;
    }
    template <class T>
    static LACONIC_INLINE void store(std::byte* to, const values<real_type<T>>& y) noexcept {
        if constexpr (sizeof(T) == 8)
            for (int i = 0; i < 8; ++i) _mm256_storeu_pd(reinterpret_cast<double*>(to) + 4 * i, y.v[i]);
        else if constexpr (sizeof(T) == 4)
            for (int i = 0; i < 4; ++i) _mm256_storeu_ps(reinterpret_cast<float*>(to) + 8 * i, y.v[i]);
        else
            for (int i = 0; i < 4; ++i) narrow_floats<T>(to + 16 * i, y.v[i]);
    }
    static LACONIC_INLINE ints load_ints(const std::int32_t* from) noexcept {
        const auto* const bytes = reinterpret_cast<const std::byte*>(from);
        return {{load32(bytes), load32(bytes + 32), load32(bytes + 64), load32(bytes + 96)}};
    }
    static LACONIC_INLINE void store_ints(std::int32_t* to, const ints& v) noexcept {
        for (int i = 0; i < 4; ++i) store32(reinterpret_cast<std::byte*>(to) + 32 * i, v.v[i]);
    }
    static LACONIC_INLINE void copy64(const std::byte* from, std::byte* to) noexcept {
        store32(to, load32(from));
        store32(to + 32, load32(from + 32));
    }

    static LACONIC_INLINE ints quantise(const f32_lanes& x, const f32_rule& how) noexcept {
        ints q;
        for (int i = 0; i < 4; ++i) q.v[i] = _mm256_cvtps_epi32(_mm256_mul_ps(x.v[i], how.inverse));
        return q;
    }
    static LACONIC_INLINE ints quantise(const f64_lanes& x, const f64_rule& how) noexcept {
        ints q;
        for (int i = 0; i < 4; ++i)
            q.v[i] = _mm256_set_m128i(_mm256_cvtpd_epi32(_mm256_mul_pd(x.v[2 * i + 1], how.inverse)),
                                      _mm256_cvtpd_epi32(_mm256_mul_pd(x.v[2 * i], how.inverse)));
        return q;
    }
    template <class T>
    static LACONIC_INLINE values<T> to_real(const ints& q) noexcept {
        values<T> real;
        for (int i = 0; i < 4; ++i) {
            if constexpr (sizeof(T) == 4) {
                real.v[i] = _mm256_cvtepi32_ps(q.v[i]);
            } else {
                real.v[2 * i] = _mm256_cvtepi32_pd(_mm256_castsi256_si128(q.v[i]));
                real.v[2 * i + 1] = _mm256_cvtepi32_pd(_mm256_extracti128_si256(q.v[i], 1));
            }
        }
        return real;
    }

    static LACONIC_INLINE __m256i miss_mask(const f32_lanes& x, const f32_lanes& real, const f32_rule& how) noexcept {
        const __m256 sign = _mm256_set1_ps(-0.0F);
        __m256 missed = _mm256_setzero_ps();
        for (int i = 0; i < 4; ++i) {
            const __m256 size = _mm256_andnot_ps(sign, _mm256_sub_ps(x.v[i], _mm256_mul_ps(real.v[i], how.step)));
            missed = _mm256_or_ps(missed, _mm256_cmp_ps(size, how.limit, _CMP_NLE_UQ));
        }
        return _mm256_castps_si256(missed);
    }
    static LACONIC_INLINE __m256i miss_mask(const f64_lanes& x, const f64_lanes& real, const f64_rule& how) noexcept {
        const __m256d sign = _mm256_set1_pd(-0.0);
        __m256d missed = _mm256_setzero_pd();
        for (int i = 0; i < 8; ++i) {
            const __m256d size = _mm256_andnot_pd(sign, _mm256_sub_pd(x.v[i], _mm256_mul_pd(real.v[i], how.step)));
            missed = _mm256_or_pd(missed, _mm256_cmp_pd(size, how.limit, _CMP_NLE_UQ));
        }
        return _mm256_castpd_si256(missed);
    }
    // -0.0 is the smallest of all bit patterns read as signed integers.
    static LACONIC_INLINE __m256i negative_zero_mask(const f32_lanes& x) noexcept {
        const auto bits = [&x](int i) { return _mm256_castps_si256(x.v[i]); };
        const __m256i least = _mm256_min_epi32(_mm256_min_epi32(bits(0), bits(1)), _mm256_min_epi32(bits(2), bits(3)));
        return _mm256_cmpeq_epi32(least, _mm256_set1_epi32(static_cast<int>(0x80000000U)));
    }
    static LACONIC_INLINE __m256i negative_zero_mask(const f64_lanes& x) noexcept {
        const __m256i zero = _mm256_castpd_si256(_mm256_set1_pd(-0.0));
        __m256i found = _mm256_setzero_si256();
        for (int i = 0; i < 8; ++i)
            found = _mm256_or_si256(found, _mm256_cmpeq_epi64(_mm256_castpd_si256(x.v[i]), zero));
        return found;
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool misses(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        const __m256i missed = miss_mask(x, real, how);
        return _mm256_testz_si256(missed, missed) == 0;
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool is_odd(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        const __m256i odd = _mm256_or_si256(miss_mask(x, real, how), negative_zero_mask(x));
        return _mm256_testz_si256(odd, odd) == 0;
    }

    template <class T>
    static LACONIC_INLINE __m256i no_peak() noexcept {
        return _mm256_setzero_si256();
    }
    template <class Lanes>
    static LACONIC_INLINE void raise(__m256i& peak, const ints& q, const Lanes&) noexcept {
        for (const __m256i& part : q.v) peak = _mm256_max_epu32(peak, _mm256_abs_epi32(part));
    }
    template <class T>
    static LACONIC_INLINE std::uint64_t highest(__m256i peak) noexcept {
        alignas(32) std::uint32_t lanes[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), peak);
        std::uint32_t most = 0;
        for (const std::uint32_t lane : lanes) most = lane > most ? lane : most;
        return most;
    }

    static LACONIC_INLINE carry carry_of(std::int32_t q) noexcept { return _mm256_set1_epi32(q); }
    static LACONIC_INLINE carry last(const ints& q) noexcept { return q.v[3]; }
    static LACONIC_INLINE std::int32_t first(const ints& q) noexcept { return _mm256_extract_epi32(q.v[0], 0); }
    static LACONIC_INLINE ints zero() noexcept {
        const __m256i none = _mm256_setzero_si256();
        return {{none, none, none, none}};
    }

    static LACONIC_INLINE ints deltas(const ints& q, carry before) noexcept {
        const __m256i rotate = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
        ints d;
        __m256i last_rotated = _mm256_permutevar8x32_epi32(before, rotate);
        for (int i = 0; i < 4; ++i) {
            const __m256i rotated = _mm256_permutevar8x32_epi32(q.v[i], rotate);
            d.v[i] = _mm256_sub_epi32(q.v[i], _mm256_blend_epi32(rotated, last_rotated, 1));
            last_rotated = rotated;
        }
        return d;
    }
    static LACONIC_INLINE ints prefix(const ints& d, carry& before) noexcept {
        ints q;
        for (int i = 0; i < 4; ++i) {
            __m256i x = d.v[i];
            x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
            x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
            const __m256i lane_sum = _mm256_shuffle_epi32(x, 0xFF);
            x = _mm256_add_epi32(x, _mm256_permute2x128_si256(lane_sum, lane_sum, 0x08));
            q.v[i] = _mm256_add_epi32(x, before);
            before = _mm256_add_epi32(before, broadcast_last(x));
        }
        return q;
    }
    static LACONIC_INLINE __m256i prefix_lane(__m256i x) noexcept {
        x = _mm256_add_epi16(x, _mm256_slli_si256(x, 2));
        x = _mm256_add_epi16(x, _mm256_slli_si256(x, 4));
        x = _mm256_add_epi16(x, _mm256_slli_si256(x, 8));
        const __m256i lane_sum = _mm256_shuffle_epi8(x, _mm256_set1_epi16(0x0F0E));
        return _mm256_add_epi16(x, _mm256_permute2x128_si256(lane_sum, lane_sum, 0x08));
    }
    static LACONIC_INLINE ints prefix_words(const std::byte* at, unsigned width, carry& before) noexcept {
        if (width == 0) return {{before, before, before, before}};
        words w = get_words(at, width);
        w.a = prefix_lane(w.a);
        const __m256i half_sum = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(w.a, _mm256_set1_epi16(0x0F0E)), 0xFF);
        w.b = _mm256_add_epi16(prefix_lane(w.b), half_sum);
        ints q = widen(w);
        const carry start = before;
        before = _mm256_add_epi32(before, broadcast_last(q.v[3]));
        for (__m256i& part : q.v) part = _mm256_add_epi32(part, start);
        return q;
    }
    static LACONIC_INLINE ints add(const ints& x, const ints& y) noexcept {
        ints sum;
        for (int i = 0; i < 4; ++i) sum.v[i] = _mm256_add_epi32(x.v[i], y.v[i]);
        return sum;
    }
    static LACONIC_INLINE words add(const words& x, const words& y) noexcept {
        return {_mm256_add_epi16(x.a, y.a), _mm256_add_epi16(x.b, y.b)};
    }

    static LACONIC_INLINE ints subtract(const ints& x, const ints& y) noexcept {
        ints difference;
        for (int i = 0; i < 4; ++i) difference.v[i] = _mm256_sub_epi32(x.v[i], y.v[i]);
        return difference;
    }
    static LACONIC_INLINE words subtract(const words& x, const words& y) noexcept {
        return {_mm256_sub_epi16(x.a, y.a), _mm256_sub_epi16(x.b, y.b)};
    }
    static LACONIC_INLINE ints multiply(const ints& x, std::int32_t factor) noexcept {
        ints product;
        for (int i = 0; i < 4; ++i) product.v[i] = _mm256_mullo_epi32(x.v[i], _mm256_set1_epi32(factor));
        return product;
    }
    static LACONIC_INLINE ints smaller(const ints& x, const ints& y) noexcept {
        ints least;
        for (int i = 0; i < 4; ++i) least.v[i] = _mm256_min_epi32(x.v[i], y.v[i]);
        return least;
    }
    static LACONIC_INLINE ints larger(const ints& x, const ints& y) noexcept {
        ints most;
        for (int i = 0; i < 4; ++i) most.v[i] = _mm256_max_epi32(x.v[i], y.v[i]);
        return most;
    }

    static LACONIC_INLINE bool fits(const ints& d, int half) noexcept {
        const __m256i offset = _mm256_set1_epi32(half);
        __m256i any = _mm256_setzero_si256();
        for (const __m256i& part : d.v) any = _mm256_or_si256(any, _mm256_add_epi32(part, offset));
        return _mm256_testz_si256(any, _mm256_set1_epi32(-2 * half)) != 0;
    }
    static LACONIC_INLINE bool fits15(const ints& d) noexcept { return fits(d, 1 << 14); }
    static LACONIC_INLINE bool fits16(const ints& d) noexcept { return fits(d, 1 << 15); }

    /// The low halves of 16 ints that are below 2^16 as unsigned numbers.
    static LACONIC_INLINE __m256i pack(__m256i low, __m256i high) noexcept {
        return _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xD8);
    }
    static LACONIC_INLINE words low_words(const ints& d) noexcept {
        const __m256i mask = _mm256_set1_epi32(0xFFFF);
        const auto low = [&](int i) { return _mm256_and_si256(d.v[i], mask); };
        return {pack(low(0), low(1)), pack(low(2), low(3))};
    }
    static LACONIC_INLINE words high_words(const ints& d) noexcept {
        const auto high = [&](int i) { return _mm256_srli_epi32(d.v[i], 16); };
        return {pack(high(0), high(1)), pack(high(2), high(3))};
    }
    static LACONIC_INLINE ints widen(const words& w) noexcept {
        return {{_mm256_cvtepi16_epi32(_mm256_castsi256_si128(w.a)),
                 _mm256_cvtepi16_epi32(_mm256_extracti128_si256(w.a, 1)),
                 _mm256_cvtepi16_epi32(_mm256_castsi256_si128(w.b)),
                 _mm256_cvtepi16_epi32(_mm256_extracti128_si256(w.b, 1))}};
    }
    static LACONIC_INLINE ints join(const words& low, const words& high) noexcept {
        const auto one = [](__m128i l, __m128i h) {
            return _mm256_or_si256(_mm256_cvtepu16_epi32(l), _mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
        };
        return {{one(_mm256_castsi256_si128(low.a), _mm256_castsi256_si128(high.a)),
                 one(_mm256_extracti128_si256(low.a, 1), _mm256_extracti128_si256(high.a, 1)),
                 one(_mm256_castsi256_si128(low.b), _mm256_castsi256_si128(high.b)),
                 one(_mm256_extracti128_si256(low.b, 1), _mm256_extracti128_si256(high.b, 1))}};
    }

    static LACONIC_INLINE std::uint32_t put_words(const words& w, std::byte* at, std::uint32_t below) noexcept {
        const __m256i mask = _mm256_set1_epi16(0xFF);
        const auto bytes = [](__m256i a, __m256i b) {
            return _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xD8);
        };
        const __m256i low = bytes(_mm256_and_si256(w.a, mask), _mm256_and_si256(w.b, mask));
        const __m256i high = bytes(_mm256_srli_epi16(w.a, 8), _mm256_srli_epi16(w.b, 8));
        const __m256i low_planes = planes_of(low);
        store32(at, low_planes);
        const std::uint32_t low_changes = changes(low_planes, _mm256_set1_epi32(static_cast<int>(below)));
        const __m256i sign = _mm256_cmpgt_epi8(_mm256_setzero_si256(), low);
        const __m256i top = broadcast_last(low_planes);
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, sign)) == -1) {
            store32(at + 32, top);
            return low_changes;
        }
        const __m256i high_planes = planes_of(high);
        store32(at + 32, high_planes);
        return low_changes | changes(high_planes, top) << 8;
    }
    static LACONIC_INLINE unsigned width_from(std::uint32_t changed) noexcept { return 32U - _lzcnt_u32(changed); }
    static LACONIC_INLINE unsigned put16(const ints& d, std::byte* at) noexcept {
        return width_from(put_words(low_words(d), at, 0));
    }
    static LACONIC_INLINE words get_words(const std::byte* at, unsigned width) noexcept {
        const __m256i low = get_bytes(at, width < 8 ? width : 8);
        const __m256i high =
            width <= 8 ? _mm256_cmpgt_epi8(_mm256_setzero_si256(), low) : get_bytes(at + 32, width - 8);
        const __m256i l = _mm256_permute4x64_epi64(low, 0xD8);
        const __m256i h = _mm256_permute4x64_epi64(high, 0xD8);
        return {_mm256_unpacklo_epi8(l, h), _mm256_unpackhi_epi8(l, h)};
    }

    template <class T, bool Wide>
    static LACONIC_INLINE auto scale_of(T step) noexcept {
        if constexpr (Wide || sizeof(T) == 8)
            return _mm256_set1_pd(static_cast<double>(step));
        else
            return _mm256_set1_ps(step);
    }
    template <class T, bool Wide, class Scale>
    static LACONIC_INLINE values<T> restore(const ints& q, Scale scale) noexcept {
        values<T> y;
        if constexpr (sizeof(T) == 8) {
            y = to_real<double>(q);
            for (__m256d& part : y.v) part = _mm256_mul_pd(part, scale);
        } else if constexpr (Wide) {
            const f64_lanes exact = restore<double, false>(q, scale);
            for (int i = 0; i < 4; ++i)
                y.v[i] = _mm256_set_m128(_mm256_cvtpd_ps(exact.v[2 * i + 1]), _mm256_cvtpd_ps(exact.v[2 * i]));
        } else {
            y = to_real<float>(q);
            for (__m256& part : y.v) part = _mm256_mul_ps(part, scale);
        }
        return y;
    }

    template <class T>
    static LACONIC_INLINE auto no_range() noexcept {
        const __m256i all = _mm256_set1_epi32(-1);
        if constexpr (sizeof(T) == 4)
            return f32_range{_mm256_set1_ps(__builtin_inff()), _mm256_set1_ps(-__builtin_inff()),
                             _mm256_castsi256_ps(all)};
        else
            return f64_range{_mm256_set1_pd(__builtin_inf()), _mm256_set1_pd(-__builtin_inf()),
                             _mm256_castsi256_pd(all)};
    }
    // Non-finite lanes are replaced by the neutral element.
    static LACONIC_INLINE void extend(f32_range& range, const f32_lanes& x) noexcept {
        const __m256 infinity = _mm256_set1_ps(__builtin_inff());
        const __m256 sign = _mm256_set1_ps(-0.0F);
        for (const __m256& part : x.v) {
            const __m256 finite = _mm256_cmp_ps(_mm256_andnot_ps(sign, part), infinity, _CMP_LT_OQ);
            range.min = _mm256_min_ps(range.min, _mm256_blendv_ps(infinity, part, finite));
            range.max = _mm256_max_ps(range.max, _mm256_blendv_ps(_mm256_or_ps(infinity, sign), part, finite));
            range.finite = _mm256_and_ps(range.finite, finite);
        }
    }
    static LACONIC_INLINE void extend(f64_range& range, const f64_lanes& x) noexcept {
        const __m256d infinity = _mm256_set1_pd(__builtin_inf());
        const __m256d sign = _mm256_set1_pd(-0.0);
        for (const __m256d& part : x.v) {
            const __m256d finite = _mm256_cmp_pd(_mm256_andnot_pd(sign, part), infinity, _CMP_LT_OQ);
            range.min = _mm256_min_pd(range.min, _mm256_blendv_pd(infinity, part, finite));
            range.max = _mm256_max_pd(range.max, _mm256_blendv_pd(_mm256_or_pd(infinity, sign), part, finite));
            range.finite = _mm256_and_pd(range.finite, finite);
        }
    }
    template <class T>
    static LACONIC_INLINE value_range<T> finish(const f32_range& range, const std::byte* values,
                                                std::size_t count) noexcept {
        alignas(32) float low[8];
        alignas(32) float high[8];
        _mm256_store_ps(low, range.min);
        _mm256_store_ps(high, range.max);
        for (int i = 1; i < 8; ++i) {
            low[0] = low[i] < low[0] ? low[i] : low[0];
            high[0] = high[i] > high[0] ? high[i] : high[0];
        }
        return range_from<T>(low[0], high[0], _mm256_movemask_ps(range.finite) != 0xFF, values, count);
    }
    template <class T>
    static LACONIC_INLINE value_range<T> finish(const f64_range& range, const std::byte* values,
                                                std::size_t count) noexcept {
        alignas(32) double low[4];
        alignas(32) double high[4];
        _mm256_store_pd(low, range.min);
        _mm256_store_pd(high, range.max);
        for (int i = 1; i < 4; ++i) {
            low[0] = low[i] < low[0] ? low[i] : low[0];
            high[0] = high[i] > high[0] ? high[i] : high[0];
        }
        return range_from<T>(low[0], high[0], _mm256_movemask_pd(range.finite) != 0xF, values, count);
    }
};

}  // namespace
}  // namespace laconic::codec
