// SPDX-License-Identifier: BSD-3-Clause
// The shape of a chunk, as docs/format/stream.md specifies it: what a rate byte says and how many bytes follow from
// it. Everything here is forced inline: these functions are compiled into engines with different instruction sets,
// and a shared out-of-line copy could contain instructions that the processor lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/fle.hpp"

#define LACONIC_SHARED_INLINE inline __attribute__((always_inline))
// What an engine has for itself, in an unnamed namespace. With AddressSanitizer inlining all of it makes 34 MB of the
// AVX2 engine, which g++ takes five minutes for; every build with sanitizers is spared it.
#if defined(LACONIC_SANITIZED) || defined(__SANITIZE_ADDRESS__)
#define LACONIC_INLINE inline
#else
#define LACONIC_INLINE LACONIC_SHARED_INLINE
#endif
#define LACONIC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/// WHAT(T) for every element type T, as explicit instantiations need it.
#define LACONIC_FOR_EACH_ELEMENT(WHAT) WHAT(float) WHAT(double) WHAT(half) WHAT(bfloat16)

namespace laconic::codec {

/// What a reader found wrong with a bare sequence.
enum class stream_fault : std::uint8_t { none, truncated, corrupt };

// Every block has a 4-bit code: its width when it is plain and narrow, or one of two others; the rate bytes of extended
// blocks follow the codes.
inline constexpr unsigned widest_short_code = 13;  ///< codes 0..13: plain, this many planes
inline constexpr unsigned code_raw = 14;
inline constexpr unsigned code_extended = 15;

// Rate byte: two bits of kind above six bits of width (bit-planes of 4 bytes). In memory every block has one.
inline constexpr unsigned width_mask = 0x3F;
inline constexpr unsigned kind_mask = 0xC0;
inline constexpr unsigned kind_plain = 0x00;   ///< planes
inline constexpr unsigned kind_signed = 0x40;  ///< planes, then a mask of the lanes that are -0.0
inline constexpr unsigned kind_raw = 0x80;     ///< uncompressed values; the prediction chain is held
inline constexpr unsigned kind_mixed = 0xC0;   ///< planes, a flag word, then wide values to be added

// Flag word of a mixed block.
inline constexpr std::uint32_t mixed_inexact = 1;  ///< the wide values were added with rounding
inline constexpr std::uint32_t mixed_held = 2;     ///< no planes: the chain is held and the wide values stand alone

/// Every |q| of a contribution, and of a sum, stays at or below these; larger ones are carried raw.
template <class T>
struct integer_limits {
    using base_type = std::int32_t;
    /// The deltas of 16-bit types hardly take more room than the values themselves: 15 planes, with rows 16.
    static constexpr std::int64_t contribution = sizeof(T) == 2 ? (1 << 13) - 1 : 1 << 24;
    static constexpr std::int64_t sum = (std::int64_t{1} << 30) - 1;
};
template <>
struct integer_limits<double> {
    using base_type = std::int64_t;
    static constexpr std::int64_t contribution = std::int64_t{1} << 50;
    static constexpr std::int64_t sum = (std::int64_t{1} << 61) - 1;
};

/// Row prediction takes differences of differences, which need two more bits.
template <class T>
LACONIC_SHARED_INLINE constexpr std::int64_t sum_limit(std::uint32_t row) noexcept {
    return row == 0 ? integer_limits<T>::sum : integer_limits<T>::sum >> 2;
}

/// Up to this magnitude a chunk is processed in 32-bit lanes: sums and deltas cannot leave int32.
LACONIC_SHARED_INLINE constexpr std::uint64_t narrow_magnitude(std::uint32_t row) noexcept {
    return (std::uint64_t{1} << (row == 0 ? 30 : 28)) - 1;
}

/// Engines may read and write this many bytes past a block's payload, and a chunk may be written this much too late
/// and moved back; bounds and guards allow for it.
inline constexpr std::size_t slack_bytes = 256;

template <class T>
inline constexpr std::size_t base_bytes = sizeof(typename integer_limits<T>::base_type);

LACONIC_SHARED_INLINE constexpr std::size_t blocks_in(std::size_t values) noexcept {
    return (values + block_values - 1) / block_values;
}
/// Values in a block of an array of `count`: 32, in the last one what remains.
LACONIC_SHARED_INLINE constexpr std::size_t lanes_in(std::size_t count, std::size_t block) noexcept {
    const std::size_t rest = count - block * block_values;
    return rest < block_values ? rest : block_values;
}
/// 4-bit codes of all blocks, in whole words.
LACONIC_SHARED_INLINE constexpr std::size_t code_bytes(std::size_t blocks) noexcept { return (blocks + 7) / 8 * 4; }
/// Rate bytes of extended blocks, padded so that planes are 4-byte aligned.
LACONIC_SHARED_INLINE constexpr std::size_t extension_bytes(std::size_t extended) noexcept {
    return (extended + 3) / 4 * 4;
}
/// The code of a rate byte.
LACONIC_SHARED_INLINE constexpr unsigned code_of(unsigned rate) noexcept {
    return rate <= widest_short_code ? rate : rate == kind_raw ? code_raw : code_extended;
}
/// One raw part of a mixed block: one or two binary64.
template <class T>
inline constexpr std::size_t wide_bytes = sizeof(T) == 8 ? 16 : 8;

/// Payload bytes of a block of `lanes` values.
template <class T>
LACONIC_SHARED_INLINE constexpr std::size_t block_bytes(unsigned rate, std::size_t lanes) noexcept {
    const std::size_t planes = (rate & width_mask) * 4;
    switch (rate & kind_mask) {
        case kind_plain: return planes;
        case kind_signed: return planes + 4;
        case kind_raw: return lanes * sizeof(T);
        default: return planes + 4 + lanes * wide_bytes<T>;
    }
}
/// False for rate bytes that no encoder writes behind the codes.
template <class T>
LACONIC_SHARED_INLINE constexpr bool extension_is_valid(unsigned rate) noexcept {
    if (code_of(rate) != code_extended || (rate & kind_mask) == kind_raw) return false;
    return sizeof(T) == 8 || (rate & width_mask) <= 32;
}

/// False for flag words of mixed blocks that no encoder writes: unknown bits, or planes behind a held chain.
LACONIC_SHARED_INLINE constexpr bool flags_are_valid(std::uint32_t flags, unsigned rate) noexcept {
    return (flags & ~(mixed_inexact | mixed_held)) == 0 && ((flags & mixed_held) == 0 || (rate & width_mask) == 0);
}

template <class V>
LACONIC_SHARED_INLINE V load_as(const std::byte* from) noexcept {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class V>
LACONIC_SHARED_INLINE void store_as(std::byte* to, V value) noexcept {
    std::memcpy(to, &value, sizeof value);
}

/// Chunk table entry: the low 32 bits of the chunk's offset in units of 4 bytes. Offsets only grow, by less than
/// 2^32 units a chunk, so a reader recovers the upper bits.
inline constexpr std::size_t table_entry_bytes = 4;
LACONIC_SHARED_INLINE std::uint32_t chunk_entry(std::ptrdiff_t offset_bytes) noexcept {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(offset_bytes) / 4);
}

/// Least and most bytes of a whole chunk of a contribution, and the most of a sum.
template <class T>
inline constexpr std::size_t least_chunk_bytes = base_bytes<T> + code_bytes(chunk_blocks);
template <class T>
inline constexpr std::size_t contribution_chunk_bytes = least_chunk_bytes<T> + chunk_values * sizeof(T) +
                                                        (sizeof(T) == 2 ? 6 : 0) * chunk_blocks;
template <class T>
inline constexpr std::size_t sum_chunk_bytes = least_chunk_bytes<T> + extension_bytes(chunk_blocks) +
                                               chunk_blocks*(width_mask * 4 + 4) + chunk_values* wide_bytes<T>;

/// A value in the type that it is computed with.
template <class T>
LACONIC_SHARED_INLINE real_type<T> load_real(const std::byte* from) noexcept {
    return static_cast<real_type<T>>(load_as<T>(from));
}

/// The public range from the extremes that a loop found; counts non-finite values only when there are any.
template <class T>
LACONIC_SHARED_INLINE value_range<T> range_from(real_type<T> min, real_type<T> max, bool nonfinite,
                                                const std::byte* values, std::size_t count) noexcept {
    value_range<T> found;
    if (min <= max) {
        // + 0 turns -0.0 into 0.0: which zero is smallest must not depend on the engine.
        found.min = min + real_type<T>{0};
        found.max = max + real_type<T>{0};
        found.max_abs = -found.min > found.max ? -found.min : found.max;
    }
    for (std::size_t i = 0; nonfinite && i < count; ++i) {
        const auto v = load_real<T>(values + i * sizeof(T));
        found.nonfinite += !(v - v == 0);
    }
    return found;
}

}  // namespace laconic::codec
