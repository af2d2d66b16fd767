// SPDX-License-Identifier: BSD-3-Clause
// 16-bit floating-point types in AVX-512: sixteen of them in memory to a register of floats, and back.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

template <class T>
LACONIC_INLINE __m512 widen_floats(const std::byte* from) noexcept {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    if constexpr (std::is_same_v<T, half>)
        return _mm512_cvtph_ps(bits);
    else
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

/// Rounds to nearest, ties to even. Precondition: no NaN.
template <class T>
LACONIC_INLINE void narrow_floats(std::byte* to, __m512 v) noexcept {
    __m256i bits;
    if constexpr (std::is_same_v<T, half>) {
        bits = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    } else {
        const __m512i all = _mm512_castps_si512(v);
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(all, 16), _mm512_set1_epi32(1));
        const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(all, _mm512_set1_epi32(0x7FFF)), odd);
        bits = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits);
}

}  // namespace
}  // namespace laconic::codec
