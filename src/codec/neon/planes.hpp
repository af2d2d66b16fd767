// SPDX-License-Identifier: BSD-3-Clause
// Bit-planes in NEON: 32 bytes in value order to 8 planes and back.
//
// A bit of two registers has a 9-bit address: register (r), byte (a3 a2 a1 a0), bit (c2 c1 c0). Planes differ from
// values by a permutation of these address bits: with value number v4..v0 and bit number b2..b0,
//
//     values  r = v4   a = v3 v2 v1 v0   c = b2 b1 b0
//     planes  r = b2   a = b1 b0 v4 v3   c = v2 v1 v0
//
// vuzp1q/vuzp2q rotate r and a to the right by one, vzip1q/vzip2q to the left, and shifts exchange r with one of c:
// three rounds of both lead from one to the other, 16 instructions for 32 bytes.
#pragma once

#include "codec/neon/half.hpp"

namespace laconic::codec {
namespace {

struct byte_pair {
    uint8x16_t a, b;
};

LACONIC_INLINE byte_pair load_pair(const std::byte* from) noexcept { return {load16(from), load16(from + 16)}; }
LACONIC_INLINE void store_pair(std::byte* to, const byte_pair& v) noexcept {
    store16(to, v.a);
    store16(to + 16, v.b);
}

LACONIC_INLINE byte_pair unzip(const byte_pair& m) noexcept { return {vuzp1q_u8(m.a, m.b), vuzp2q_u8(m.a, m.b)}; }
LACONIC_INLINE byte_pair zip(const byte_pair& m) noexcept { return {vzip1q_u8(m.a, m.b), vzip2q_u8(m.a, m.b)}; }

/// Exchanges the bits of a that are not in `Stay` with those Shift below them in b.
template <int Shift, std::uint8_t Stay>
LACONIC_INLINE byte_pair exchange(const byte_pair& m) noexcept {
    const uint8x16_t stay = vdupq_n_u8(Stay);
    return {vbslq_u8(stay, m.a, vshlq_n_u8(m.b, Shift)), vbslq_u8(stay, vshrq_n_u8(m.a, Shift), m.b)};
}
template <>
LACONIC_INLINE byte_pair exchange<4, 0x0F>(const byte_pair& m) noexcept {
    return {vsliq_n_u8(m.a, m.b, 4), vsriq_n_u8(m.b, m.a, 4)};
}

/// 32 bytes in value order -> 8 planes.
LACONIC_INLINE byte_pair planes_of(byte_pair m) noexcept {
    m = exchange<1, 0x55>(unzip(m));
    m = exchange<2, 0x33>(unzip(m));
    return exchange<4, 0x0F>(unzip(m));
}
/// 8 planes -> 32 bytes in value order.
LACONIC_INLINE byte_pair bytes_of(byte_pair m) noexcept {
    m = zip(exchange<4, 0x0F>(m));
    m = zip(exchange<2, 0x33>(m));
    return zip(exchange<1, 0x55>(m));
}

/// Of the bits of `weights`, those of planes that differ from the one below.
LACONIC_INLINE uint32x4_t changes(uint32x4_t planes, uint32x4_t below, uint32x4_t weights) noexcept {
    return vbicq_u32(weights, vceqq_u32(planes, vextq_u32(below, planes, 3)));
}
/// The same for eight planes, whose weights are 1, 2, 4, ... 128.
LACONIC_INLINE uint32x4_t changes(const byte_pair& planes, uint32x4_t below) noexcept {
    const uint32x4_t first = vreinterpretq_u32_u8(planes.a);
    const uint32x4_t second = vreinterpretq_u32_u8(planes.b);
    return vorrq_u32(changes(first, below, uint32x4_t{1, 2, 4, 8}),
                     changes(second, first, uint32x4_t{16, 32, 64, 128}));
}

/// As many set bytes as planes are kept, from where the window starts.
struct neon_tables {
    std::uint8_t window[64];
    constexpr neon_tables() : window() {
        for (int i = 0; i < 32; ++i) window[i] = 0xFF;
    }
};
constexpr neon_tables window_table;

/// Reads 1..8 planes; the top one, repeated, stands for the sign.
LACONIC_INLINE byte_pair get_bytes(const std::byte* at, unsigned width) noexcept {
    const byte_pair planes = load_pair(at);
    const uint8x16_t top = vreinterpretq_u8_u32(vdupq_n_u32(load_as<std::uint32_t>(at + std::size_t{4} * (width - 1))));
    const std::uint8_t* const window = window_table.window + 32 - std::size_t{4} * width;
    return bytes_of({vbslq_u8(vld1q_u8(window), planes.a, top), vbslq_u8(vld1q_u8(window + 16), planes.b, top)});
}

}  // namespace
}  // namespace laconic::codec
