// SPDX-License-Identifier: BSD-3-Clause
// One chunk, held as plain arrays: the patient path for everything the engines leave out (raw and mixed blocks in
// sums, integers beyond 32 bits, tails of hostile streams). It is compiled once, so every engine gives its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/chunk_head.hpp"
#include "codec/fle.hpp"
#include "codec/layout.hpp"

namespace laconic::codec {

/// Wrapping arithmetic: hostile streams may overflow, which must not be undefined.
[[nodiscard]] LACONIC_SHARED_INLINE std::int64_t wrap_add(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] LACONIC_SHARED_INLINE std::int64_t wrap_sub(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// The bit of `lane` where the larger (or else the smaller) of two integers stands for -0.0, which is less than +0.0;
/// the masks say which zeros of either operand do.
template <class V>
[[nodiscard]] LACONIC_SHARED_INLINE std::uint32_t extreme_sign(V a, std::uint32_t signs_a, V b, std::uint32_t signs_b,
                                                               std::size_t lane, bool larger) noexcept {
    const bool minus_a = a == 0 && ((signs_a >> lane) & 1U) != 0;
    const bool minus_b = b == 0 && ((signs_b >> lane) & 1U) != 0;
    const bool from_a = larger ? a > b : a < b;
    const bool minus = a == b ? (larger ? minus_a && minus_b : minus_a || minus_b) : from_a ? minus_a : minus_b;
    return static_cast<std::uint32_t>(minus) << lane;
}

enum class raw_form : std::uint8_t {
    none,    ///< no uncompressed part
    single,  ///< the bits of one contribution
    wide,    ///< a sum of uncompressed parts as high + low
};

/// value = q * step + raw part; a block has a quantised part, a raw part, or both.
template <class T>
struct chunk_model {
    struct block_part {
        bool quantised = true;
        bool inexact = false;
        raw_form raw = raw_form::none;
        std::uint32_t negative_zeros = 0;  ///< lanes with q == 0 that stand for -0.0
    };
    std::size_t count = 0;
    std::array<block_part, chunk_blocks> blocks;
    std::array<std::int64_t, chunk_values> q;
    std::array<T, chunk_values> single;
    std::array<double, chunk_values> high, low;  ///< exact sum of raw parts; low is 0 but for f64

    [[nodiscard]] LACONIC_SHARED_INLINE std::size_t lanes(std::size_t block) const noexcept {
        return lanes_in(count, block);
    }
};

/// Quantises `count` values (<= chunk_values) into a model.
template <class T>
void quantise_exactly(const std::byte* values, std::size_t count, const quantiser<T>& how,
                      chunk_model<T>& model) noexcept;

/// Whether a block meets the bound with integers of up to 64 bits: what the 32-bit lanes reject may still not be raw.
template <class T>
[[nodiscard]] bool is_quantisable(const std::byte* values, std::size_t lanes, const quantiser<T>& how) noexcept;

/// Reads the chunk that begins at `chunk`, with the payload and the rates that a chunk_cursor found there.
template <class T>
void read_chunk(const std::byte* chunk, const std::byte* payload, const block_rates& rates, std::size_t count,
                std::uint32_t row, chunk_model<T>& model) noexcept;

/// a += b. Integers that leave the sum's range move to the raw part. Clears `exact` when raw parts were rounded.
template <class T>
void add_chunk(chunk_model<T>& a, const chunk_model<T>& b, const sum_rule<T>& how, bool& exact) noexcept;

/// a *= factor, likewise. A factor <= 0 makes zeros +0.0; -1 flips the signs of raw values and nothing else.
template <class T>
void scale_chunk(chunk_model<T>& a, std::int32_t factor, const sum_rule<T>& how, bool& exact) noexcept;

/// Each element of a becomes the smaller (or larger) of a's and b's; NaN wins over numbers, -0.0 is less than +0.0.
template <class T>
void extreme_chunk(chunk_model<T>& a, const chunk_model<T>& b, bool larger, const sum_rule<T>& how,
                   bool& exact) noexcept;

/// A chunk of integers alone.
template <class T>
void take_integers(const std::int32_t* q, std::size_t count, chunk_model<T>& model) noexcept;

/// Writes the canonical bytes of a model and returns how many (<= sum_chunk_bytes).
template <class T>
std::size_t write_chunk(const chunk_model<T>& model, std::uint32_t row, std::byte* out) noexcept;

/// Values of a model: q * step + raw / divisor, correctly rounded (16-bit types: to binary32 and then to T).
template <class T>
void restore_values(const chunk_model<T>& model, real_type<T> step, std::uint32_t divisor, std::byte* values) noexcept;

}  // namespace laconic::codec
