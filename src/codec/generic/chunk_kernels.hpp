// SPDX-License-Identifier: BSD-3-Clause
// The body of every engine: loops over chunks and blocks, written once against a small vector vocabulary S
// (scalar/, avx2/, avx512/simd.hpp). Included by exactly one source file per engine, which is compiled for its
// instruction set; everything is in an unnamed namespace so that no copy can be shared between engines.
//
// S supplies, for 32 lanes: values<T>, ints, words (16-bit), carry, peak<T>, and the operations used below.
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
struct chunk_kernels {
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
            const T x = load_as<T>(values + lane * sizeof(T));
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

    /// Largest |q| of a contribution in the hot loops.
    static constexpr std::uint64_t hot_limit =
        sizeof(T) == 4 ? static_cast<std::uint64_t>(integer_limits<T>::contribution) : narrow_magnitude;

    /// Fetches the lines of a raw block that will be read (or written) a while later; reaching past the array is
    /// harmless.
    template <int Write = 0>
    static LACONIC_INLINE void fetch_ahead(const std::byte* block) noexcept {
        for (std::size_t line = 0; line < block_values * sizeof(T); line += 64)
            __builtin_prefetch(block + fetch_ahead_bytes + line, Write);
    }

    // ---- encode -----------------------------------------------------------------------------------------------

    static std::size_t encode_exactly(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                      std::byte* out, encode_report& report) noexcept {
        chunk_model<T> model;
        quantise_exactly(values, count, how, model);
        for (std::size_t block = 0; block < blocks_in(count); ++block)
            report.raw_blocks += !model.blocks[block].quantised;
        report.magnitude = larger(report.magnitude, peak_of(model));
        return write_chunk(model, out);
    }

    static std::size_t encode_chunk(const std::byte* values, std::size_t count, const quantiser<T>& how, std::byte* out,
                                    encode_report& report) noexcept {
        const std::size_t block_count = blocks_in(count);
        std::byte* rates = out + base_bytes<T>;
        std::byte* at = out + chunk_head_bytes<T>(block_count);
        std::memset(at - 4, 0, 4);  // padding of the rate bytes
        const auto rule = S::prepare(how);
        auto peak = S::template no_peak<T>();
        auto carry = S::carry_of(0);
        base_type base = 0;
        std::uint64_t raw_blocks = 0;
        for (std::size_t block = 0; block < block_count; ++block) {
            const std::byte* from = values + block * block_values * sizeof(T);
            fetch_ahead(from);
            const std::size_t lanes = count - block * block_values < block_values ? count % block_values : block_values;
            const auto x = lanes == block_values ? S::template load<T>(from)
                                                 : S::template load<T>(padded_block(from, lanes).bytes);
            const ints q = S::quantise(x, rule);
            const auto real = S::template to_real<T>(q);
            std::uint32_t signs = 0;
            if (LACONIC_UNLIKELY(S::is_odd(x, real, rule))) {
                // Either an element misses the bound (or is not finite), or some are -0.0.
                if (S::misses(x, real, rule)) {
                    if (sizeof(T) == 8 && is_quantisable(from, lanes, how))
                        return encode_exactly(values, count, how, out, report);
                    std::memcpy(at, from, lanes * sizeof(T));
                    at += lanes * sizeof(T);
                    rates[block] = std::byte{kind_raw};
                    ++raw_blocks;
                    continue;
                }
                signs = negative_zeros(from, lanes);
            }
            S::raise(peak, q, real);
            if (block == 0) {
                base = S::first(q);
                carry = S::carry_of(S::first(q));
            }
            unsigned rate = put(S::deltas(q, carry), at);
            carry = S::last(q);
            at += std::size_t{4} * rate;
            if (LACONIC_UNLIKELY(signs != 0)) {
                store_as(at, signs);
                at += 4;
                rate |= kind_signed;
            }
            rates[block] = static_cast<std::byte>(rate);
        }
        const std::uint64_t magnitude = S::template highest<T>(peak);
        if (LACONIC_UNLIKELY(magnitude > hot_limit)) return encode_exactly(values, count, how, out, report);
        store_as(out, base);
        report.magnitude = larger(report.magnitude, magnitude);
        report.raw_blocks += raw_blocks;
        return static_cast<std::size_t>(at - out);
    }

    /// Records where the next chunk starts, if the caller wants a table.
    static LACONIC_INLINE void note_chunk(sink& out, const std::byte* at) noexcept {
        if (out.table == nullptr) return;
        store_as(out.table, chunk_entry(at - out.bytes));
        out.table += table_entry_bytes;
    }

    static encode_report encode(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                sink out) noexcept {
        encode_report report;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            note_chunk(out, at);
            at += encode_chunk(values + done * sizeof(T), n, how, at, report);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return report;
    }

    // ---- reading chunks ---------------------------------------------------------------------------------------

    /// Bounds of the next chunk of a sequence, checked; `plain` when every block is a plain or signed one of <= 32
    /// planes.
    struct chunk_view {
        const std::byte* begin = nullptr;
        const std::byte* rates = nullptr;
        const std::byte* payload = nullptr;
        std::size_t bytes = 0;
        bool plain = true;
    };
    static stream_fault open_chunk(const std::byte* at, const std::byte* end, std::size_t count,
                                   chunk_view& view) noexcept {
        const std::size_t block_count = blocks_in(count);
        const std::size_t head = chunk_head_bytes<T>(block_count);
        const auto available = static_cast<std::size_t>(end - at);
        if (available < head) return stream_fault::truncated;
        view.begin = at;
        view.rates = at + base_bytes<T>;
        view.payload = at + head;
        std::size_t planes = 0;
        unsigned seen = 0;
        unsigned widest = 0;
        for (std::size_t block = 0; block < block_count; ++block) {
            const auto rate = std::to_integer<unsigned>(view.rates[block]);
            planes += rate & width_mask;
            seen |= rate;
            widest = widest < (rate & width_mask) ? (rate & width_mask) : widest;
        }
        view.plain = (seen & kind_mask) == 0 && widest <= 32;
        std::size_t bytes = planes * 4;
        if (LACONIC_UNLIKELY(!view.plain)) {
            bytes = 0;
            view.plain = true;
            for (std::size_t block = 0; block < block_count; ++block) {
                const auto rate = std::to_integer<unsigned>(view.rates[block]);
                if (!rate_is_valid<T>(rate)) return stream_fault::corrupt;
                const std::size_t rest = count - block * block_values;
                bytes += block_bytes<T>(rate, rest < block_values ? rest : block_values);
                view.plain &= (rate & kind_raw) == 0 && (rate & width_mask) <= 32;
            }
        }
        view.bytes = head + bytes;
        return view.bytes <= available ? stream_fault::none : stream_fault::truncated;
    }

    /// A copy of a chunk with room behind it, for chunks whose over-reads could leave the caller's buffer.
    struct guarded_chunk {
        alignas(64) std::byte bytes[sum_chunk_bytes<T> + slack_bytes];
        LACONIC_INLINE void guard(chunk_view& view, const std::byte* end) noexcept {
            if (static_cast<std::size_t>(end - view.begin) >= view.bytes + slack_bytes) return;
            std::memcpy(bytes, view.begin, view.bytes);
            view.rates = bytes + (view.rates - view.begin);
            view.payload = bytes + (view.payload - view.begin);
            view.begin = bytes;
        }
    };

    // ---- decode -----------------------------------------------------------------------------------------------

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
            fetch_ahead<1>(to);
            if (LACONIC_UNLIKELY((rate & kind_mask) == kind_raw)) {
                const std::size_t bytes = (rest < block_values ? rest : block_values) * sizeof(T);
                std::memcpy(to, at, bytes);
                at += bytes;
                continue;
            }
            const ints q =
                width <= prefix16_width ? S::prefix_words(at, width, carry) : S::prefix(get(at, width), carry);
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

    static stream_fault decode(sequence from, const restore_rule<T>& how, std::byte* values,
                               std::size_t count) noexcept {
        const std::byte* in = from.bytes;
        const std::byte* const end = in + from.size;
        const std::byte* table = how.table;
        guarded_chunk guarded;
        // Below 2^24 every integer is exact in float and one multiplication rounds once; above, double does it.
        const bool wide = sizeof(T) == 4 && how.magnitude > (std::uint64_t{1} << 24);
        const bool narrow = how.magnitude <= narrow_magnitude;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = open_chunk(in, end, n, view); fault != stream_fault::none) return fault;
            if (table != nullptr) {
                if (load_as<std::uint32_t>(table) != chunk_entry(in - from.bytes)) return stream_fault::corrupt;
                table += table_entry_bytes;
            }
            in += view.bytes;
            guarded.guard(view, end);
            std::byte* const to = values + done * sizeof(T);
            if (!narrow || !is_simple(view, n) || (how.divisor != 1 && !view.plain)) {
                decode_exactly(view, n, how, to);
            } else if (wide) {
                decode_chunk<true>(view, n, how.step, to);
            } else {
                decode_chunk<false>(view, n, how.step, to);
            }
        }
        return in == end ? stream_fault::none : stream_fault::corrupt;
    }

    // ---- sums -------------------------------------------------------------------------------------------------

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
                width = put(S::add(get(from_a, width_a), get(from_b, width_b)), at);
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

    static stream_fault add(sequence a, sequence b, std::size_t count, T step, std::uint64_t magnitude, sink out,
                            sum_report& report) noexcept {
        const std::byte* in_a = a.bytes;
        const std::byte* in_b = b.bytes;
        const std::byte* const end_a = in_a + a.size;
        const std::byte* const end_b = in_b + b.size;
        guarded_chunk guarded_a;
        guarded_chunk guarded_b;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view_a;
            chunk_view view_b;
            if (const auto fault = open_chunk(in_a, end_a, n, view_a); fault != stream_fault::none) return fault;
            if (const auto fault = open_chunk(in_b, end_b, n, view_b); fault != stream_fault::none) return fault;
            in_a += view_a.bytes;
            in_b += view_b.bytes;
            guarded_a.guard(view_a, end_a);
            guarded_b.guard(view_b, end_b);
            note_chunk(out, at);
            const bool fast = view_a.plain && view_b.plain && magnitude <= narrow_magnitude;
            at += fast ? add_chunk_fast(view_a, view_b, n, at) : add_exactly(view_a, view_b, n, step, at, report.exact);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return in_a == end_a && in_b == end_b ? stream_fault::none : stream_fault::corrupt;
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
            fetch_ahead(from);
            const std::size_t lanes = count - block * block_values < block_values ? count % block_values : block_values;
            const auto x = lanes == block_values ? S::template load<T>(from)
                                                 : S::template load<T>(padded_block(from, lanes).bytes);
            const ints q = S::quantise(x, rule);
            const auto real = S::template to_real<T>(q);
            std::uint32_t signs = 0;
            if (LACONIC_UNLIKELY(S::is_odd(x, real, rule))) {
                if (S::misses(x, real, rule)) return 0;
                signs = negative_zeros(from, lanes);
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
                width = put(S::add(d, get(from_b, width_b)), at);
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
        if (LACONIC_UNLIKELY(highest > hot_limit || highest + others > narrow_magnitude)) return 0;
        magnitude = larger(magnitude, highest);
        store_as(out, static_cast<base_type>(static_cast<std::uint64_t>(base) +
                                             static_cast<std::uint64_t>(load_as<base_type>(b.begin))));
        return static_cast<std::size_t>(at - out);
    }

    static std::size_t fuse_exactly(const std::byte* values, const quantiser<T>& how, const chunk_view& b,
                                    std::size_t count, std::byte* out, sum_report& report) noexcept {
        chunk_model<T> sum;
        chunk_model<T> other;
        quantise_exactly(values, count, how, sum);
        report.magnitude = larger(report.magnitude, peak_of(sum));
        read_chunk(b.begin, count, other);
        add_chunk(sum, other, how.step, report.exact);
        return write_chunk(sum, out);
    }

    static stream_fault add_values(const std::byte* values, std::size_t count, const quantiser<T>& how, sequence b,
                                   std::uint64_t magnitude, sink out, sum_report& report) noexcept {
        const std::byte* in = b.bytes;
        const std::byte* const end = in + b.size;
        guarded_chunk guarded;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = open_chunk(in, end, n, view); fault != stream_fault::none) return fault;
            in += view.bytes;
            guarded.guard(view, end);
            const std::byte* const from = values + done * sizeof(T);
            note_chunk(out, at);
            std::size_t bytes = 0;
            if (view.plain && magnitude <= narrow_magnitude)
                bytes = fuse_chunk(from, how, view, magnitude, n, at, report.magnitude);
            if (LACONIC_UNLIKELY(bytes == 0)) bytes = fuse_exactly(from, how, view, n, at, report);
            at += bytes;
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return in == end ? stream_fault::none : stream_fault::corrupt;
    }

    // ---- range ------------------------------------------------------------------------------------------------

    static void range(const std::byte* values, std::size_t count, value_range<T>& found) noexcept {
        auto running = S::template no_range<T>();
        std::size_t done = 0;
        for (; count - done >= block_values; done += block_values) {
            fetch_ahead(values + done * sizeof(T));
            S::extend(running, S::template load<T>(values + done * sizeof(T)));
        }
        if (done < count)
            S::extend(running, S::template load<T>(padded_block(values + done * sizeof(T), count - done).bytes));
        found = S::finish(running, values, count);
    }
};

}  // namespace
}  // namespace laconic::codec
