// SPDX-License-Identifier: BSD-3-Clause
// What szx needs beyond the AVX2 vocabulary. The contracts are in scalar/szx_simd.hpp.
#pragma once

#include "codec/avx2/simd.hpp"
#include "codec/avx2/szx_bits.hpp"

namespace laconic::codec {
namespace {

struct avx2_szx_simd : avx2_simd, bmi2_szx_bits {
    // The second operand is the one that a NaN in the first leaves.
    static LACONIC_INLINE void find_extremes(const f32_lanes& x, float& low, float& high) noexcept {
        __m256 least = _mm256_set1_ps(__builtin_inff());
        __m256 most = _mm256_set1_ps(-__builtin_inff());
        for (const __m256& part : x.v) {
            least = _mm256_min_ps(part, least);
            most = _mm256_max_ps(part, most);
        }
        // The lower half goes on with the least, the upper half with the most, negated: one reduction does both.
        most = _mm256_xor_ps(most, _mm256_set1_ps(-0.0F));
        __m256 both =
            _mm256_min_ps(_mm256_permute2f128_ps(least, most, 0x20), _mm256_permute2f128_ps(least, most, 0x31));
        both = _mm256_min_ps(both, _mm256_permute_ps(both, 0b01001110));
        both = _mm256_min_ps(both, _mm256_permute_ps(both, 0b10110001));
        low = _mm256_cvtss_f32(both);
        high = -_mm_cvtss_f32(_mm256_extractf128_ps(both, 1));
    }
    static LACONIC_INLINE void find_extremes(const f64_lanes& x, double& low, double& high) noexcept {
        __m256d least = _mm256_set1_pd(__builtin_inf());
        __m256d most = _mm256_set1_pd(-__builtin_inf());
        for (const __m256d& part : x.v) {
            least = _mm256_min_pd(part, least);
            most = _mm256_max_pd(part, most);
        }
        most = _mm256_xor_pd(most, _mm256_set1_pd(-0.0));
        __m256d both =
            _mm256_min_pd(_mm256_permute2f128_pd(least, most, 0x20), _mm256_permute2f128_pd(least, most, 0x31));
        both = _mm256_min_pd(both, _mm256_permute_pd(both, 0b0101));
        low = _mm256_cvtsd_f64(both);
        high = -_mm_cvtsd_f64(_mm256_extractf128_pd(both, 1));
    }

    template <class T>
    static LACONIC_INLINE values<T> splat(T v) noexcept {
        values<T> all;
        if constexpr (sizeof(T) == 4)
            for (__m256& part : all.v) part = _mm256_set1_ps(v);
        else
            for (__m256d& part : all.v) part = _mm256_set1_pd(v);
        return all;
    }
    static LACONIC_INLINE f32_lanes minus(const f32_lanes& x, const f32_lanes& center) noexcept {
        f32_lanes residual;
        for (int i = 0; i < 4; ++i) residual.v[i] = _mm256_sub_ps(x.v[i], center.v[i]);
        return residual;
    }
    static LACONIC_INLINE f64_lanes minus(const f64_lanes& x, const f64_lanes& center) noexcept {
        f64_lanes residual;
        for (int i = 0; i < 8; ++i) residual.v[i] = _mm256_sub_pd(x.v[i], center.v[i]);
        return residual;
    }
    static LACONIC_INLINE f32_lanes restored(const f32_lanes& real, const f32_lanes& center,
                                             const f32_rule& how) noexcept {
        f32_lanes y;
        for (int i = 0; i < 4; ++i) y.v[i] = _mm256_add_ps(center.v[i], _mm256_mul_ps(real.v[i], how.step));
        return y;
    }
    static LACONIC_INLINE f64_lanes restored(const f64_lanes& real, const f64_lanes& center,
                                             const f64_rule& how) noexcept {
        f64_lanes y;
        for (int i = 0; i < 8; ++i) y.v[i] = _mm256_add_pd(center.v[i], _mm256_mul_pd(real.v[i], how.step));
        return y;
    }

    static LACONIC_INLINE __m256i stray_mask(const f32_lanes& x, const f32_lanes& y, const f32_rule& how) noexcept {
        const __m256 sign = _mm256_set1_ps(-0.0F);
        __m256 found = _mm256_setzero_ps();
        for (int i = 0; i < 4; ++i) {
            const __m256 off = _mm256_andnot_ps(sign, _mm256_sub_ps(x.v[i], y.v[i]));
            found = _mm256_or_ps(found, _mm256_cmp_ps(off, how.limit, _CMP_NLE_UQ));
        }
        return _mm256_castps_si256(found);
    }
    static LACONIC_INLINE __m256i stray_mask(const f64_lanes& x, const f64_lanes& y, const f64_rule& how) noexcept {
        const __m256d sign = _mm256_set1_pd(-0.0);
        __m256d found = _mm256_setzero_pd();
        for (int i = 0; i < 8; ++i) {
            const __m256d off = _mm256_andnot_pd(sign, _mm256_sub_pd(x.v[i], y.v[i]));
            found = _mm256_or_pd(found, _mm256_cmp_pd(off, how.limit, _CMP_NLE_UQ));
        }
        return _mm256_castpd_si256(found);
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool strays(const Lanes& x, const Lanes& y, const Rule& how) noexcept {
        const __m256i found = stray_mask(x, y, how);
        return _mm256_testz_si256(found, found) == 0;
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool stands_out(const Lanes& x, const Lanes& y, const Rule& how) noexcept {
        const __m256i found = _mm256_or_si256(stray_mask(x, y, how), negative_zero_mask(x));
        return _mm256_testz_si256(found, found) == 0;
    }

    static LACONIC_INLINE std::uint32_t changes(const ints& q) noexcept {
        const ints d = deltas(q, q.v[0]);
        std::uint32_t equal = 0;
        for (int i = 0; i < 4; ++i) {
            const __m256i same = _mm256_cmpeq_epi32(d.v[i], _mm256_setzero_si256());
            equal |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same))) << (8 * i);
        }
        return ~equal;
    }
};

}  // namespace
}  // namespace laconic::codec
