// SPDX-License-Identifier: BSD-3-Clause
// What szx needs beyond the AVX-512 vocabulary. The contracts are in scalar/szx_simd.hpp.
#pragma once

#include "codec/avx2/szx_bits.hpp"
#include "codec/avx512/simd.hpp"

namespace laconic::codec {
namespace {

struct avx512_szx_simd : avx512_simd, bmi2_szx_bits {
    // The second operand is the one that a NaN in the first leaves.
    static LACONIC_INLINE void find_extremes(const f32_lanes& x, float& low, float& high) noexcept {
        const __m512 infinity = _mm512_set1_ps(__builtin_inff());
        const __m512 least = _mm512_min_ps(x.b, _mm512_min_ps(x.a, infinity));
        const __m512 most = _mm512_max_ps(x.b, _mm512_max_ps(x.a, _mm512_set1_ps(-__builtin_inff())));
        // The lower half goes on with the least, the upper half with the most, negated: one reduction does both.
        const __m256 sign = _mm256_set1_ps(-0.0F);
        const __m256 l = _mm256_min_ps(_mm512_castps512_ps256(least), _mm512_extractf32x8_ps(least, 1));
        const __m256 m = _mm256_max_ps(_mm512_castps512_ps256(most), _mm512_extractf32x8_ps(most, 1));
        __m512 both = _mm512_insertf32x8(_mm512_castps256_ps512(l), _mm256_xor_ps(m, sign), 1);
        both = _mm512_min_ps(both, _mm512_shuffle_f32x4(both, both, 0b10110001));
        both = _mm512_min_ps(both, _mm512_permute_ps(both, 0b01001110));
        both = _mm512_min_ps(both, _mm512_permute_ps(both, 0b10110001));
        low = _mm512_cvtss_f32(both);
        high = -_mm256_cvtss_f32(_mm512_extractf32x8_ps(both, 1));
    }
    static LACONIC_INLINE void find_extremes(const f64_lanes& x, double& low, double& high) noexcept {
        const __m512d inf = _mm512_set1_pd(__builtin_inf());
        const __m512d none = _mm512_set1_pd(-__builtin_inf());
        const __m512d least =
            _mm512_min_pd(_mm512_min_pd(x.b, _mm512_min_pd(x.a, inf)), _mm512_min_pd(x.d, _mm512_min_pd(x.c, inf)));
        const __m512d most =
            _mm512_max_pd(_mm512_max_pd(x.b, _mm512_max_pd(x.a, none)), _mm512_max_pd(x.d, _mm512_max_pd(x.c, none)));
        const __m256d sign = _mm256_set1_pd(-0.0);
        const __m256d l = _mm256_min_pd(_mm512_castpd512_pd256(least), _mm512_extractf64x4_pd(least, 1));
        const __m256d m = _mm256_max_pd(_mm512_castpd512_pd256(most), _mm512_extractf64x4_pd(most, 1));
        __m512d both = _mm512_insertf64x4(_mm512_castpd256_pd512(l), _mm256_xor_pd(m, sign), 1);
        both = _mm512_min_pd(both, _mm512_permutex_pd(both, 0b01001110));
        both = _mm512_min_pd(both, _mm512_permute_pd(both, 0b01010101));
        low = _mm512_cvtsd_f64(both);
        high = -_mm256_cvtsd_f64(_mm512_extractf64x4_pd(both, 1));
    }

    template <class T>
    static LACONIC_INLINE values<T> splat(T v) noexcept {
        if constexpr (sizeof(T) == 4) {
            const __m512 all = _mm512_set1_ps(v);
            return {all, all};
        } else {
            const __m512d all = _mm512_set1_pd(v);
            return {all, all, all, all};
        }
    }
    static LACONIC_INLINE f32_lanes minus(const f32_lanes& x, const f32_lanes& center) noexcept {
        return {_mm512_sub_ps(x.a, center.a), _mm512_sub_ps(x.b, center.b)};
    }
    static LACONIC_INLINE f64_lanes minus(const f64_lanes& x, const f64_lanes& center) noexcept {
        return {_mm512_sub_pd(x.a, center.a), _mm512_sub_pd(x.b, center.b), _mm512_sub_pd(x.c, center.c),
                _mm512_sub_pd(x.d, center.d)};
    }
    static LACONIC_INLINE f32_lanes restored(const f32_lanes& real, const f32_lanes& center,
                                             const f32_rule& how) noexcept {
        const auto one = [&](__m512 r, __m512 c) { return _mm512_add_ps(c, _mm512_mul_ps(r, how.step)); };
        return {one(real.a, center.a), one(real.b, center.b)};
    }
    static LACONIC_INLINE f64_lanes restored(const f64_lanes& real, const f64_lanes& center,
                                             const f64_rule& how) noexcept {
        const auto one = [&](__m512d r, __m512d c) { return _mm512_add_pd(c, _mm512_mul_pd(r, how.step)); };
        return {one(real.a, center.a), one(real.b, center.b), one(real.c, center.c), one(real.d, center.d)};
    }

    // |x - y| as integers: magnitudes order as their bits do, and NaN lies above every limit.
    static LACONIC_INLINE __mmask16 stray_mask(const f32_lanes& x, const f32_lanes& y, const f32_rule& how) noexcept {
        const auto off = [](__m512 a, __m512 b) {
            return _mm512_and_si512(_mm512_castps_si512(_mm512_sub_ps(a, b)), _mm512_set1_epi32(0x7FFFFFFF));
        };
        return _mm512_cmpgt_epu32_mask(_mm512_max_epu32(off(x.a, y.a), off(x.b, y.b)), how.limit);
    }
    static LACONIC_INLINE __mmask8 stray_mask(const f64_lanes& x, const f64_lanes& y, const f64_rule& how) noexcept {
        const auto off = [](__m512d a, __m512d b) {
            return _mm512_and_si512(_mm512_castpd_si512(_mm512_sub_pd(a, b)), _mm512_set1_epi64(0x7FFFFFFFFFFFFFFF));
        };
        const __m512i worst = _mm512_max_epu64(_mm512_max_epu64(off(x.a, y.a), off(x.b, y.b)),
                                               _mm512_max_epu64(off(x.c, y.c), off(x.d, y.d)));
        return _mm512_cmpgt_epu64_mask(worst, how.limit);
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool strays(const Lanes& x, const Lanes& y, const Rule& how) noexcept {
        return stray_mask(x, y, how) != 0;
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool stands_out(const Lanes& x, const Lanes& y, const Rule& how) noexcept {
        return (stray_mask(x, y, how) | negative_zero_mask(x)) != 0;
    }

    static LACONIC_INLINE std::uint32_t changes(const ints& q) noexcept {
        const __mmask16 low = _mm512_cmpneq_epi32_mask(q.a, _mm512_alignr_epi32(q.a, q.a, 15));
        const __mmask16 high = _mm512_cmpneq_epi32_mask(q.b, _mm512_alignr_epi32(q.b, q.a, 15));
        return std::uint32_t{low} | std::uint32_t{high} << 16;
    }
};

}  // namespace
}  // namespace laconic::codec
