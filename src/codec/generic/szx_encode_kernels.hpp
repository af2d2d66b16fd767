// SPDX-License-Identifier: BSD-3-Clause
// Values to szx chunks: extremes of every block, a step for the chunk, then each block as one value, as planes of
// residuals from its mid-range, or uncompressed. What is written has been verified with the decoder's arithmetic.
//
// S is an engine's vocabulary of codec/generic/block_ops.hpp, extended by <engine>/szx_simd.hpp.
#pragma once

#include <limits>

#include "codec/generic/block_ops.hpp"
#include "codec/szx/engine.hpp"
#include "codec/szx/layout.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct szx_encode_kernels {
    using ops = block_ops<S, T>;
    using lanes_type = typename S::template values<T>;
    using rule_type = decltype(S::prepare(quantiser<T>{}));

    /// What is known of a chunk's blocks before any integer is formed.
    struct chunk_plan {
        T low[szx_chunk_blocks], high[szx_chunk_blocks];  // extremes of what is not NaN
        T center[szx_chunk_blocks];                       // the mid-range as it will be sent
        T half[szx_chunk_blocks];                         // how far the extremes are from the mid-range
        szx_bits<T> code[szx_chunk_blocks];               // how much of it is sent
    };
    struct block_source {
        const std::byte* values;
        std::size_t lanes;
        T low, high, center, half;
        unsigned code;
    };
    struct frame_of_reference {
        T step, limit;
        rule_type rule;
    };

    static LACONIC_INLINE T middle(T low, T high) noexcept {
        return T(0.5) * low + T(0.5) * high + T{0};  // + 0: never -0.0
    }
    static LACONIC_INLINE T larger(T a, T b) noexcept { return a > b ? a : b; }
    static LACONIC_INLINE T magnitude(T a) noexcept { return a < 0 ? -a : a; }

    /// The step of a chunk: 2 limit (1 - 2^-k), k chosen so that what smaller steps cost in planes and larger ones in
    /// blocks that miss the bound is least. Integer arithmetic decides, so that all engines agree.
    static T choose_step(const chunk_plan& plan, std::size_t block_count, T limit) noexcept {
        constexpr int classes = 4;
        constexpr T shares[classes] = {T(0.5), T(0.125), T(0x1p-5), T(0x1p-8)};
        constexpr std::size_t plane_cost[classes] = {256, 49, 12, 1};  // 1/64 byte a block
        constexpr std::size_t miss_cost = 64 * 64;
        constexpr T epsilon = std::numeric_limits<T>::epsilon();
        szx_bits<T> within[classes] = {};
        for (std::size_t block = 0; block < block_count; ++block) {
            // How far rounding in T may push a reconstruction beyond half a step: that of x, and of the residual.
            const T lost =
                larger(-plan.low[block], plan.high[block]) * (T(0.51) * epsilon) + plan.half[block] * (2 * epsilon);
            for (int k = 0; k < classes; ++k) within[k] += lost <= limit * shares[k] ? 1 : 0;
        }
        int best = 0;
        std::size_t least = ~std::size_t{0};
        for (int k = 0; k < classes; ++k) {
            // Blocks beyond the first class miss in any case.
            const std::size_t cost = block_count * plane_cost[k] + (within[0] - within[k]) * miss_cost;
            if (cost <= least) {
                least = cost;
                best = k;
            }
        }
        constexpr T largest = sizeof(T) == 4 ? T(0x1p100) : std::numeric_limits<T>::max() * T(0x1p-24);
        const T halved = (limit < largest ? limit : largest) * (T{1} - shares[best]);
        const T step = halved + halved;
        // Without a usable step whole numbers are still found.
        return step >= std::numeric_limits<T>::min() * 4 ? step : T{1};
    }

    /// Mid-ranges, and as few of their bytes as will do: a constant block has what the bound leaves of room, for
    /// residuals a mid-range that is a little off costs less than its lower bytes.
    static void place_centers(chunk_plan& plan, std::size_t block_count, T limit) noexcept {
        for (std::size_t block = 0; block < block_count; ++block) {
            const T low = plan.low[block];
            const T high = plan.high[block];
            const T mid = middle(low, high);
            const T half = larger(high - mid, mid - low);
            const T room = half <= limit ? limit - half : half * T(0.0625);
            const T room_at_zero = half <= limit ? room : half * T(0.25);
            const T second = szx_cut_mid(mid, szx_mid_bytes<T>(1));
            const T third = szx_cut_mid(mid, szx_mid_bytes<T>(2));
            const bool as_zero = magnitude(mid) <= room_at_zero;
            const bool as_second = magnitude(mid - second) <= room;
            const bool as_third = magnitude(mid - third) <= room;
            plan.half[block] = half;
            plan.center[block] = as_zero ? T{0} : as_second ? second : as_third ? third : mid;
            plan.code[block] = as_zero ? 0 : as_second ? 1 : as_third ? 2 : 3;
        }
    }

    static LACONIC_INLINE unsigned put_raw(const block_source& from, std::byte*& at, szx_tally& tally) noexcept {
        std::memcpy(at, from.values, from.lanes * sizeof(T));
        at += from.lanes * sizeof(T);
        ++tally.raw_blocks;
        return szx_raw;
    }

    /// Drops from `width` planes the lanes that repeat their predecessor. Returns the bytes after mask and planes.
    static LACONIC_INLINE std::size_t put_changes(std::uint32_t changed, unsigned stride, unsigned width,
                                                  std::byte* at) noexcept {
        alignas(64) std::byte planes[128];
        S::copy64(at, planes);
        if (width > 16) S::copy64(at + 64, planes + 64);
        store_as(at, changed);
        for (unsigned p = 0; p < width; ++p)
            store_as(at + 4 + std::size_t{p} * stride,
                     S::gather_bits(load_as<std::uint32_t>(planes + std::size_t{4} * p), changed));
        return 4 + std::size_t{width} * stride;
    }

    /// Residuals from `mid` that have been verified. Returns the head, or szx_raw having written nothing of use.
    static LACONIC_INLINE unsigned put_residuals(const typename S::ints& q, unsigned code, T mid, std::size_t room,
                                                 std::byte*& at) noexcept {
        const unsigned mid_bytes = szx_mid_bytes<T>(code);
        szx_store_mid(at, mid, mid_bytes);
        std::byte* const planes = at + mid_bytes;
        const unsigned width = ops::put(q, planes);
        const std::uint32_t changed = S::changes(q) | 1U;
        const auto stride = (static_cast<unsigned>(__builtin_popcount(changed)) + 7) / 8;
        if (LACONIC_UNLIKELY(width > szx_widest)) return szx_raw;
        unsigned head = code << szx_mid_shift | width;
        std::size_t bytes = mid_bytes + std::size_t{4} * width;
        if (width * (4 - stride) >= szx_least_saving) {
            head |= szx_repeats;
            bytes = mid_bytes + put_changes(changed, stride, width, planes);
        }
        if (bytes >= room) return szx_raw;
        at += bytes;
        return head;
    }

    static bool all_bits_equal(const block_source& from) noexcept {
        for (std::size_t lane = 1; lane < from.lanes; ++lane)
            if (std::memcmp(from.values, from.values + lane * sizeof(T), sizeof(T)) != 0) return false;
        return true;
    }

    /// Blocks with elements that miss the bound (or are not finite), or with -0.0.
    static __attribute__((noinline)) unsigned put_odd_block(const block_source& from, const lanes_type& x,
                                                            const frame_of_reference& how, std::byte*& at,
                                                            szx_tally& tally) noexcept {
        if (all_bits_equal(from)) {
            std::memcpy(at, from.values, sizeof(T));
            at += sizeof(T);
            ++tally.constant_blocks;
            return 3U << szx_mid_shift;
        }
        const std::uint32_t zeros = ops::negative_zeros(from.values, from.lanes);
        if (from.half <= how.limit) {
            T value = from.center;
            unsigned code = from.code;
            if (S::strays(x, S::template splat<T>(value), how.rule)) {
                value = middle(from.low, from.high);
                code = 3;
                if (S::strays(x, S::template splat<T>(value), how.rule)) return put_raw(from, at, tally);
            }
            const std::size_t extra = zeros == 0 ? 0 : szx_signed_bytes;
            if (extra + szx_mid_bytes<T>(code) >= from.lanes * sizeof(T)) return put_raw(from, at, tally);
            const unsigned head = code << szx_mid_shift;
            szx_store_mid(at + extra, value, szx_mid_bytes<T>(code));
            if (zeros != 0) {
                store_as(at, zeros);
                at[4] = static_cast<std::byte>(head);
            }
            at += extra + szx_mid_bytes<T>(code);
            return zeros != 0 ? szx_signed : head;
        }
        const auto center = S::template splat<T>(from.center);
        const auto q = S::quantise(S::minus(x, center), how.rule);
        if (zeros != 0 && from.lanes * sizeof(T) > szx_signed_bytes &&
            !S::strays(x, S::restored(S::template to_real<T>(q), center, how.rule), how.rule)) {
            std::byte* inner = at + szx_signed_bytes;
            const unsigned head =
                put_residuals(q, from.code, from.center, from.lanes * sizeof(T) - szx_signed_bytes, inner);
            if (head != szx_raw) {
                store_as(at, zeros);
                at[4] = static_cast<std::byte>(head);
                at = inner;
                return szx_signed;
            }
        }
        if constexpr (sizeof(T) == 8) {
            if (const std::size_t bytes =
                    szx_put_wide(from.values, from.lanes, middle(from.low, from.high), how.step, how.limit, at);
                bytes != 0) {
                at += bytes;
                return szx_wide;
            }
        }
        return put_raw(from, at, tally);
    }

    static LACONIC_INLINE unsigned put_block(const block_source& from, const lanes_type& x,
                                             const frame_of_reference& how, std::byte*& at, szx_tally& tally) noexcept {
        const auto center = S::template splat<T>(from.center);
        if (from.half <= how.limit) {
            if (LACONIC_UNLIKELY(S::stands_out(x, center, how.rule))) return put_odd_block(from, x, how, at, tally);
            szx_store_mid(at, from.center, szx_mid_bytes<T>(from.code));
            at += szx_mid_bytes<T>(from.code);
            ++tally.constant_blocks;
            return from.code << szx_mid_shift;
        }
        const auto q = S::quantise(S::minus(x, center), how.rule);
        if (LACONIC_UNLIKELY(S::stands_out(x, S::restored(S::template to_real<T>(q), center, how.rule), how.rule)))
            return put_odd_block(from, x, how, at, tally);
        const unsigned head = put_residuals(q, from.code, from.center, from.lanes * sizeof(T), at);
        if (LACONIC_UNLIKELY(head == szx_raw)) return put_odd_block(from, x, how, at, tally);
        return head;
    }

    static LACONIC_INLINE lanes_type load(const std::byte* values, std::size_t lanes) noexcept {
        return lanes == block_values ? S::template load<T>(values)
                                     : S::template load<T>(typename ops::padded_block(values, lanes).bytes);
    }

    static std::size_t encode(const std::byte* values, std::size_t count, T limit, std::byte* chunk,
                              szx_tally& tally) noexcept {
        const std::size_t block_count = blocks_in(count);
        chunk_plan plan;
        for (std::size_t block = 0; block < block_count; ++block) {
            const std::byte* from = values + block * block_values * sizeof(T);
            ops::fetch_ahead(from);
            S::find_extremes(load(from, lanes_in(count, block)), plan.low[block], plan.high[block]);
        }
        place_centers(plan, block_count, limit);
        const T step = choose_step(plan, block_count, limit);
        store_as(chunk, step);
        const frame_of_reference how{step, limit, S::prepare(quantiser<T>{step, T{1} / step, limit, 0})};
        std::byte* const heads = chunk + sizeof(T);
        std::byte* at = heads + block_count;
        for (std::size_t block = 0; block < block_count; ++block) {
            const block_source from{values + block * block_values * sizeof(T),
                                    lanes_in(count, block),
                                    plan.low[block],
                                    plan.high[block],
                                    plan.center[block],
                                    plan.half[block],
                                    static_cast<unsigned>(plan.code[block])};
            heads[block] = static_cast<std::byte>(put_block(from, load(from.values, from.lanes), how, at, tally));
        }
        return static_cast<std::size_t>(at - chunk);
    }
};

}  // namespace
}  // namespace laconic::codec
