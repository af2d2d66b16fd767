// SPDX-License-Identifier: BSD-3-Clause
// The half of the AVX2 vocabulary that deals with values: 32 lanes are four registers of floats or of 32-bit integers,
// eight of doubles.
#pragma once

#include <immintrin.h>

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

struct avx2_values {
    template <class T>
    using values = typename lanes_of<T>::type;
    struct ints {
        __m256i v[4];
    };

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
    static LACONIC_INLINE ints subtract(const ints& x, const ints& y) noexcept {
        ints difference;
        for (int i = 0; i < 4; ++i) difference.v[i] = _mm256_sub_epi32(x.v[i], y.v[i]);
        return difference;
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

    // |x - r| as integers: magnitudes order as their bits do, and NaN lies above every limit.
    static LACONIC_INLINE __m256i miss(__m256 x, __m256 real, const f32_rule& how) noexcept {
        const __m256 difference = _mm256_sub_ps(x, _mm256_mul_ps(real, how.step));
        return _mm256_and_si256(_mm256_castps_si256(difference), _mm256_set1_epi32(0x7FFFFFFF));
    }
    static LACONIC_INLINE __m256i miss_mask(const f32_lanes& x, const f32_lanes& real, const f32_rule& how) noexcept {
        const __m256i worst =
            _mm256_max_epi32(_mm256_max_epi32(miss(x.v[0], real.v[0], how), miss(x.v[1], real.v[1], how)),
                             _mm256_max_epi32(miss(x.v[2], real.v[2], how), miss(x.v[3], real.v[3], how)));
        return _mm256_cmpgt_epi32(worst, _mm256_castps_si256(how.limit));
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
        return _mm256_cmpeq_epi32(least, load32(tables().sign_bits));
    }
    static LACONIC_INLINE __m256i negative_zero_mask(const f64_lanes& x) noexcept {
        const __m256i zero = _mm256_castpd_si256(_mm256_set1_pd(-0.0));
        __m256i found = _mm256_setzero_si256();
        for (int i = 0; i < 8; ++i)
            found = _mm256_or_si256(found, _mm256_cmpeq_epi64(_mm256_castpd_si256(x.v[i]), zero));
        return found;
    }
    static LACONIC_INLINE bool any(__m256i lane_mask) noexcept {
        return _mm256_movemask_ps(_mm256_castsi256_ps(lane_mask)) != 0;
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool misses(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        return any(miss_mask(x, real, how));
    }
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool is_odd(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        return any(_mm256_or_si256(miss_mask(x, real, how), negative_zero_mask(x)));
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
