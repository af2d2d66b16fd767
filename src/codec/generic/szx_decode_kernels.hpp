// SPDX-License-Identifier: BSD-3-Clause
// szx chunks to values: mid-range + integer * step, in T. Chunks are hostile: every block begins inside the chunk, no
// block reads further than the slack that the caller vouches for, and the last one must end where the chunk does.
#pragma once

#include "codec/generic/block_ops.hpp"
#include "codec/szx/engine.hpp"
#include "codec/szx/layout.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct szx_decode_kernels {
    using ops = block_ops<S, T>;
    using rule_type = decltype(S::prepare(quantiser<T>{}));

    // The furthest read: a signed block's mask and head, a mid-range, a change mask, then 32 planes.
    static_assert(szx_slack_bytes >= szx_signed_bytes + sizeof(T) + 4 + 128);
    static_assert(szx_slack_bytes >= block_values * sizeof(T));
    static_assert(szx_slack_bytes >= 1 + sizeof(T) + 4 * szx_widest_wide);

    /// One block that is no escape, to 32 values at `to`. Returns its end, or null when it contradicts itself.
    static LACONIC_INLINE const std::byte* get_block(unsigned head, const std::byte* at, const rule_type& rule,
                                                     std::byte* to) noexcept {
        const unsigned mid_bytes = szx_mid_bytes<T>(head >> szx_mid_shift);
        const auto center = S::template splat<T>(szx_load_mid<T>(at, mid_bytes));
        const unsigned width = head & szx_width_mask;
        at += mid_bytes;
        if (width == 0) {
            S::template store<T>(to, center);
            return at;
        }
        if ((head & szx_repeats) == 0) {
            S::template store<T>(to, S::restored(S::template to_real<T>(ops::get(at, width)), center, rule));
            return at + std::size_t{4} * width;
        }
        const auto changed = load_as<std::uint32_t>(at);
        const auto stride = (static_cast<unsigned>(__builtin_popcount(changed)) + 7) / 8;
        if (LACONIC_UNLIKELY((changed & 1U) == 0)) return nullptr;
        at += 4;
        alignas(64) std::uint32_t planes[32] = {};
        for (unsigned p = 0; p < width; ++p)
            planes[p] = S::spread_bits(load_as<std::uint32_t>(at + std::size_t{p} * stride), changed);
        const auto q = ops::get(reinterpret_cast<const std::byte*>(planes), width);
        S::template store<T>(to, S::restored(S::template to_real<T>(q), center, rule));
        return at + std::size_t{width} * stride;
    }

    /// Escapes, and blocks of fewer than 32 values.
    static __attribute__((noinline)) const std::byte* get_odd_block(unsigned head, const std::byte* at,
                                                                    const rule_type& rule, T step, std::byte* to,
                                                                    std::size_t lanes, szx_tally& tally) noexcept {
        if (head == szx_raw) {
            std::memcpy(to, at, lanes * sizeof(T));
            ++tally.raw_blocks;
            return at + lanes * sizeof(T);
        }
        if constexpr (sizeof(T) == 8) {
            if (head == szx_wide) {
                const std::size_t bytes = szx_get_wide(at, step, to, lanes);
                return bytes == 0 ? nullptr : at + bytes;
            }
        }
        std::uint32_t zeros = 0;
        if (head == szx_signed) {
            zeros = load_as<std::uint32_t>(at);
            head = std::to_integer<unsigned>(at[4]);
            at += szx_signed_bytes;
        }
        if (szx_is_escape(head) || (head & szx_width_mask) > szx_widest) return nullptr;
        alignas(64) std::byte block[block_values * sizeof(T)];
        at = get_block(head, at, rule, block);
        if (at == nullptr) return nullptr;
        for (std::size_t lane = 0; lane < block_values; ++lane)
            if (((zeros >> lane) & 1U) != 0) store_as(block + lane * sizeof(T), -T{0});
        std::memcpy(to, block, lanes * sizeof(T));
        return at;
    }

    static stream_fault decode(const std::byte* chunk, std::size_t size, std::byte* values, std::size_t count,
                               szx_tally& tally) noexcept {
        const std::size_t block_count = blocks_in(count);
        const std::byte* const heads = chunk + sizeof(T);
        const std::byte* at = heads + block_count;
        const std::byte* const end = chunk + size;
        const T step = load_as<T>(chunk);
        if (!(step > 0 && step < std::numeric_limits<T>::infinity())) return stream_fault::corrupt;
        const rule_type rule = S::prepare(quantiser<T>{step, T{1}, T{0}, 0});
        for (std::size_t block = 0; block < block_count; ++block) {
            const auto head = std::to_integer<unsigned>(heads[block]);
            const std::size_t rest = count - block * block_values;
            std::byte* const to = values + block * block_values * sizeof(T);
            if (LACONIC_UNLIKELY(at > end)) return stream_fault::corrupt;
            ops::template fetch_ahead<1>(to);
            tally.constant_blocks += (head & (szx_width_mask | szx_repeats)) == 0;
            if (LACONIC_UNLIKELY(rest < block_values || szx_is_escape(head) || (head & szx_width_mask) > szx_widest))
                at = get_odd_block(head, at, rule, step, to, lanes_in(count, block), tally);
            else
                at = get_block(head, at, rule, to);
            if (LACONIC_UNLIKELY(at == nullptr)) return stream_fault::corrupt;
        }
        return at == end ? stream_fault::none : stream_fault::corrupt;
    }
};

}  // namespace
}  // namespace laconic::codec
