// SPDX-License-Identifier: BSD-3-Clause
// Chunks to values: planes, prefix sums, one multiplication; and chunks to the integers alone.
#pragma once

#include "codec/generic/chunk_reader.hpp"
#include "codec/generic/delta_chain.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct decode_kernels {
    using ops = block_ops<S, T>;
    using base_type = typename ops::base_type;
    using real = real_type<T>;
    using ints = typename S::ints;

    static void decode_exactly(const chunk_view& view, std::size_t count, const restore_rule<T>& how, std::byte* values,
                               bool& exact) noexcept {
        chunk_model<T> model;
        read_chunk(view, count, how.row, model);
        for (std::size_t block = 0; block < blocks_in(count); ++block) exact &= !model.blocks[block].inexact;
        restore_values(model, how.step, how.divisor, values);
    }

    /// -0.0 at the masked lanes whose integer is 0.
    static void set_signs(const ints& q, std::uint32_t mask, std::size_t lanes, std::byte* values) noexcept {
        alignas(64) std::int32_t lane_of_q[block_values];
        S::store_ints(lane_of_q, q);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            if (((mask >> lane) & 1U) != 0 && lane_of_q[lane] == 0) store_as(values + lane * sizeof(T), T(-real{0}));
    }

    template <bool Wide, bool Rows>
    static void decode_chunk(const chunk_view& view, std::size_t count, real step, delta_restorer<S, Rows>& chain,
                             std::byte* values) noexcept {
        const std::byte* at = view.payload;
        chain.begin(static_cast<std::int32_t>(load_as<base_type>(view.begin)));
        const auto scale = S::template scale_of<real, Wide>(step);
        const std::size_t block_count = blocks_in(count);
        for (std::size_t block = 0; block < block_count; ++block) {
            const unsigned rate = view.rates[block];
            const unsigned width = rate & width_mask;
            const std::size_t rest = count - block * block_values;
            std::byte* const to = values + block * block_values * sizeof(T);
            ops::template fetch_ahead<1>(to);
            if (LACONIC_UNLIKELY((rate & kind_mask) == kind_raw)) {
                const std::size_t bytes = lanes_in(count, block) * sizeof(T);
                std::memcpy(to, at, bytes);
                at += bytes;
                chain.hold(block);
                continue;
            }
            const ints q = chain.template next<ops>(at, width, block);
            at += std::size_t{4} * width;
            if (LACONIC_UNLIKELY(rest < block_values || (rate & kind_mask) != kind_plain)) {
                const std::size_t lanes = lanes_in(count, block);
                alignas(64) std::byte buffer[block_values * sizeof(T)];
                S::template store<T>(buffer, S::template restore<real, Wide>(q, scale));
                if ((rate & kind_mask) != kind_plain) {
                    set_signs(q, load_as<std::uint32_t>(at), lanes, buffer);
                    at += 4;
                }
                std::memcpy(to, buffer, lanes * sizeof(T));
            } else {
                S::template store<T>(to, S::template restore<real, Wide>(q, scale));
            }
        }
    }

    /// True when the hot loops can take the chunk: 32-bit integers, no mixed blocks.
    static bool is_simple(const chunk_view& view, std::size_t count) noexcept {
        if (view.plain) return true;
        for (std::size_t block = 0; block < blocks_in(count); ++block) {
            const unsigned rate = view.rates[block];
            if ((rate & kind_mask) == kind_mixed || (rate & width_mask) > 32) return false;
        }
        return true;
    }

    template <bool Rows>
    static stream_fault decode_all(const sequence& from, const restore_rule<T>& how, std::byte* values,
                                   std::size_t count, bool& exact) noexcept {
        chunk_cursor<T> cursor(from);
        delta_restorer<S, Rows> chain(how.row);
        // Below 2^24 every integer is exact in float and one multiplication rounds once; above, double does it.
        const bool wide = sizeof(real) == 4 && how.magnitude > (std::uint64_t{1} << 24);
        const bool narrow = how.magnitude <= narrow_magnitude(how.row);
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
            std::byte* const to = values + done * sizeof(T);
            if (!narrow || !is_simple(view, n) || (how.divisor != 1 && !view.plain)) {
                decode_exactly(view, n, how, to, exact);
            } else if (wide) {
                decode_chunk<true, Rows>(view, n, how.step, chain, to);
            } else {
                decode_chunk<false, Rows>(view, n, how.step, chain, to);
            }
        }
        return cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
    static stream_fault decode(const sequence& from, const restore_rule<T>& how, std::byte* values, std::size_t count,
                               bool& exact) noexcept {
        return how.row == 0 ? decode_all<false>(from, how, values, count, exact)
                            : decode_all<true>(from, how, values, count, exact);
    }

    /// The integers alone. `missed` counts chunks with blocks that have others than 32-bit integers; theirs are 0.
    template <bool Rows>
    static stream_fault integers_all(const sequence& from, std::uint32_t row, std::int32_t* q, std::size_t count,
                                     std::uint64_t& missed) noexcept {
        chunk_cursor<T> cursor(from);
        delta_restorer<S, Rows> chain(row);
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
            if (!view.plain) {
                ++missed;
                std::memset(q + done, 0, n * sizeof(std::int32_t));
                continue;
            }
            const std::byte* at = view.payload;
            chain.begin(static_cast<std::int32_t>(load_as<base_type>(view.begin)));
            for (std::size_t block = 0; block < blocks_in(n); ++block) {
                const unsigned rate = view.rates[block];
                alignas(64) std::int32_t lane[block_values];
                S::store_ints(lane, chain.template next<ops>(at, rate & width_mask, block));
                at += std::size_t{4} * (rate & width_mask) + ((rate & kind_mask) != kind_plain ? 4 : 0);
                std::memcpy(q + done + block * block_values, lane, lanes_in(n, block) * sizeof(std::int32_t));
            }
        }
        return cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
    static stream_fault integers(const sequence& from, std::uint32_t row, std::int32_t* q, std::size_t count,
                                 std::uint64_t& missed) noexcept {
        return row == 0 ? integers_all<false>(from, row, q, count, missed)
                        : integers_all<true>(from, row, q, count, missed);
    }
};

}  // namespace
}  // namespace laconic::codec
