// SPDX-License-Identifier: BSD-3-Clause
// The vector vocabulary in AVX2, from integers to planes and back.
#pragma once

#include "codec/avx2/planes.hpp"
#include "codec/avx2/values.hpp"

namespace laconic::codec {
namespace {

struct avx2_simd : avx2_values {
    /// Words that are still planes: turned into words only where nothing cheaper will do. None of width 0.
    struct stored_words {
        const std::byte* at = nullptr;
        unsigned width = 0;
    };
    /// 16-bit lanes in packed order, those of the first 16 integers in `a`, plus words yet to be added to them.
    struct words {
        __m256i a, b;
        stored_words addend = {};
        bool halves = false;  ///< of wider integers: no planes may be left out
    };
    /// Two such, to be added as planes.
    struct stored_sum {
        stored_words x, y;
    };
    using carry = __m256i;  // its last lane, or all of them, hold the integer before the block

    static LACONIC_INLINE carry carry_of(std::int32_t q) noexcept { return _mm256_set1_epi32(q); }
    static LACONIC_INLINE carry last(const ints& q) noexcept { return q.v[3]; }
    static LACONIC_INLINE std::int32_t first(const ints& q) noexcept { return _mm256_extract_epi32(q.v[0], 0); }
    static LACONIC_INLINE ints zero() noexcept {
        const __m256i none = _mm256_setzero_si256();
        return {{none, none, none, none}};
    }

    static LACONIC_INLINE ints deltas(const ints& q, carry before) noexcept {
        ints d;
        for (int i = 0; i < 4; ++i) {
            d.v[i] = _mm256_sub_epi32(q.v[i], shift_in(before, q.v[i]));
            before = q.v[i];
        }
        return d;
    }

    /// From the sums of the eight groups of four, in packed order, to the integer before each group; `before` becomes
    /// the one before the next block. Groups 2k and 2k + 1 share a place in their lanes, so the sums of such pairs
    /// need no exchange between lanes while they are added up.
    static LACONIC_INLINE __m256i before_groups(__m256i sums, carry& before) noexcept {
        const __m256i pairs = _mm256_add_epi32(sums, _mm256_permute4x64_epi64(sums, 0x4E));
        __m256i ends = _mm256_add_epi32(pairs, _mm256_slli_si256(pairs, 4));
        ends = _mm256_add_epi32(ends, _mm256_slli_si256(ends, 8));
        ends = _mm256_add_epi32(ends, before);
        before = _mm256_shuffle_epi32(ends, 0xFF);
        return _mm256_sub_epi32(ends, _mm256_blend_epi32(pairs, sums, 0xF0));
    }
    /// Adds to the sums within each group of four the integer before it.
    static LACONIC_INLINE ints add_to_groups(const ints& x, __m256i starts) noexcept {
        return {{_mm256_add_epi32(x.v[0], _mm256_shuffle_epi32(starts, 0x00)),
                 _mm256_add_epi32(x.v[1], _mm256_shuffle_epi32(starts, 0x55)),
                 _mm256_add_epi32(x.v[2], _mm256_shuffle_epi32(starts, 0xAA)),
                 _mm256_add_epi32(x.v[3], _mm256_shuffle_epi32(starts, 0xFF))}};
    }
    /// In each lane two dwords of x, then two of y.
    template <int Which>
    static LACONIC_INLINE __m256i pick(__m256i x, __m256i y) noexcept {
        return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), Which));
    }
    static LACONIC_INLINE ints prefix(const ints& d, carry& before) noexcept {
        ints within;
        for (int i = 0; i < 4; ++i) {
            const __m256i x = _mm256_add_epi32(d.v[i], _mm256_slli_si256(d.v[i], 4));
            within.v[i] = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
        }
        const __m256i sums = pick<0x88>(pick<0xFF>(within.v[0], within.v[1]), pick<0xFF>(within.v[2], within.v[3]));
        return add_to_groups(within, before_groups(sums, before));
    }
    /// Of signed bytes in packed order.
    static LACONIC_INLINE ints prefix_bytes(__m256i d, carry& before) noexcept {
        const __m256i ones = _mm256_set1_epi8(1);
        const __m256i pairs = _mm256_maddubs_epi16(ones, d);
        const __m256i sums = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
        const __m256i starts = before_groups(sums, before);
        // Column k: the k-th integer of every group.
        const __m256i first = _mm256_add_epi32(starts, _mm256_srai_epi32(_mm256_slli_epi32(d, 24), 24));
        const __m256i second = _mm256_add_epi32(starts, _mm256_madd_epi16(pairs, _mm256_set1_epi32(1)));
        const __m256i fourth = _mm256_add_epi32(starts, sums);
        const __m256i third = _mm256_sub_epi32(fourth, _mm256_srai_epi32(d, 24));
        const __m256i low_02 = _mm256_unpacklo_epi32(first, second);
        const __m256i low_46 = _mm256_unpackhi_epi32(first, second);
        const __m256i high_02 = _mm256_unpacklo_epi32(third, fourth);
        const __m256i high_46 = _mm256_unpackhi_epi32(third, fourth);
        return {{_mm256_unpacklo_epi64(low_02, high_02), _mm256_unpackhi_epi64(low_02, high_02),
                 _mm256_unpacklo_epi64(low_46, high_46), _mm256_unpackhi_epi64(low_46, high_46)}};
    }
    /// Widths are at most prefix16_width, so the sums within groups of four stay words.
    static LACONIC_INLINE ints prefix_words(const std::byte* at, unsigned width, carry& before) noexcept {
        if (width == 0) return {{before, before, before, before}};
        if (width <= 8) return prefix_bytes(get_bytes(at, width), before);
        words w = words_of(get_words(at, width));
        for (__m256i* part : {&w.a, &w.b}) {
            *part = _mm256_add_epi16(*part, _mm256_slli_epi64(*part, 16));
            *part = _mm256_add_epi16(*part, _mm256_slli_epi64(*part, 32));
        }
        const __m256i sums = _mm256_srai_epi32(pick<0xDD>(w.a, w.b), 16);
        return add_to_groups(widen(w), before_groups(sums, before));
    }
    static LACONIC_INLINE ints add(const ints& x, const ints& y) noexcept {
        ints sum;
        for (int i = 0; i < 4; ++i) sum.v[i] = _mm256_add_epi32(x.v[i], y.v[i]);
        return sum;
    }
    static LACONIC_INLINE words add(const words& x, const stored_words& y) noexcept { return {x.a, x.b, y, x.halves}; }
    static LACONIC_INLINE stored_sum add(const stored_words& x, const stored_words& y) noexcept { return {x, y}; }

    static LACONIC_INLINE words subtract(const stored_words& x, const stored_words& y) noexcept {
        const words a = words_of(x);
        const words b = words_of(y);
        return {_mm256_sub_epi16(a.a, b.a), _mm256_sub_epi16(a.b, b.b)};
    }
    using avx2_values::subtract;

    /// The integers as words, and words as bytes, clamped.
    static LACONIC_INLINE words clamp_to_words(const ints& d) noexcept {
        return {_mm256_packs_epi32(d.v[0], d.v[1]), _mm256_packs_epi32(d.v[2], d.v[3])};
    }
    static LACONIC_INLINE __m256i clamp_to_bytes(const words& w) noexcept { return _mm256_packs_epi16(w.a, w.b); }
    /// False if some of these bytes may have been clamped: they are -128 or 127 (or, in the last one, 126). Unlike one
    /// of equal bytes, this constant becomes a memory operand.
    static LACONIC_INLINE bool inside(__m256i bytes) noexcept {
        const __m256i room = _mm256_setr_epi8(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                              1, 1, 1, 1, 1, 1, 2);
        return _mm256_movemask_epi8(_mm256_add_epi8(_mm256_abs_epi8(bytes), room)) == 0;
    }
    /// True if these bytes fit in 7 bits, so that they were not clamped and the sum of two such fits in a byte.
    static LACONIC_INLINE bool fit7(__m256i bytes) noexcept {
        return _mm256_movemask_epi8(_mm256_xor_si256(bytes, _mm256_add_epi8(bytes, bytes))) == 0;
    }
    /// Tests may say no to integers that just fit: what follows then takes a longer way to the same result.
    static LACONIC_INLINE bool fits15(const ints& d) noexcept {
        const words w = clamp_to_words(d);
        if (fit7(clamp_to_bytes(w))) return true;
        const __m256i half = _mm256_set1_epi16(1 << 14);
        const __m256i either = _mm256_or_si256(_mm256_add_epi16(w.a, half), _mm256_add_epi16(w.b, half));
        return (static_cast<std::uint32_t>(_mm256_movemask_epi8(either)) & 0xAAAAAAAAU) == 0;
    }
    static LACONIC_INLINE bool fits16(const ints& d) noexcept {
        if (inside(clamp_to_bytes(clamp_to_words(d)))) return true;
        const __m256i half = _mm256_set1_epi32(1 << 15);
        __m256i any = _mm256_setzero_si256();
        for (const __m256i& part : d.v) any = _mm256_or_si256(any, _mm256_add_epi32(part, half));
        return _mm256_testz_si256(any, _mm256_set1_epi32(-(1 << 16))) != 0;
    }

    static LACONIC_INLINE words low_words(const ints& d) noexcept {
        if (fits15(d)) return clamp_to_words(d);
        const __m256i mask = _mm256_set1_epi32(0xFFFF);
        const auto low = [&](int i) { return _mm256_and_si256(d.v[i], mask); };
        return {_mm256_packus_epi32(low(0), low(1)), _mm256_packus_epi32(low(2), low(3)), {}, true};
    }
    static LACONIC_INLINE words high_words(const ints& d) noexcept {
        const auto high = [&](int i) { return _mm256_srai_epi32(d.v[i], 16); };
        return {_mm256_packs_epi32(high(0), high(1)), _mm256_packs_epi32(high(2), high(3)), {}, true};
    }
    static LACONIC_INLINE ints interleave(const words& low, const words& high) noexcept {
        return {{_mm256_unpacklo_epi16(low.a, high.a), _mm256_unpackhi_epi16(low.a, high.a),
                 _mm256_unpacklo_epi16(low.b, high.b), _mm256_unpackhi_epi16(low.b, high.b)}};
    }
    static LACONIC_INLINE ints widen(const words& w) noexcept {
        return interleave(w, {_mm256_srai_epi16(w.a, 15), _mm256_srai_epi16(w.b, 15)});
    }
    static LACONIC_INLINE ints widen(const stored_words& w) noexcept { return widen(words_of(w)); }
    static LACONIC_INLINE ints join(const stored_words& low, const stored_words& high) noexcept {
        return interleave(words_of(low), words_of(high));
    }

    static LACONIC_INLINE std::uint32_t put_planes(__m256i planes, std::byte* at, __m256i below) noexcept {
        store32(at, planes);
        return changes(planes, below);
    }
    static LACONIC_INLINE std::uint32_t put_16_planes(const words& w, std::byte* at, __m256i below) noexcept {
        const __m256i mask = _mm256_set1_epi16(0xFF);
        const __m256i low = planes_of(_mm256_packus_epi16(_mm256_and_si256(w.a, mask), _mm256_and_si256(w.b, mask)));
        const __m256i high = planes_of(_mm256_packs_epi16(_mm256_srai_epi16(w.a, 8), _mm256_srai_epi16(w.b, 8)));
        const std::uint32_t low_changes = put_planes(low, at, below);
        return low_changes | put_planes(high, at + 32, low) << 8;
    }
    /// Planes that only repeat the sign may be left out, unless the words are halves.
    static LACONIC_INLINE std::uint32_t put_words(const words& w, std::byte* at, std::uint32_t below) noexcept {
        const __m256i under = _mm256_set1_epi32(static_cast<int>(below));
        if (w.halves) return put_16_planes(w, at, under);
        const __m256i bytes = clamp_to_bytes(w);
        if (fit7(bytes)) {
            if (w.addend.width == 0) return put_planes(planes_of(bytes), at, under);
            if (w.addend.width < 8)
                return put_planes(planes_of(_mm256_add_epi8(bytes, get_bytes(w.addend.at, w.addend.width))), at, under);
        }
        if (w.addend.width == 0) return put_16_planes(w, at, under);
        const words addend = words_of(w.addend);
        const words sum{_mm256_add_epi16(w.a, addend.a), _mm256_add_epi16(w.b, addend.b)};
        const __m256i sum_bytes = clamp_to_bytes(sum);
        return inside(sum_bytes) ? put_planes(planes_of(sum_bytes), at, under) : put_16_planes(sum, at, under);
    }
    static LACONIC_INLINE std::uint32_t put_words(const stored_sum& s, std::byte* at, std::uint32_t below) noexcept {
        const __m256i under = _mm256_set1_epi32(static_cast<int>(below));
        const auto low_planes = [](const stored_words& w) { return get_planes(w.at, w.width < 8 ? w.width : 8); };
        const plane_adder low(low_planes(s.x), low_planes(s.y));
        const __m256i middle = low.carry_out(_mm256_setzero_si256());
        const __m256i low_entering = _mm256_permute2x128_si256(middle, middle, 0x08);
        const __m256i low_sum = low.sum(low_entering);
        if (((s.x.width | s.y.width) & ~7U) == 0) return put_planes(low_sum, at, under);

        // Nothing is written before all is read: sums may be written over what they are made of.
        const auto high_planes = [](const stored_words& w) {
            return w.width > 8 ? get_planes(w.at + 32, w.width - 8) : get_planes(w.at + 4 * (w.width - 1), 1);
        };
        const plane_adder high(high_planes(s.x), high_planes(s.y));
        const __m256i carry = low.carry_out(low_entering);
        const __m256i upper_middle = high.carry_out(_mm256_permute4x64_epi64(carry, 0xEE));
        const __m256i high_sum = high.sum(_mm256_permute2x128_si256(carry, upper_middle, 0x21));
        return put_planes(low_sum, at, under) | put_planes(high_sum, at + 32, low_sum) << 8;
    }
    static LACONIC_INLINE unsigned width_from(std::uint32_t changed) noexcept { return 32U - _lzcnt_u32(changed); }
    static LACONIC_INLINE unsigned put16(const ints& d, std::byte* at) noexcept {
        const __m256i none = _mm256_setzero_si256();
        const words w = clamp_to_words(d);
        const __m256i bytes = clamp_to_bytes(w);
        return width_from(inside(bytes) ? put_planes(planes_of(bytes), at, none) : put_16_planes(w, at, none));
    }
    static LACONIC_INLINE stored_words get_words(const std::byte* at, unsigned width) noexcept { return {at, width}; }
    static LACONIC_INLINE words words_of(const stored_words& w) noexcept {
        const __m256i low = get_bytes(w.at, w.width < 8 ? w.width : 8);
        const __m256i high =
            w.width <= 8 ? _mm256_cmpgt_epi8(_mm256_setzero_si256(), low) : get_bytes(w.at + 32, w.width - 8);
        return {_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)};
    }
};

}  // namespace
}  // namespace laconic::codec
