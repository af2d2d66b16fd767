// SPDX-License-Identifier: BSD-3-Clause
// What the loops share: 32 deltas to planes and back, short blocks, -0.0 masks, prefetching, the chunk table.
//
// S is an engine's vector vocabulary (simd.hpp in each engine's folder): values<T>, ints, words (16-bit), carry and
// peak over 32 lanes, and the operations used in this folder. The headers here are included by exactly one source file
// per engine, which is compiled for its instruction set; everything is in an unnamed namespace so that no copy can be
// shared between engines.
#pragma once

#include "codec/engine.hpp"
#include "codec/exact.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

/// Widths up to this sum to prefixes that stay in 16 bits: 32 deltas of 11 bits.
constexpr unsigned prefix16_width = 11;

/// How far ahead the raw side is fetched. Hardware prefetchers stop at page ends; two pages ahead keeps them running.
/// Measured on Zen 5 at 64 MB: compress 1.25 -> 1.55, decompress 1.3 -> 1.5, fused sum 0.8 -> 1.25 of memcpy.
constexpr std::size_t fetch_ahead_bytes = 8192;

template <class S, class T>
struct block_ops {
    using base_type = typename integer_limits<T>::base_type;
    using ints = typename S::ints;

    /// A block of fewer than 32 values, filled up with its last one so that the extra deltas are 0.
    struct padded_block {
        alignas(64) std::byte bytes[block_values * sizeof(T)];
        padded_block(const std::byte* values, std::size_t lanes) noexcept {
            std::memcpy(bytes, values, lanes * sizeof(T));
            for (std::size_t lane = lanes; lane < block_values; ++lane)
                std::memcpy(bytes + lane * sizeof(T), values + (lanes - 1) * sizeof(T), sizeof(T));
        }
    };

    /// Mask of the lanes that hold -0.0.
    static std::uint32_t negative_zeros(const std::byte* values, std::size_t lanes) noexcept {
        std::uint32_t mask = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto x = load_real<T>(values + lane * sizeof(T));
            mask |= static_cast<std::uint32_t>(x == 0 && __builtin_signbit(x) != 0) << lane;
        }
        return mask;
    }

    /// Writes the planes of 32 deltas; returns the width.
    static LACONIC_INLINE unsigned put(const ints& deltas, std::byte* at) noexcept {
        if (!LACONIC_UNLIKELY(!S::fits16(deltas))) return S::put16(deltas, at);
        const std::uint32_t low = S::put_words(S::low_words(deltas), at, 0);
        const std::uint32_t high = S::put_words(S::high_words(deltas), at + 64, load_as<std::uint32_t>(at + 60));
        const std::uint32_t changed = low | high << 16;
        return changed == 0 ? 0 : 32U - static_cast<unsigned>(__builtin_clz(changed));
    }
    /// Reads the deltas of a block of width 0..32.
    static LACONIC_INLINE ints get(const std::byte* at, unsigned width) noexcept {
        if (width == 0) return S::zero();
        if (width <= 16) return S::widen(S::get_words(at, width));
        return S::join(S::get_words(at, 16), S::get_words(at + 64, width - 16));
    }

    static LACONIC_INLINE std::uint64_t larger(std::uint64_t a, std::uint64_t b) noexcept { return a < b ? b : a; }

    /// Largest |q| in a chunk.
    static std::uint64_t peak_of(const chunk_model<T>& model) noexcept {
        std::uint64_t peak = 0;
        for (std::size_t i = 0; i < model.count; ++i) {
            if (!model.blocks[i / block_values].quantised) continue;
            peak = larger(peak, static_cast<std::uint64_t>(model.q[i] < 0 ? -model.q[i] : model.q[i]));
        }
        return peak;
    }

    /// The -0.0 mask behind a block's planes (0 for a plain block), stepping over it.
    static LACONIC_INLINE std::uint32_t take_signs(unsigned rate, const std::byte*& from) noexcept {
        if (!LACONIC_UNLIKELY((rate & kind_mask) != kind_plain)) return 0;
        const auto mask = load_as<std::uint32_t>(from);
        from += 4;
        return mask;
    }

    /// Planes of a delta between two integers of a contribution in the hot loops.
    static constexpr unsigned widest_delta = sizeof(T) == 2 ? 15 : sizeof(T) == 4 ? 27 : 32;
    static_assert(widest_delta * 4 + 4 <= block_values * sizeof(T));

    /// Fetches the lines of a raw block that will be read (or written) a while later; reaching past the array is
    /// harmless.
    template <int Write = 0>
    static LACONIC_INLINE void fetch_ahead(const std::byte* block) noexcept {
        for (std::size_t line = 0; line < block_values * sizeof(T); line += 64)
            __builtin_prefetch(block + fetch_ahead_bytes + line, Write);
    }

    /// Records where the next chunk starts, if the caller wants a table.
    static LACONIC_INLINE void note_chunk(sink& out, const std::byte* at) noexcept {
        if (out.table == nullptr) return;
        store_as(out.table, chunk_entry(at - out.bytes));
        out.table += table_entry_bytes;
    }
};

}  // namespace
}  // namespace laconic::codec
