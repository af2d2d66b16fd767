// SPDX-License-Identifier: BSD-3-Clause
// Sums on the compressed form: chunk + chunk (homomorphic) and values + chunk (fused).
#pragma once

#include "codec/generic/block_ops.hpp"
#include "codec/generic/chunk_reader.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct sum_kernels {
    using ops = block_ops<S, T>;
    using base_type = typename ops::base_type;
    using ints = typename S::ints;

    static LACONIC_INLINE void copy_planes(const std::byte* from, unsigned width, std::byte* to) noexcept {
        S::copy64(from, to);
        if (LACONIC_UNLIKELY(width > 16)) S::copy64(from + 64, to + 64);
    }

    /// Sum of two plain chunks in 32-bit lanes.
    static std::size_t add_chunk_fast(const chunk_view& a, const chunk_view& b, std::size_t count,
                                      std::byte* out) noexcept {
        const std::size_t block_count = blocks_in(count);
        std::byte* rates = out + base_bytes<T>;
        const std::byte* from_a = a.payload;
        const std::byte* from_b = b.payload;
        std::byte* at = out + chunk_head_bytes<T>(block_count);
        std::memset(at - 4, 0, 4);
        store_as(out, static_cast<base_type>(static_cast<std::uint64_t>(load_as<base_type>(a.begin)) +
                                             static_cast<std::uint64_t>(load_as<base_type>(b.begin))));
        for (std::size_t block = 0; block < block_count; ++block) {
            const auto rate_a = std::to_integer<unsigned>(a.rates[block]);
            const auto rate_b = std::to_integer<unsigned>(b.rates[block]);
            const unsigned width_a = rate_a & width_mask;
            const unsigned width_b = rate_b & width_mask;
            unsigned width;
            if (LACONIC_UNLIKELY(width_a == 0 || width_b == 0)) {
                width = width_a | width_b;
                copy_planes(width_a == 0 ? from_b : from_a, width, at);
            } else if (!LACONIC_UNLIKELY(width_a > 15 || width_b > 15)) {
                width = S::width_from(
                    S::put_words(S::add(S::get_words(from_a, width_a), S::get_words(from_b, width_b)), at, 0));
            } else {
                width = ops::put(S::add(ops::get(from_a, width_a), ops::get(from_b, width_b)), at);
            }
            from_a += std::size_t{4} * width_a;
            from_b += std::size_t{4} * width_b;
            at += std::size_t{4} * width;
            if (LACONIC_UNLIKELY((rate_a | rate_b) & kind_mask)) {
                const std::uint32_t signs = take_signs(rate_a, from_a) & take_signs(rate_b, from_b);
                if (signs != 0) {
                    store_as(at, signs);
                    at += 4;
                    width |= kind_signed;
                }
            }
            rates[block] = static_cast<std::byte>(width);
        }
        return static_cast<std::size_t>(at - out);
    }

    /// The -0.0 mask behind a block's planes (0 for a plain block), stepping over it.
    static std::uint32_t take_signs(unsigned rate, const std::byte*& from) noexcept {
        if ((rate & kind_mask) == kind_plain) return 0;
        const auto mask = load_as<std::uint32_t>(from);
        from += 4;
        return mask;
    }

    static std::size_t add_exactly(const chunk_view& a, const chunk_view& b, std::size_t count, T step, std::byte* out,
                                   bool& exact) noexcept {
        chunk_model<T> sum;
        chunk_model<T> other;
        read_chunk(a.begin, count, sum);
        read_chunk(b.begin, count, other);
        add_chunk(sum, other, step, exact);
        return write_chunk(sum, out);
    }

    static stream_fault add(const sequence& a, const sequence& b, std::size_t count, T step, std::uint64_t magnitude,
                            sink out, sum_report& report) noexcept {
        chunk_cursor<T> cursor_a(a);
        chunk_cursor<T> cursor_b(b);
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view_a;
            chunk_view view_b;
            if (const auto fault = cursor_a.next(n, view_a); fault != stream_fault::none) return fault;
            if (const auto fault = cursor_b.next(n, view_b); fault != stream_fault::none) return fault;
            ops::note_chunk(out, at);
            const bool fast = view_a.plain && view_b.plain && magnitude <= narrow_magnitude;
            at += fast ? add_chunk_fast(view_a, view_b, n, at) : add_exactly(view_a, view_b, n, step, at, report.exact);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return cursor_a.at_end() && cursor_b.at_end() ? stream_fault::none : stream_fault::corrupt;
    }

    /// Sum of values and a plain chunk in one pass; 0 when the values need the patient path, or when their integers
    /// could leave 32 bits together with those of the chunk, which do not exceed `others`.
    static std::size_t fuse_chunk(const std::byte* values, const quantiser<T>& how, const chunk_view& b,
                                  std::uint64_t others, std::size_t count, std::byte* out,
                                  std::uint64_t& magnitude) noexcept {
        const std::size_t block_count = blocks_in(count);
        std::byte* rates = out + base_bytes<T>;
        std::byte* at = out + chunk_head_bytes<T>(block_count);
        std::memset(at - 4, 0, 4);
        const std::byte* from_b = b.payload;
        const auto rule = S::prepare(how);
        auto peak = S::template no_peak<T>();
        auto carry = S::carry_of(0);
        base_type base = 0;
        for (std::size_t block = 0; block < block_count; ++block) {
            const std::byte* from = values + block * block_values * sizeof(T);
            ops::fetch_ahead(from);
            const std::size_t lanes = count - block * block_values < block_values ? count % block_values : block_values;
            const auto x = lanes == block_values ? S::template load<T>(from)
                                                 : S::template load<T>(typename ops::padded_block(from, lanes).bytes);
            const ints q = S::quantise(x, rule);
            const auto real = S::template to_real<T>(q);
            std::uint32_t signs = 0;
            if (LACONIC_UNLIKELY(S::is_odd(x, real, rule))) {
                if (S::misses(x, real, rule)) return 0;
                signs = ops::negative_zeros(from, lanes);
            }
            S::raise(peak, q, real);
            if (block == 0) {
                base = S::first(q);
                carry = S::carry_of(S::first(q));
            }
            const ints d = S::deltas(q, carry);
            carry = S::last(q);
            const auto rate_b = std::to_integer<unsigned>(b.rates[block]);
            const unsigned width_b = rate_b & width_mask;
            unsigned width;
            if (!LACONIC_UNLIKELY(width_b > 15 || !S::fits15(d))) {
                auto words = S::low_words(d);
                if (width_b != 0) words = S::add(words, S::get_words(from_b, width_b));
                width = S::width_from(S::put_words(words, at, 0));
            } else {
                width = ops::put(S::add(d, ops::get(from_b, width_b)), at);
            }
            from_b += std::size_t{4} * width_b;
            at += std::size_t{4} * width;
            if (LACONIC_UNLIKELY((rate_b & kind_mask) != kind_plain)) {
                signs &= take_signs(rate_b, from_b);
                if (signs != 0) {
                    store_as(at, signs);
                    at += 4;
                    width |= kind_signed;
                }
            }
            rates[block] = static_cast<std::byte>(width);
        }
        const std::uint64_t highest = S::template highest<T>(peak);
        if (LACONIC_UNLIKELY(highest > ops::hot_limit(how) || highest + others > narrow_magnitude)) return 0;
        magnitude = ops::larger(magnitude, highest);
        store_as(out, static_cast<base_type>(static_cast<std::uint64_t>(base) +
                                             static_cast<std::uint64_t>(load_as<base_type>(b.begin))));
        return static_cast<std::size_t>(at - out);
    }

    static std::size_t fuse_exactly(const std::byte* values, const quantiser<T>& how, const chunk_view& b,
                                    std::size_t count, std::byte* out, sum_report& report) noexcept {
        chunk_model<T> sum;
        chunk_model<T> other;
        quantise_exactly(values, count, how, sum);
        report.magnitude = ops::larger(report.magnitude, ops::peak_of(sum));
        read_chunk(b.begin, count, other);
        add_chunk(sum, other, how.step, report.exact);
        return write_chunk(sum, out);
    }

    static stream_fault add_values(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                   const sequence& b, std::uint64_t magnitude, sink out, sum_report& report) noexcept {
        chunk_cursor<T> cursor(b);
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
            const std::byte* const from = values + done * sizeof(T);
            ops::note_chunk(out, at);
            std::size_t bytes = 0;
            if (view.plain && magnitude <= narrow_magnitude)
                bytes = fuse_chunk(from, how, view, magnitude, n, at, report.magnitude);
            if (LACONIC_UNLIKELY(bytes == 0)) bytes = fuse_exactly(from, how, view, n, at, report);
            at += bytes;
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
};

}  // namespace
}  // namespace laconic::codec
