// SPDX-License-Identifier: BSD-3-Clause
// The shape of a szx chunk, as docs/format/szx.md specifies it: what a head byte says, and how a mid-range is cut to a
// few bytes. Forced inline for the reason given in codec/layout.hpp.
#pragma once

#include <type_traits>

#include "codec/layout.hpp"

namespace laconic::codec {

inline constexpr std::size_t szx_chunk_values = 5120;  // as PIPE-SZx
inline constexpr std::size_t szx_chunk_blocks = szx_chunk_values / block_values;
inline constexpr std::size_t szx_table_entry_bytes = 4;

// Head byte: two bits that say how many bytes of the mid-range are sent, the repeat flag, five bits of width.
inline constexpr unsigned szx_width_mask = 0x1F;
inline constexpr unsigned szx_repeats = 0x20;  ///< only lanes that differ from their predecessor have bits in planes
inline constexpr unsigned szx_mid_shift = 6;
/// Fewest bytes of planes that repeated lanes must save (their mask costs 4). Measured at relative 1e-3 on seven
/// fields: taking every saving makes payloads up to 13 % smaller at down to 0.6 (encode) and 0.4 (decode) of the speed;
/// taking none, a field of plateaus becomes larger than in the published layout.
inline constexpr unsigned szx_least_saving = 13;
inline constexpr unsigned szx_widest = 30;  ///< planes of an ordinary block; engines agree on integers up to there

// Width 0 with the repeat flag means something else altogether.
inline constexpr unsigned szx_raw = 0x20;     ///< uncompressed values
inline constexpr unsigned szx_signed = 0x60;  ///< mask of the lanes that are -0.0, then the head of the block itself
inline constexpr unsigned szx_wide = 0xA0;    ///< f64 only: integers of more bits than the head byte can say
inline constexpr unsigned szx_signed_bytes = 5;
inline constexpr unsigned szx_widest_wide = 58;
LACONIC_SHARED_INLINE constexpr bool szx_is_escape(unsigned head) noexcept {
    return (head & (szx_width_mask | szx_repeats)) == szx_repeats;
}

/// Writers may write, and readers read, this many bytes past a chunk.
inline constexpr std::size_t szx_slack_bytes = 384;

template <class T>
using szx_bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Bytes of the mid-range that are sent, by code; the rest is 0.
template <class T>
LACONIC_SHARED_INLINE constexpr unsigned szx_mid_bytes(unsigned code) noexcept {
    return ((sizeof(T) == 4 ? 0x04030200U : 0x08040200U) >> (8 * code)) & 0xFF;
}
/// The value nearest to `mid` that has only its leading `bytes` bytes (2 or more).
template <class T>
LACONIC_SHARED_INLINE T szx_cut_mid(T mid, unsigned bytes) noexcept {
    const unsigned drop = 8 * (static_cast<unsigned>(sizeof(T)) - bytes);
    const auto bits = __builtin_bit_cast(szx_bits<T>, mid) + (szx_bits<T>{1} << drop >> 1);
    return __builtin_bit_cast(T, static_cast<szx_bits<T>>(bits >> drop << drop));
}
/// Writes sizeof(T) bytes, of which `bytes` count.
template <class T>
LACONIC_SHARED_INLINE void szx_store_mid(std::byte* at, T mid, unsigned bytes) noexcept {
    const unsigned half = static_cast<unsigned>(sizeof(T)) * 4 - 4 * bytes;  // two shifts: one cannot shift it all out
    store_as(at, static_cast<szx_bits<T>>(__builtin_bit_cast(szx_bits<T>, mid) >> half >> half));
}
/// Reads sizeof(T) bytes, of which `bytes` count.
template <class T>
LACONIC_SHARED_INLINE T szx_load_mid(const std::byte* at, unsigned bytes) noexcept {
    const unsigned half = static_cast<unsigned>(sizeof(T)) * 4 - 4 * bytes;
    return __builtin_bit_cast(T, static_cast<szx_bits<T>>(load_as<szx_bits<T>>(at) << half << half));
}

/// Step and head bytes.
template <class T>
LACONIC_SHARED_INLINE constexpr std::size_t szx_chunk_head_bytes(std::size_t count) noexcept {
    return sizeof(T) + blocks_in(count);
}
/// No chunk of `count` values is larger: no block is larger than its values.
template <class T>
LACONIC_SHARED_INLINE constexpr std::size_t szx_chunk_bytes(std::size_t count) noexcept {
    return szx_chunk_head_bytes<T>(count) + count * sizeof(T);
}

}  // namespace laconic::codec
