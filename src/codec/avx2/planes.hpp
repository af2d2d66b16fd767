// SPDX-License-Identifier: BSD-3-Clause
// Bit-planes in AVX2: 32 bytes to 8 planes and back, and sums of numbers that stay planes.
//
// Bytes are kept in packed order, the one in which saturating packs leave the 32 values and in-lane unpacks take them
// apart again: the groups of four values 0 2 4 6 in the low lane, 1 3 5 7 in the high one. Crossing the lanes is then
// part of the transposition, whose last step exchanges nibbles between neighbouring groups anyhow.
#pragma once

#include <immintrin.h>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

struct avx2_tables {
    /// Per width 1..8: which planes stand for planes 0..7, those above the width being repeats of the top one (sign).
    alignas(32) std::int32_t planes[9][8];
    // For bytes: plane p of value byte c goes to byte c * 4 + p % 4 of both lanes, out of 16 bytes that start at plane
    // 0 (lower) and at the first or fifth plane, whichever group the top one is in (upper).
    alignas(32) std::uint8_t lower[9][32];
    alignas(32) std::uint8_t upper[9][32];

    alignas(32) std::int32_t low_4[8];   // 4 in the low lane
    alignas(32) std::int32_t high_4[8];  // 4 in the high lane
    alignas(32) std::uint32_t far_bits[8], far_pairs[8], sign_bits[8], far_nibbles[8], crossing_nibbles[8];
    alignas(32) std::uint8_t square[32];  // 4x4 bytes transposed

    constexpr avx2_tables()
        : planes(),
          lower(),
          upper(),
          low_4(),
          high_4(),
          far_bits(),
          far_pairs(),
          sign_bits(),
          far_nibbles(),
          crossing_nibbles(),
          square() {
        for (int width = 1; width <= 8; ++width) {
            for (int plane = 0; plane < 8; ++plane) planes[width][plane] = plane < width ? plane : width - 1;
            for (int i = 0; i < 32; ++i) {
                const int c = i % 16 / 4;
                lower[width][i] = static_cast<std::uint8_t>(planes[width][i % 4] * 4 + c);
                upper[width][i] = static_cast<std::uint8_t>(planes[width][4 + i % 4] % 4 * 4 + c);
            }
        }
        for (int i = 0; i < 8; ++i) {
            low_4[i] = i < 4 ? 4 : 0;
            high_4[i] = i < 4 ? 0 : 4;
            far_bits[i] = 0x00AA00AA;
            sign_bits[i] = 0x80000000;
            far_pairs[i] = 0x0000CCCC;
            far_nibbles[i] = 0xF0F0F0F0;
            crossing_nibbles[i] = i < 4 ? 0xF0F0F0F0 : 0x0F0F0F0F;
        }
        for (int i = 0; i < 32; ++i) {
            square[i] = static_cast<std::uint8_t>(i % 4 * 4 + i % 16 / 4);
        }
    }
};
constexpr avx2_tables compiled_tables;

/// The tables, as memory whose contents the compiler does not know: with 16 registers it would otherwise build most
/// of these constants anew in every block, from three instructions each, instead of using them as memory operands.
LACONIC_INLINE const avx2_tables& tables() noexcept {
    const avx2_tables* at = &compiled_tables;
    asm("" : "+r"(at));
    return *at;
}

LACONIC_INLINE __m256i load32(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
LACONIC_INLINE __m256i load16_twice(const std::byte* from) noexcept {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
LACONIC_INLINE void store32(std::byte* to, __m256i v) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
}

/// The dwords of x moved up by one place, the last one of `before` in front. (Exchanging lanes and shifting within them
/// costs no more than a permutation and a blend, and less where permutations of dwords are slow.)
LACONIC_INLINE __m256i shift_in(__m256i before, __m256i x) noexcept {
    return _mm256_alignr_epi8(x, _mm256_permute2x128_si256(before, x, 0x21), 12);
}
/// Bits of `b` where the mask is set, of `a` elsewhere.
LACONIC_INLINE __m256i select_bits(__m256i a, __m256i b, __m256i mask) noexcept {
    return _mm256_xor_si256(a, _mm256_and_si256(_mm256_xor_si256(a, b), mask));
}
/// Swaps, in each dword, the bits selected by `mask` with those `shift` above them.
LACONIC_INLINE __m256i swap_bits(__m256i m, int shift, const std::uint32_t (&mask)[8]) noexcept {
    const __m256i t = _mm256_and_si256(_mm256_xor_si256(m, _mm256_srli_epi32(m, shift)), load32(mask));
    return _mm256_xor_si256(_mm256_xor_si256(m, t), _mm256_slli_epi32(t, shift));
}
/// Each dword as two 4x4 bit matrices side by side (low and high nibbles of its bytes), each transposed.
LACONIC_INLINE __m256i transpose_nibbles(__m256i m) noexcept {
    return swap_bits(swap_bits(m, 7, tables().far_bits), 14, tables().far_pairs);
}
/// 32 bytes in packed order -> 8 planes.
LACONIC_INLINE __m256i planes_of(__m256i bytes) noexcept {
    // Byte p of a dword now holds planes p and p + 4 of four values. The low lane takes the low nibbles of both lanes,
    // the high lane the high ones.
    const __m256i own = transpose_nibbles(bytes);
    const __m256i other = _mm256_permute4x64_epi64(own, 0x4E);
    const __m256i shifted =
        _mm256_srlv_epi32(_mm256_sllv_epi32(other, load32(tables().low_4)), load32(tables().high_4));
    const __m256i mixed = select_bits(own, shifted, load32(tables().crossing_nibbles));
    return _mm256_shuffle_epi8(mixed, load32(tables().square));
}
/// The planes of `width` (1..8) bits at `at` -> 32 signed bytes in packed order.
LACONIC_INLINE __m256i get_bytes(const std::byte* at, unsigned width) noexcept {
    const __m256i lower = _mm256_shuffle_epi8(load16_twice(at), load32(tables().lower[width]));
    const __m256i upper = _mm256_shuffle_epi8(load16_twice(at + ((width - 1) & 4U) * 4), load32(tables().upper[width]));
    return transpose_nibbles(select_bits(_mm256_srlv_epi32(lower, load32(tables().high_4)),
                                         _mm256_sllv_epi32(upper, load32(tables().low_4)),
                                         load32(tables().far_nibbles)));
}

/// Bit p tells whether plane p differs from the one below it, plane 0 from the last dword of `below`.
LACONIC_INLINE std::uint32_t changes(__m256i planes, __m256i below) noexcept {
    const __m256i equal = _mm256_cmpeq_epi32(planes, shift_in(below, planes));
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal))) ^ 0xFFU;
}

/// The planes of `width` (1..8) bits at `at`, repeating the top one.
LACONIC_INLINE __m256i get_planes(const std::byte* at, unsigned width) noexcept {
    return _mm256_permutevar8x32_epi32(load32(at), load32(tables().planes[width]));
}
/// Addition of numbers whose bits are planes: carries by parallel prefix, first over the four planes of a lane.
struct plane_adder {
    __m256i half;                 ///< sums without carries
    __m256i generate, propagate;  ///< a carry leaves the planes from the lane's lowest up to this one; would pass them

    LACONIC_INLINE plane_adder(__m256i a, __m256i b) noexcept
        : half(_mm256_xor_si256(a, b)), generate(_mm256_and_si256(a, b)), propagate(half) {
        reach_down<4, 0x90>();
        reach_down<8, 0x44>();
    }
    /// Carries that leave each lane, everywhere in the lane, given those that enter.
    [[nodiscard]] LACONIC_INLINE __m256i carry_out(__m256i entering) const noexcept {
        return _mm256_shuffle_epi32(_mm256_or_si256(generate, _mm256_and_si256(propagate, entering)), 0xFF);
    }
    /// The planes of the sum, given the carries that enter each lane.
    [[nodiscard]] LACONIC_INLINE __m256i sum(__m256i entering) const noexcept {
        const __m256i passed = _mm256_alignr_epi8(propagate, _mm256_set1_epi32(-1), 12);
        const __m256i carries = _mm256_or_si256(_mm256_slli_si256(generate, 4), _mm256_and_si256(passed, entering));
        return _mm256_xor_si256(half, carries);
    }

private:
    /// Planes without one `Bytes` below are combined with themselves, which changes nothing.
    template <int Bytes, int Lower>
    LACONIC_INLINE void reach_down() noexcept {
        generate = _mm256_or_si256(generate, _mm256_and_si256(propagate, _mm256_slli_si256(generate, Bytes)));
        propagate = _mm256_and_si256(propagate, _mm256_shuffle_epi32(propagate, Lower));
    }
};
}  // namespace
}  // namespace laconic::codec
