// SPDX-License-Identifier: BSD-3-Clause
// The vector vocabulary in AVX-512 (F, BW, VL, DQ, VBMI) with GFNI: 32 lanes are two registers of 32-bit integers or
// one of 16-bit words, and an 8x8 bit transposition is one gf2p8affine.
#pragma once

#include <immintrin.h>

#include "codec/avx512/half.hpp"
#include "codec/avx512/tables.hpp"
#include "codec/fle.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

struct f32_lanes {
    __m512 a, b;
};
struct f64_lanes {
    __m512d a, b, c, d;
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
    __m512 inverse, step;
    __m512i limit;
};
struct f64_rule {
    __m512d inverse, step;
    __m512i limit;
};

struct f32_range {
    __m512 min, max;
    __mmask16 finite;
};
struct f64_range {
    __m512d min, max;
    __mmask8 finite;
};

struct avx512_simd {
    template <class T>
    using values = typename lanes_of<T>::type;
    struct ints {
        __m512i a, b;
    };
    using words = __m512i;  // packed (see packed_place)
    using carry = __m512i;  // its last lane, or all of them, hold the integer before the block

    template <class T>
    static LACONIC_INLINE f32_rule prepare(const quantiser<T>& how) noexcept {
        return {_mm512_set1_ps(how.inverse), _mm512_set1_ps(how.step), _mm512_castps_si512(_mm512_set1_ps(how.limit))};
    }
    static LACONIC_INLINE f64_rule prepare(const quantiser<double>& how) noexcept {
        return {_mm512_set1_pd(how.inverse), _mm512_set1_pd(how.step), _mm512_castpd_si512(_mm512_set1_pd(how.limit))};
    }

    template <class T>
    static LACONIC_INLINE values<real_type<T>> load(const std::byte* from) noexcept {
        if constexpr (sizeof(T) == 8)
            return {_mm512_loadu_pd(from), _mm512_loadu_pd(from + 64), _mm512_loadu_pd(from + 128),
                    _mm512_loadu_pd(from + 192)};
        else if constexpr (sizeof(T) == 4)
            return {_mm512_loadu_ps(from), _mm512_loadu_ps(from + 64)};
        else
            return {widen_floats<T>(from), widen_floats<T>(from + 32)};
    }
    template <class T>
    static LACONIC_INLINE void store(std::byte* to, const values<real_type<T>>& v) noexcept {
        if constexpr (sizeof(T) == 8) {
            _mm512_storeu_pd(to, v.a);
            _mm512_storeu_pd(to + 64, v.b);
            _mm512_storeu_pd(to + 128, v.c);
            _mm512_storeu_pd(to + 192, v.d);
        } else if constexpr (sizeof(T) == 4) {
            _mm512_storeu_ps(to, v.a);
            _mm512_storeu_ps(to + 64, v.b);
        } else {
            narrow_floats<T>(to, v.a);
            narrow_floats<T>(to + 32, v.b);
        }
    }
    static LACONIC_INLINE ints load_ints(const std::int32_t* from) noexcept {
        return {_mm512_loadu_si512(from), _mm512_loadu_si512(from + 16)};
    }
    static LACONIC_INLINE void store_ints(std::int32_t* to, const ints& v) noexcept {
        _mm512_storeu_si512(to, v.a);
        _mm512_storeu_si512(to + 16, v.b);
    }
    static LACONIC_INLINE void copy64(const std::byte* from, std::byte* to) noexcept {
        _mm512_storeu_si512(to, _mm512_loadu_si512(from));
    }

    static LACONIC_INLINE __m512i pair(__m256i low, __m256i high) noexcept {
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    static LACONIC_INLINE __m256i low_half(__m512i v) noexcept { return _mm512_castsi512_si256(v); }
    static LACONIC_INLINE __m256i high_half(__m512i v) noexcept { return _mm512_extracti64x4_epi64(v, 1); }

    static LACONIC_INLINE ints quantise(const f32_lanes& x, const f32_rule& how) noexcept {
        return {_mm512_cvtps_epi32(_mm512_mul_ps(x.a, how.inverse)),
                _mm512_cvtps_epi32(_mm512_mul_ps(x.b, how.inverse))};
    }
    static LACONIC_INLINE ints quantise(const f64_lanes& x, const f64_rule& how) noexcept {
        return {pair(_mm512_cvtpd_epi32(_mm512_mul_pd(x.a, how.inverse)),
                     _mm512_cvtpd_epi32(_mm512_mul_pd(x.b, how.inverse))),
                pair(_mm512_cvtpd_epi32(_mm512_mul_pd(x.c, how.inverse)),
                     _mm512_cvtpd_epi32(_mm512_mul_pd(x.d, how.inverse)))};
    }
    template <class T>
    static LACONIC_INLINE values<T> to_real(const ints& q) noexcept {
        if constexpr (sizeof(T) == 4)
            return {_mm512_cvtepi32_ps(q.a), _mm512_cvtepi32_ps(q.b)};
        else
            return {_mm512_cvtepi32_pd(low_half(q.a)), _mm512_cvtepi32_pd(high_half(q.a)),
                    _mm512_cvtepi32_pd(low_half(q.b)), _mm512_cvtepi32_pd(high_half(q.b))};
    }

    // |x - r| as integers: magnitudes order as their bits do, and NaN lies above every limit.
    static LACONIC_INLINE __m512i miss(__m512 x, __m512 real, const f32_rule& how) noexcept {
        const __m512 difference = _mm512_sub_ps(x, _mm512_mul_ps(real, how.step));
        return _mm512_and_si512(_mm512_castps_si512(difference), _mm512_set1_epi32(0x7FFFFFFF));
    }
    static LACONIC_INLINE __m512i miss(__m512d x, __m512d real, const f64_rule& how) noexcept {
        const __m512d difference = _mm512_sub_pd(x, _mm512_mul_pd(real, how.step));
        return _mm512_and_si512(_mm512_castpd_si512(difference), _mm512_set1_epi64(0x7FFFFFFFFFFFFFFF));
    }
    static LACONIC_INLINE __mmask16 miss_mask(const f32_lanes& x, const f32_lanes& real, const f32_rule& how) noexcept {
        return _mm512_cmpgt_epu32_mask(_mm512_max_epu32(miss(x.a, real.a, how), miss(x.b, real.b, how)), how.limit);
    }
    static LACONIC_INLINE __mmask8 miss_mask(const f64_lanes& x, const f64_lanes& real, const f64_rule& how) noexcept {
        const __m512i worst = _mm512_max_epu64(_mm512_max_epu64(miss(x.a, real.a, how), miss(x.b, real.b, how)),
                                               _mm512_max_epu64(miss(x.c, real.c, how), miss(x.d, real.d, how)));
        return _mm512_cmpgt_epu64_mask(worst, how.limit);
    }
    // -0.0 is the smallest of all bit patterns read as signed integers.
    static LACONIC_INLINE __mmask16 negative_zero_mask(const f32_lanes& x) noexcept {
        const __m512i least = _mm512_min_epi32(_mm512_castps_si512(x.a), _mm512_castps_si512(x.b));
        return _mm512_cmpeq_epi32_mask(least, _mm512_set1_epi32(static_cast<int>(0x80000000U)));
    }
    static LACONIC_INLINE __mmask8 negative_zero_mask(const f64_lanes& x) noexcept {
        const __m512i least = _mm512_min_epi64(_mm512_min_epi64(_mm512_castpd_si512(x.a), _mm512_castpd_si512(x.b)),
                                               _mm512_min_epi64(_mm512_castpd_si512(x.c), _mm512_castpd_si512(x.d)));
        return _mm512_cmpeq_epi64_mask(least, _mm512_set1_epi64(static_cast<long long>(0x8000000000000000ULL)));
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool misses(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        return miss_mask(x, real, how) != 0;
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool is_odd(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        return (miss_mask(x, real, how) | negative_zero_mask(x)) != 0;
    }

    template <class T>
    static LACONIC_INLINE __m512i no_peak() noexcept {
        return _mm512_setzero_si512();
    }
    static LACONIC_INLINE void raise(__m512i& peak, const ints&, const f32_lanes& real) noexcept {
        constexpr int larger_magnitude = 0b1011;
        __m512 highest = _mm512_castsi512_ps(peak);
        highest = _mm512_range_ps(_mm512_range_ps(highest, real.a, larger_magnitude), real.b, larger_magnitude);
        peak = _mm512_castps_si512(highest);
    }
    static LACONIC_INLINE void raise(__m512i& peak, const ints& q, const f64_lanes&) noexcept {
        const __m512i larger = _mm512_max_epu32(_mm512_abs_epi32(q.a), _mm512_abs_epi32(q.b));
        peak = _mm512_max_epu32(peak, larger);
    }
    template <class T>
    static LACONIC_INLINE std::uint64_t highest(__m512i peak) noexcept {
        if constexpr (sizeof(T) == 4)
            return static_cast<std::uint64_t>(_mm512_reduce_max_ps(_mm512_castsi512_ps(peak)));
        else
            return _mm512_reduce_max_epu32(peak);
    }

    static LACONIC_INLINE carry carry_of(std::int32_t q) noexcept { return _mm512_set1_epi32(q); }
    static LACONIC_INLINE carry last(const ints& q) noexcept { return q.b; }
    static LACONIC_INLINE std::int32_t first(const ints& q) noexcept {
        return _mm_cvtsi128_si32(_mm512_castsi512_si128(q.a));
    }
    static LACONIC_INLINE ints zero() noexcept { return {_mm512_setzero_si512(), _mm512_setzero_si512()}; }

    static LACONIC_INLINE ints deltas(const ints& q, carry before) noexcept {
        return {_mm512_sub_epi32(q.a, _mm512_alignr_epi32(q.a, before, 15)),
                _mm512_sub_epi32(q.b, _mm512_alignr_epi32(q.b, q.a, 15))};
    }
    static LACONIC_INLINE __m512i prefix_lane(__m512i x) noexcept {
        const __m512i zero = _mm512_setzero_si512();
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
        return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
    }
    static LACONIC_INLINE __m512i broadcast_last(__m512i x) noexcept {
        return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), x);
    }
    static LACONIC_INLINE ints prefix(const ints& d, carry& before) noexcept {
        const __m512i a = prefix_lane(d.a);
        const __m512i b = _mm512_add_epi32(prefix_lane(d.b), broadcast_last(a));
        const ints q{_mm512_add_epi32(a, before), _mm512_add_epi32(b, before)};
        before = _mm512_add_epi32(before, broadcast_last(b));
        return q;
    }
    static LACONIC_INLINE ints prefix_words(const std::byte* at, unsigned width, carry& before) noexcept {
        if (width == 0) return {before, before};
        __m512i x = _mm512_permutexvar_epi8(table(tables.groups_to_words), get_groups(at, width));
        x = _mm512_add_epi16(x, _mm512_bslli_epi128(x, 2));
        x = _mm512_add_epi16(x, _mm512_bslli_epi128(x, 4));
        x = _mm512_add_epi16(x, _mm512_bslli_epi128(x, 8));
        // The sums of the 128-bit lanes below: first those of the neighbour, then those of the lower half.
        const __m512i neighbour = _mm512_set_epi16(23, 23, 23, 23, 23, 23, 23, 23, 15, 15, 15, 15, 15, 15, 15, 15, 7, 7,
                                                   7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0);
        x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(0xFF00FF00U, neighbour, x));
        const __m512i half = _mm512_set1_epi16(15);
        x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(0xFFFF0000U, half, x));
        const __m512i a = _mm512_cvtepi16_epi32(low_half(x));
        const __m512i b = _mm512_cvtepi16_epi32(high_half(x));
        const ints q{_mm512_add_epi32(a, before), _mm512_add_epi32(b, before)};
        before = _mm512_add_epi32(before, broadcast_last(b));
        return q;
    }
    static LACONIC_INLINE ints add(const ints& x, const ints& y) noexcept {
        return {_mm512_add_epi32(x.a, y.a), _mm512_add_epi32(x.b, y.b)};
    }
    static LACONIC_INLINE words add(words x, words y) noexcept { return _mm512_add_epi16(x, y); }

    static LACONIC_INLINE ints subtract(const ints& x, const ints& y) noexcept {
        return {_mm512_sub_epi32(x.a, y.a), _mm512_sub_epi32(x.b, y.b)};
    }
    static LACONIC_INLINE words subtract(words x, words y) noexcept { return _mm512_sub_epi16(x, y); }
    static LACONIC_INLINE ints multiply(const ints& x, std::int32_t factor) noexcept {
        const __m512i all = _mm512_set1_epi32(factor);
        return {_mm512_mullo_epi32(x.a, all), _mm512_mullo_epi32(x.b, all)};
    }
    static LACONIC_INLINE ints smaller(const ints& x, const ints& y) noexcept {
        return {_mm512_min_epi32(x.a, y.a), _mm512_min_epi32(x.b, y.b)};
    }
    static LACONIC_INLINE ints larger(const ints& x, const ints& y) noexcept {
        return {_mm512_max_epi32(x.a, y.a), _mm512_max_epi32(x.b, y.b)};
    }

    /// Tests may say no to integers that just fit: what follows then takes a longer way to the same result.
    static LACONIC_INLINE bool fits15(const ints& d) noexcept {
        // Clamped words keep the sign of integers that are out of range, so adding 2^14 makes those negative, too.
        const __m512i moved = _mm512_add_epi16(_mm512_packs_epi32(d.a, d.b), _mm512_set1_epi16(1 << 14));
        return _mm512_movepi16_mask(moved) == 0;
    }
    static LACONIC_INLINE bool fits16(const ints& d) noexcept { return fits15(d); }

    static LACONIC_INLINE words low_words(const ints& d) noexcept {
        if (fits15(d)) return _mm512_packs_epi32(d.a, d.b);
        const __m512i mask = _mm512_set1_epi32(0xFFFF);
        return _mm512_packus_epi32(_mm512_and_si512(d.a, mask), _mm512_and_si512(d.b, mask));
    }
    static LACONIC_INLINE words high_words(const ints& d) noexcept {
        return _mm512_packs_epi32(_mm512_srai_epi32(d.a, 16), _mm512_srai_epi32(d.b, 16));
    }
    static LACONIC_INLINE ints join(words low, words high) noexcept {
        return {_mm512_unpacklo_epi16(low, high), _mm512_unpackhi_epi16(low, high)};
    }
    static LACONIC_INLINE ints widen(words w) noexcept { return join(w, _mm512_srai_epi16(w, 15)); }

    /// Each qword as an 8x8 bit matrix, transposed (and its bytes taken in reverse order).
    static LACONIC_INLINE __m512i transpose(__m512i groups) noexcept {
        return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(static_cast<long long>(0x8040201008040201ULL)), groups,
                                             0);
    }
    static LACONIC_INLINE std::uint32_t put_groups(__m512i groups, std::byte* at, __m512i below) noexcept {
        const __m512i planes = _mm512_permutexvar_epi8(table(tables.groups_to_planes), transpose(groups));
        _mm512_storeu_si512(at, planes);
        return _mm512_cmpneq_epi32_mask(planes, _mm512_alignr_epi32(planes, below, 15));
    }
    static LACONIC_INLINE std::uint32_t put_words(words w, std::byte* at, std::uint32_t below) noexcept {
        return put_groups(_mm512_permutexvar_epi8(table(tables.words_to_groups), w), at,
                          _mm512_set1_epi32(static_cast<int>(below)));
    }
    static LACONIC_INLINE unsigned width_from(std::uint32_t changed) noexcept { return 32U - _lzcnt_u32(changed); }
    /// Precondition: fits16(d).
    static LACONIC_INLINE unsigned put16(const ints& d, std::byte* at) noexcept {
        return width_from(put_words(_mm512_packs_epi32(d.a, d.b), at, 0));
    }
    /// Byte k of values, 8 values to a qword.
    static LACONIC_INLINE __m512i get_groups(const std::byte* at, unsigned width) noexcept {
        return transpose(_mm512_permutexvar_epi8(table(tables.planes_to_groups[width]), _mm512_loadu_si512(at)));
    }
    static LACONIC_INLINE words get_words(const std::byte* at, unsigned width) noexcept {
        return _mm512_permutexvar_epi8(table(tables.groups_to_packed), get_groups(at, width));
    }

    template <class T, bool Wide>
    static LACONIC_INLINE auto scale_of(T step) noexcept {
        if constexpr (Wide || sizeof(T) == 8)
            return _mm512_set1_pd(static_cast<double>(step));
        else
            return _mm512_set1_ps(step);
    }
    template <class T, bool Wide, class Scale>
    static LACONIC_INLINE values<T> restore(const ints& q, Scale scale) noexcept {
        if constexpr (sizeof(T) == 8) {
            const f64_lanes real = to_real<double>(q);
            return {_mm512_mul_pd(real.a, scale), _mm512_mul_pd(real.b, scale), _mm512_mul_pd(real.c, scale),
                    _mm512_mul_pd(real.d, scale)};
        } else if constexpr (Wide) {
            const f64_lanes y = restore<double, false>(q, scale);
            const auto narrow = [](__m512d low, __m512d high) {
                return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
            };
            return {narrow(y.a, y.b), narrow(y.c, y.d)};
        } else {
            const f32_lanes real = to_real<float>(q);
            return {_mm512_mul_ps(real.a, scale), _mm512_mul_ps(real.b, scale)};
        }
    }

    template <class T>
    static LACONIC_INLINE auto no_range() noexcept {
        if constexpr (sizeof(T) == 4)
            return f32_range{_mm512_set1_ps(__builtin_inff()), _mm512_set1_ps(-__builtin_inff()), 0xFFFF};
        else
            return f64_range{_mm512_set1_pd(__builtin_inf()), _mm512_set1_pd(-__builtin_inf()), 0xFF};
    }
    static LACONIC_INLINE void extend(f32_range& range, __m512 x) noexcept {
        const __mmask16 finite = _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(__builtin_inff()), _CMP_LT_OQ);
        range.min = _mm512_mask_min_ps(range.min, finite, range.min, x);
        range.max = _mm512_mask_max_ps(range.max, finite, range.max, x);
        range.finite &= finite;
    }
    static LACONIC_INLINE void extend(f64_range& range, __m512d x) noexcept {
        const __mmask8 finite = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(__builtin_inf()), _CMP_LT_OQ);
        range.min = _mm512_mask_min_pd(range.min, finite, range.min, x);
        range.max = _mm512_mask_max_pd(range.max, finite, range.max, x);
        range.finite &= finite;
    }
    static LACONIC_INLINE void extend(f32_range& range, const f32_lanes& x) noexcept {
        extend(range, x.a);
        extend(range, x.b);
    }
    static LACONIC_INLINE void extend(f64_range& range, const f64_lanes& x) noexcept {
        extend(range, x.a);
        extend(range, x.b);
        extend(range, x.c);
        extend(range, x.d);
    }
    template <class T>
    static LACONIC_INLINE value_range<T> finish(const f32_range& range, const std::byte* values,
                                                std::size_t count) noexcept {
        return range_from<T>(_mm512_reduce_min_ps(range.min), _mm512_reduce_max_ps(range.max), range.finite != 0xFFFF,
                             values, count);
    }
    template <class T>
    static LACONIC_INLINE value_range<T> finish(const f64_range& range, const std::byte* values,
                                                std::size_t count) noexcept {
        return range_from<T>(_mm512_reduce_min_pd(range.min), _mm512_reduce_max_pd(range.max), range.finite != 0xFF,
                             values, count);
    }
};

}  // namespace
}  // namespace laconic::codec
