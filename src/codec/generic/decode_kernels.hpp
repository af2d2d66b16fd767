// SPDX-License-Identifier: BSD-3-Clause
// Chunks to values: planes, prefix sums, one multiplication.
#pragma once

#include "codec/generic/block_ops.hpp"
#include "codec/generic/chunk_reader.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct decode_kernels {
    using ops = block_ops<S, T>;
    using base_type = typename ops::base_type;
    using ints = typename S::ints;

    static void decode_exactly(const chunk_view& view, std::size_t count, const restore_rule<T>& how,
                               std::byte* values) noexcept {
        chunk_model<T> model;
        read_chunk(view.begin, count, model);
        restore_values(model, how.step, how.divisor, values);
    }

    /// -0.0 at the masked lanes that decoded to zero.
    static void set_signs(std::uint32_t mask, std::size_t lanes, std::byte* values) noexcept {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (((mask >> lane) & 1U) == 0 || load_as<T>(values + lane * sizeof(T)) != 0) continue;
            store_as(values + lane * sizeof(T), -T{0});
        }
    }

    template <bool Wide>
    static void decode_chunk(const chunk_view& view, std::size_t count, T step, std::byte* values) noexcept {
        const std::byte* at = view.payload;
        auto carry = S::carry_of(static_cast<std::int32_t>(load_as<base_type>(view.begin)));
        const auto scale = S::template scale_of<T, Wide>(step);
        const std::size_t block_count = blocks_in(count);
        for (std::size_t block = 0; block < block_count; ++block) {
            const auto rate = std::to_integer<unsigned>(view.rates[block]);
            const unsigned width = rate & width_mask;
            const std::size_t rest = count - block * block_values;
            std::byte* const to = values + block * block_values * sizeof(T);
            ops::template fetch_ahead<1>(to);
            if (LACONIC_UNLIKELY((rate & kind_mask) == kind_raw)) {
                const std::size_t bytes = (rest < block_values ? rest : block_values) * sizeof(T);
                std::memcpy(to, at, bytes);
                at += bytes;
                continue;
            }
            const ints q =
                width <= prefix16_width ? S::prefix_words(at, width, carry) : S::prefix(ops::get(at, width), carry);
            at += std::size_t{4} * width;
            if (LACONIC_UNLIKELY(rest < block_values || (rate & kind_mask) != kind_plain)) {
                alignas(64) std::byte buffer[block_values * sizeof(T)];
                const std::size_t lanes = rest < block_values ? rest : block_values;
                S::store(buffer, S::template restore<T, Wide>(q, scale));
                if ((rate & kind_mask) != kind_plain) {
                    set_signs(load_as<std::uint32_t>(at), lanes, buffer);
                    at += 4;
                }
                std::memcpy(to, buffer, lanes * sizeof(T));
            } else {
                S::store(to, S::template restore<T, Wide>(q, scale));
            }
        }
    }

    /// True when the hot loops can take the chunk: 32-bit integers, no mixed blocks.
    static bool is_simple(const chunk_view& view, std::size_t count) noexcept {
        if (view.plain) return true;
        for (std::size_t block = 0; block < blocks_in(count); ++block) {
            const auto rate = std::to_integer<unsigned>(view.rates[block]);
            if ((rate & kind_mask) == kind_mixed || (rate & width_mask) > 32) return false;
        }
        return true;
    }

    static stream_fault decode(const sequence& from, const restore_rule<T>& how, std::byte* values,
                               std::size_t count) noexcept {
        chunk_cursor<T> cursor(from);
        // Below 2^24 every integer is exact in float and one multiplication rounds once; above, double does it.
        const bool wide = sizeof(T) == 4 && how.magnitude > (std::uint64_t{1} << 24);
        const bool narrow = how.magnitude <= narrow_magnitude;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
            std::byte* const to = values + done * sizeof(T);
            if (!narrow || !is_simple(view, n) || (how.divisor != 1 && !view.plain)) {
                decode_exactly(view, n, how, to);
            } else if (wide) {
                decode_chunk<true>(view, n, how.step, to);
            } else {
                decode_chunk<false>(view, n, how.step, to);
            }
        }
        return cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
};

}  // namespace
}  // namespace laconic::codec
