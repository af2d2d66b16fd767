// SPDX-License-Identifier: BSD-3-Clause
// The shape of a chunk, as docs/format/stream.md specifies it: what a rate byte says and how many bytes follow from
// it. Everything here is forced inline: these functions are compiled into engines with different instruction sets,
// and a shared out-of-line copy could contain instructions that the processor lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/fle.hpp"

#define LACONIC_INLINE inline __attribute__((always_inline))
#define LACONIC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

namespace laconic::codec {

// Rate byte: two bits of kind above six bits of width (bit-planes of 4 bytes).
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
struct integer_limits;
template <>
struct integer_limits<float> {
    using base_type = std::int32_t;
    static constexpr std::int64_t contribution = std::int64_t{1} << 24;
    static constexpr std::int64_t sum = (std::int64_t{1} << 30) - 1;
};
template <>
struct integer_limits<double> {
    using base_type = std::int64_t;
    static constexpr std::int64_t contribution = std::int64_t{1} << 50;
    static constexpr std::int64_t sum = (std::int64_t{1} << 61) - 1;
};

/// Below this magnitude a chunk is processed in 32-bit lanes: sums and deltas cannot leave int32.
inline constexpr std::uint64_t narrow_magnitude = (std::uint64_t{1} << 30) - 1;

/// Engines may read and write this many bytes past a block's payload; bounds and guards allow for it.
inline constexpr std::size_t slack_bytes = 128;

template <class T>
inline constexpr std::size_t base_bytes = sizeof(typename integer_limits<T>::base_type);

LACONIC_INLINE constexpr std::size_t blocks_in(std::size_t values) noexcept {
    return (values + block_values - 1) / block_values;
}
/// Base and rate bytes, padded so that planes are 4-byte aligned.
template <class T>
LACONIC_INLINE constexpr std::size_t chunk_head_bytes(std::size_t blocks) noexcept {
    return base_bytes<T> + (blocks + 3) / 4 * 4;
}
/// Payload bytes of a block of `lanes` values.
template <class T>
LACONIC_INLINE constexpr std::size_t block_bytes(unsigned rate, std::size_t lanes) noexcept {
    const std::size_t planes = (rate & width_mask) * 4;
    switch (rate & kind_mask) {
        case kind_plain: return planes;
        case kind_signed: return planes + 4;
        case kind_raw: return lanes * sizeof(T);
        default: return planes + 4 + lanes * 2 * sizeof(T);
    }
}
/// False for rate bytes that no encoder writes.
template <class T>
LACONIC_INLINE constexpr bool rate_is_valid(unsigned rate) noexcept {
    if ((rate & kind_mask) == kind_raw) return (rate & width_mask) == 0;
    return sizeof(T) == 8 || (rate & width_mask) <= 32;
}

/// False for flag words of mixed blocks that no encoder writes: unknown bits, or planes behind a held chain.
LACONIC_INLINE constexpr bool flags_are_valid(std::uint32_t flags, unsigned rate) noexcept {
    return (flags & ~(mixed_inexact | mixed_held)) == 0 && ((flags & mixed_held) == 0 || (rate & width_mask) == 0);
}

template <class V>
LACONIC_INLINE V load_as(const std::byte* from) noexcept {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class V>
LACONIC_INLINE void store_as(std::byte* to, V value) noexcept {
    std::memcpy(to, &value, sizeof value);
}

/// Chunk table entry: the low 32 bits of the chunk's offset in units of 4 bytes. Offsets only grow, by less than
/// 2^32 units a chunk, so a reader recovers the upper bits.
inline constexpr std::size_t table_entry_bytes = 4;
LACONIC_INLINE std::uint32_t chunk_entry(std::ptrdiff_t offset_bytes) noexcept {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(offset_bytes) / 4);
}

/// Worst case of one chunk of a contribution, and of a sum.
template <class T>
inline constexpr std::size_t contribution_chunk_bytes = base_bytes<T> + chunk_blocks + chunk_values * sizeof(T);
template <class T>
inline constexpr std::size_t sum_chunk_bytes = base_bytes<T> + chunk_blocks +
                                               chunk_blocks*(width_mask * 4 + 4) + chunk_values * 2 * sizeof(T);

/// The public range from the extremes that a loop found; counts non-finite values only when there are any.
template <class T>
LACONIC_INLINE value_range<T> range_from(T min, T max, bool nonfinite, const std::byte* values,
                                         std::size_t count) noexcept {
    value_range<T> found;
    if (min <= max) {
        // + 0 turns -0.0 into 0.0: which zero is smallest must not depend on the engine.
        found.min = min + T{0};
        found.max = max + T{0};
        found.max_abs = -found.min > found.max ? -found.min : found.max;
    }
    for (std::size_t i = 0; nonfinite && i < count; ++i) {
        const T v = load_as<T>(values + i * sizeof(T));
        found.nonfinite += !(v - v == 0);
    }
    return found;
}

}  // namespace laconic::codec
