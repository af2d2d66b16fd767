// SPDX-License-Identifier: BSD-3-Clause
// Bit-planes in AVX2: 32 bytes in value order to 8 planes and back, through 8x8 bit transpositions by shifts and masks.
#pragma once

#include <immintrin.h>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

/// Per width 1..8: which of eight planes each of eight plane slots repeats (the top one stands for the sign).
struct avx2_tables {
    alignas(32) std::int32_t planes[9][8];
    constexpr avx2_tables() : planes() {
        for (int width = 1; width <= 8; ++width)
            for (int plane = 0; plane < 8; ++plane) planes[width][plane] = plane < width ? plane : width - 1;
    }
};
constexpr avx2_tables tables;

LACONIC_INLINE __m256i load32(const std::byte* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
LACONIC_INLINE void store32(std::byte* to, __m256i v) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
}

LACONIC_INLINE __m256i broadcast_last(__m256i x) noexcept {
    return _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(7));
}
/// Swaps, in each qword, the bits selected by `mask` with those `shift` above them.
LACONIC_INLINE __m256i swap_bits(__m256i m, int shift, long long mask) noexcept {
    const __m256i t = _mm256_and_si256(_mm256_xor_si256(m, _mm256_srli_epi64(m, shift)), _mm256_set1_epi64x(mask));
    return _mm256_xor_si256(_mm256_xor_si256(m, t), _mm256_slli_epi64(t, shift));
}
/// Each qword as an 8x8 bit matrix, transposed.
LACONIC_INLINE __m256i transpose(__m256i m) noexcept {
    m = swap_bits(m, 7, 0x00AA00AA00AA00AALL);
    m = swap_bits(m, 14, 0x0000CCCC0000CCCCLL);
    return swap_bits(m, 28, 0x00000000F0F0F0F0LL);
}
LACONIC_INLINE __m256i swap_4x4_bytes(__m256i m) noexcept {
    const __m256i order = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9,
                                           13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm256_shuffle_epi8(m, order);
}
/// 32 bytes in value order -> 8 planes.
LACONIC_INLINE __m256i planes_of(__m256i bytes) noexcept {
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    return swap_4x4_bytes(_mm256_permutevar8x32_epi32(transpose(bytes), halves));
}
/// 8 planes -> 32 bytes in value order.
LACONIC_INLINE __m256i bytes_of(__m256i planes) noexcept {
    const __m256i halves = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return transpose(_mm256_permutevar8x32_epi32(swap_4x4_bytes(planes), halves));
}
/// Bit p tells whether plane p differs from the one below it.
LACONIC_INLINE std::uint32_t changes(__m256i planes, __m256i below) noexcept {
    const __m256i rotate = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    const __m256i lower = _mm256_blend_epi32(_mm256_permutevar8x32_epi32(planes, rotate), below, 1);
    const __m256i equal = _mm256_cmpeq_epi32(planes, lower);
    return ~static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal))) & 0xFF;
}
LACONIC_INLINE __m256i get_bytes(const std::byte* at, unsigned width) noexcept {
    const __m256i which = _mm256_load_si256(reinterpret_cast<const __m256i*>(tables.planes[width]));
    return bytes_of(_mm256_permutevar8x32_epi32(load32(at), which));
}
}  // namespace
}  // namespace laconic::codec
