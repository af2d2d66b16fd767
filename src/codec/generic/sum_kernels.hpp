// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on the compressed form: chunk + chunk, chunk - chunk, chunk x integer, and the smaller or larger of two
// chunks element by element. Sums and products work on the deltas; only min and max go back to the integers.
#pragma once

#include "codec/generic/chunk_reader.hpp"
#include "codec/generic/delta_chain.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct sum_kernels {
    using ops = block_ops<S, T>;
    using base_type = typename ops::base_type;
    using ints = typename S::ints;

    static base_type base_of(const chunk_view& view) noexcept { return load_as<base_type>(view.begin); }
    static base_type wrap(std::uint64_t v) noexcept { return static_cast<base_type>(v); }

    static LACONIC_INLINE void copy_planes(const std::byte* from, unsigned width, std::byte* to) noexcept {
        S::copy64(from, to);
        if (LACONIC_UNLIKELY(width > 16)) S::copy64(from + 64, to + 64);
    }

    /// Sum or difference of two plain chunks in 32-bit lanes.
    template <bool Subtract>
    static std::size_t add_chunk_fast(const chunk_view& a, const chunk_view& b, std::size_t count,
                                      chunk_writer<T>& writer, std::byte* out) noexcept {
        const std::size_t block_count = blocks_in(count);
        const std::byte* from_a = a.payload;
        const std::byte* from_b = b.payload;
        std::byte* at = writer.begin(out, count);
        for (std::size_t block = 0; block < block_count; ++block) {
            const unsigned rate_a = a.rates[block];
            const unsigned rate_b = b.rates[block];
            const unsigned width_a = rate_a & width_mask;
            const unsigned width_b = rate_b & width_mask;
            unsigned width;
            if (LACONIC_UNLIKELY(width_b == 0 || (!Subtract && width_a == 0))) {
                width = width_a | width_b;
                copy_planes(width_a == 0 ? from_b : from_a, width, at);
            } else if (!LACONIC_UNLIKELY(width_a > 15 || width_b > 15 || (Subtract && width_a == 0))) {
                const auto words_a = S::get_words(from_a, width_a);
                const auto words_b = S::get_words(from_b, width_b);
                if constexpr (Subtract)
                    width = S::width_from(S::put_words(S::subtract(words_a, words_b), at, 0));
                else
                    width = S::width_from(S::put_words(S::add(words_a, words_b), at, 0));
            } else {
                const ints ints_a = ops::get(from_a, width_a);
                const ints ints_b = ops::get(from_b, width_b);
                width = ops::put(Subtract ? S::subtract(ints_a, ints_b) : S::add(ints_a, ints_b), at);
            }
            from_a += std::size_t{4} * width_a;
            from_b += std::size_t{4} * width_b;
            at += std::size_t{4} * width;
            if (LACONIC_UNLIKELY((rate_a | rate_b) & kind_mask)) {
                const std::uint32_t signs = ops::take_signs(rate_a, from_a) & ops::take_signs(rate_b, from_b);
                if (!Subtract && signs != 0) {
                    store_as(at, signs);
                    at += 4;
                    width |= kind_signed;
                }
            }
            writer.rates[block] = static_cast<std::uint8_t>(width);
        }
        const auto base_a = static_cast<std::uint64_t>(base_of(a));
        const auto base_b = static_cast<std::uint64_t>(base_of(b));
        return writer.finish(wrap(Subtract ? base_a - base_b : base_a + base_b), at);
    }

    static std::size_t add_exactly(const chunk_view& a, const chunk_view& b, std::size_t count, const sum_rule<T>& how,
                                   bool subtract, std::byte* out, bool& exact) noexcept {
        chunk_model<T> sum;
        chunk_model<T> other;
        read_chunk(a, count, how.row, sum);
        read_chunk(b, count, how.row, other);
        if (subtract) scale_chunk(other, -1, how, exact);
        add_chunk(sum, other, how, exact);
        return write_chunk(sum, how.row, out);
    }

    template <bool Subtract>
    static stream_fault add(const sequence& a, const sequence& b, std::size_t count, const sum_rule<T>& how, sink out,
                            sum_report& report) noexcept {
        chunk_cursor<T> cursor_a(a);
        chunk_cursor<T> cursor_b(b);
        chunk_writer<T> writer;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view_a;
            chunk_view view_b;
            if (const auto fault = cursor_a.next(n, view_a); fault != stream_fault::none) return fault;
            if (const auto fault = cursor_b.next(n, view_b); fault != stream_fault::none) return fault;
            ops::note_chunk(out, at);
            const bool fast = view_a.plain && view_b.plain && how.magnitude <= narrow_magnitude(how.row);
            at += fast ? add_chunk_fast<Subtract>(view_a, view_b, n, writer, at)
                       : add_exactly(view_a, view_b, n, how, Subtract, at, report.exact);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return cursor_a.at_end() && cursor_b.at_end() ? stream_fault::none : stream_fault::corrupt;
    }

    /// how.magnitude is that of the product.
    static stream_fault scale(const sequence& a, std::int32_t factor, std::size_t count, const sum_rule<T>& how,
                              sink out, sum_report& report) noexcept {
        chunk_cursor<T> cursor(a);
        chunk_writer<T> writer;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
            ops::note_chunk(out, at);
            if (!view.plain || how.magnitude > narrow_magnitude(how.row)) {
                chunk_model<T> model;
                read_chunk(view, n, how.row, model);
                scale_chunk(model, factor, how, report.exact);
                at += write_chunk(model, how.row, at);
                continue;
            }
            const std::byte* from = view.payload;
            std::byte* to = writer.begin(at, n);
            for (std::size_t block = 0; block < blocks_in(n); ++block) {
                const unsigned rate = view.rates[block];
                unsigned width = ops::put(S::multiply(ops::get(from, rate & width_mask), factor), to);
                from += std::size_t{4} * (rate & width_mask);
                to += std::size_t{4} * width;
                const std::uint32_t signs = ops::take_signs(rate, from);
                if (LACONIC_UNLIKELY(signs != 0 && factor > 0)) {
                    store_as(to, signs);
                    to += 4;
                    width |= kind_signed;
                }
                writer.rates[block] = static_cast<std::uint8_t>(width);
            }
            at += writer.finish(
                wrap(static_cast<std::uint64_t>(base_of(view)) * static_cast<std::uint64_t>(std::int64_t{factor})), to);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }

    /// Lanes whose result is -0.0, where some lane of a or b is.
    static std::uint32_t extreme_signs(const ints& a, std::uint32_t signs_a, const ints& b, std::uint32_t signs_b,
                                       bool larger) noexcept {
        alignas(64) std::int32_t lane_a[block_values];
        alignas(64) std::int32_t lane_b[block_values];
        S::store_ints(lane_a, a);
        S::store_ints(lane_b, b);
        std::uint32_t signs = 0;
        for (std::size_t lane = 0; lane < block_values; ++lane)
            signs |= extreme_sign(lane_a[lane], signs_a, lane_b[lane], signs_b, lane, larger);
        return signs;
    }

    template <bool Rows>
    static stream_fault extreme_all(const sequence& a, const sequence& b, std::size_t count, bool larger,
                                    const sum_rule<T>& how, sink out, sum_report& report) noexcept {
        chunk_cursor<T> cursor_a(a);
        chunk_cursor<T> cursor_b(b);
        chunk_writer<T> writer;
        delta_restorer<S, Rows> chain_a(how.row);
        delta_restorer<S, Rows> chain_b(how.row);
        delta_maker<S, Rows> chain(how.row);
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view_a;
            chunk_view view_b;
            if (const auto fault = cursor_a.next(n, view_a); fault != stream_fault::none) return fault;
            if (const auto fault = cursor_b.next(n, view_b); fault != stream_fault::none) return fault;
            ops::note_chunk(out, at);
            if (!view_a.plain || !view_b.plain || how.magnitude > narrow_magnitude(how.row)) {
                chunk_model<T> model;
                chunk_model<T> other;
                read_chunk(view_a, n, how.row, model);
                read_chunk(view_b, n, how.row, other);
                extreme_chunk(model, other, larger, how, report.exact);
                at += write_chunk(model, how.row, at);
                continue;
            }
            const std::byte* from_a = view_a.payload;
            const std::byte* from_b = view_b.payload;
            chain_a.begin(static_cast<std::int32_t>(base_of(view_a)));
            chain_b.begin(static_cast<std::int32_t>(base_of(view_b)));
            chain.begin();
            std::byte* to = writer.begin(at, n);
            for (std::size_t block = 0; block < blocks_in(n); ++block) {
                const unsigned rate_a = view_a.rates[block];
                const unsigned rate_b = view_b.rates[block];
                const ints q_a = chain_a.template next<ops>(from_a, rate_a & width_mask, block);
                const ints q_b = chain_b.template next<ops>(from_b, rate_b & width_mask, block);
                from_a += std::size_t{4} * (rate_a & width_mask);
                from_b += std::size_t{4} * (rate_b & width_mask);
                const ints q = larger ? S::larger(q_a, q_b) : S::smaller(q_a, q_b);
                unsigned width = ops::put(chain.next(q, block, lanes_in(n, block)), to);
                to += std::size_t{4} * width;
                if (LACONIC_UNLIKELY((rate_a | rate_b) & kind_mask)) {
                    const std::uint32_t signs_a = ops::take_signs(rate_a, from_a);
                    const std::uint32_t signs =
                        extreme_signs(q_a, signs_a, q_b, ops::take_signs(rate_b, from_b), larger);
                    if (signs != 0) {
                        store_as(to, signs);
                        to += 4;
                        width |= kind_signed;
                    }
                }
                writer.rates[block] = static_cast<std::uint8_t>(width);
            }
            at += writer.finish(base_type{chain.base()}, to);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return cursor_a.at_end() && cursor_b.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
    /// The smaller or the larger of two elements each.
    static stream_fault extreme(const sequence& a, const sequence& b, std::size_t count, bool larger,
                                const sum_rule<T>& how, sink out, sum_report& report) noexcept {
        return how.row == 0 ? extreme_all<false>(a, b, count, larger, how, out, report)
                            : extreme_all<true>(a, b, count, larger, how, out, report);
    }
};

}  // namespace
}  // namespace laconic::codec
