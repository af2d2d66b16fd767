// SPDX-License-Identifier: BSD-3-Clause
// The byte permutations of the AVX-512 engine, made by the compiler.
#pragma once

#include <immintrin.h>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

/// Where packing two registers of integers puts a value: lane by lane, four words of the first, four of the second.
constexpr unsigned packed_place(unsigned value) noexcept { return value % 16 / 4 * 8 + value / 16 * 4 + value % 4; }

/// Byte permutations between value order and plane order.
struct avx512_tables {
    alignas(64) std::uint8_t words_to_groups[64];  // from packed words: byte k of values, 8 values to a qword
    alignas(64) std::uint8_t groups_to_planes[64];
    alignas(64) std::uint8_t planes_to_groups[17][64];  // per width: planes above it repeat the top one (sign)
    alignas(64) std::uint8_t groups_to_words[64];       // in value order
    alignas(64) std::uint8_t groups_to_packed[64];      // packed words

    constexpr avx512_tables()
        : words_to_groups(), groups_to_planes(), planes_to_groups(), groups_to_words(), groups_to_packed() {
        // The transposition reverses the order of the bytes it takes in; the tables pre-reverse them.
        for (unsigned i = 0; i < 64; ++i) {
            const unsigned group = i / 8;
            const unsigned value = (group & 3) * 8 + (7 - i % 8);
            const unsigned byte = group >> 2;
            words_to_groups[i] = static_cast<std::uint8_t>(packed_place(value) * 2 + byte);
        }
        for (unsigned plane = 0; plane < 16; ++plane)
            for (unsigned c = 0; c < 4; ++c)
                groups_to_planes[plane * 4 + c] = static_cast<std::uint8_t>(((plane >> 3) * 4 + c) * 8 + (plane & 7));
        for (unsigned width = 1; width <= 16; ++width)
            for (unsigned i = 0; i < 64; ++i) {
                const unsigned plane = (i / 8 >> 2) * 8 + (7 - i % 8);
                const unsigned source = plane < width ? plane : width - 1;
                planes_to_groups[width][i] = static_cast<std::uint8_t>(source * 4 + (i / 8 & 3));
            }
        for (unsigned value = 0; value < 32; ++value)
            for (unsigned byte = 0; byte < 2; ++byte) {
                const auto source = static_cast<std::uint8_t>((byte * 4 + value / 8) * 8 + value % 8);
                groups_to_words[value * 2 + byte] = source;
                groups_to_packed[packed_place(value) * 2 + byte] = source;
            }
    }
};
constexpr avx512_tables tables;

LACONIC_INLINE __m512i table(const std::uint8_t (&bytes)[64]) noexcept { return _mm512_load_si512(bytes); }

}  // namespace
}  // namespace laconic::codec
