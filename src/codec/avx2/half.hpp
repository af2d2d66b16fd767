// SPDX-License-Identifier: BSD-3-Clause
// 16-bit floating-point types in AVX2 with F16C: eight of them in memory to a register of floats, and back.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

template <class T>
LACONIC_INLINE __m256 widen_floats(const std::byte* from) noexcept {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    if constexpr (std::is_same_v<T, half>)
        return _mm256_cvtph_ps(bits);
    else
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

/// Rounds to nearest, ties to even. Precondition: no NaN.
template <class T>
LACONIC_INLINE void narrow_floats(std::byte* to, __m256 v) noexcept {
    __m128i bits;
    if constexpr (std::is_same_v<T, half>) {
        bits = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    } else {
        __m256i all = _mm256_castps_si256(v);
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(all, 16), _mm256_set1_epi32(1));
        all = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(all, _mm256_set1_epi32(0x7FFF)), odd), 16);
        bits = _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(all, all), 0xD8));
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bits);
}

}  // namespace
}  // namespace laconic::codec
