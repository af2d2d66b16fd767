// SPDX-License-Identifier: BSD-3-Clause
// Values to chunks, alone or added to a chunk on the way (fused sum); values to integers and integers to chunks; and
// the range scan that precedes a relative bound.
#pragma once

#include "codec/generic/block_source.hpp"
#include "codec/generic/chunk_reader.hpp"
#include "codec/generic/delta_chain.hpp"

namespace laconic::codec {
namespace {

/// What is added to a chunk while it is encoded: nothing.
template <class S, class T>
struct no_addend {
    static constexpr bool adds = false;
    LACONIC_INLINE unsigned put(const typename S::ints& d, std::size_t, std::byte* at) noexcept {
        return block_ops<S, T>::put(d, at);
    }
    LACONIC_INLINE std::uint32_t signs(std::uint32_t ours) noexcept { return ours; }
    [[nodiscard]] LACONIC_INLINE typename integer_limits<T>::base_type base() const noexcept { return 0; }
};

/// The blocks of a plain chunk.
template <class S, class T>
class chunk_addend {
public:
    using ops = block_ops<S, T>;
    static constexpr bool adds = true;
    explicit chunk_addend(const chunk_view& chunk) noexcept : chunk_(chunk), from_(chunk.payload) {}
    LACONIC_INLINE unsigned put(const typename S::ints& d, std::size_t block, std::byte* at) noexcept {
        rate_ = chunk_.rates[block];
        const unsigned width = rate_ & width_mask;
        const std::byte* const from = from_;
        from_ += std::size_t{4} * width;
        if (LACONIC_UNLIKELY(width > 15 || !S::fits15(d))) return ops::put(S::add(d, ops::get(from, width)), at);
        auto words = S::low_words(d);
        if (width != 0) words = S::add(words, S::get_words(from, width));
        return S::width_from(S::put_words(words, at, 0));
    }
    /// Follows put().
    LACONIC_INLINE std::uint32_t signs(std::uint32_t ours) noexcept { return ours & ops::take_signs(rate_, from_); }
    [[nodiscard]] LACONIC_INLINE typename integer_limits<T>::base_type base() const noexcept {
        return load_as<typename integer_limits<T>::base_type>(chunk_.begin);
    }

private:
    const chunk_view& chunk_;
    const std::byte* from_;
    unsigned rate_ = 0;
};

template <class S, class T>
struct encode_kernels {
    using ops = block_ops<S, T>;
    using base_type = typename ops::base_type;
    using ints = typename S::ints;

    /// One chunk; 0 when it needs the patient path, or when its integers could leave 32 bits together with those of
    /// the addend, which do not exceed `others`.
    template <bool Rows, class Source, class Addend>
    static std::size_t encode_chunk(Source source, Addend addend, delta_maker<S, Rows>& chain, std::size_t count,
                                    std::uint64_t others, chunk_writer<T>& writer, std::byte* out,
                                    encode_report& report) noexcept {
        const std::size_t block_count = blocks_in(count);
        std::byte* at = writer.begin(out, count);
        chain.begin();
        std::uint64_t raw_blocks = 0;
        for (std::size_t block = 0; block < block_count; ++block) {
            const std::size_t lanes = source.lanes(block);
            ints q;
            std::uint32_t signs;
            const block_outcome outcome = source.next(block, lanes, q, signs);
            if constexpr (Source::may_be_raw) {
                if (LACONIC_UNLIKELY(outcome != block_outcome::integers)) {
                    if (Addend::adds || outcome == block_outcome::patient) return 0;
                    std::memcpy(at, source.at(block), lanes * sizeof(T));
                    at += lanes * sizeof(T);
                    writer.rates[block] = kind_raw;
                    chain.hold(block);
                    ++raw_blocks;
                    continue;
                }
            }
            unsigned rate = addend.put(chain.next(q, block, lanes), block, at);
            at += std::size_t{4} * rate;
            // Integers out of reach, found below, may make blocks that are larger than raw ones.
            if (!Addend::adds && sizeof(T) == 2 && LACONIC_UNLIKELY(rate > ops::widest_delta)) return 0;
            signs = addend.signs(signs);
            if (LACONIC_UNLIKELY(signs != 0)) {
                if (!Addend::adds && rate > ops::widest_delta) return 0;
                store_as(at, signs);
                at += 4;
                rate |= kind_signed;
            }
            writer.rates[block] = static_cast<std::uint8_t>(rate);
        }
        const std::uint64_t highest = source.highest();
        if (LACONIC_UNLIKELY(highest > source.limit() || highest + others > narrow_magnitude(Rows ? 1 : 0))) return 0;
        report.magnitude = ops::larger(report.magnitude, highest);
        report.raw_blocks += raw_blocks;
        return writer.finish(static_cast<base_type>(static_cast<std::uint64_t>(addend.base()) +
                                                    static_cast<std::uint64_t>(base_type{chain.base()})),
                             at);
    }

    static std::size_t encode_exactly(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                      std::byte* out, encode_report& report) noexcept {
        chunk_model<T> model;
        quantise_exactly(values, count, how, model);
        for (std::size_t block = 0; block < blocks_in(count); ++block)
            report.raw_blocks += !model.blocks[block].quantised;
        report.magnitude = ops::larger(report.magnitude, ops::peak_of(model));
        return write_chunk(model, how.row, out);
    }

    template <bool Rows>
    static encode_report encode_all(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                    sink out) noexcept {
        encode_report report;
        chunk_writer<T> writer;
        delta_maker<S, Rows> chain(how.row);
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            const std::byte* const from = values + done * sizeof(T);
            ops::note_chunk(out, at);
            std::size_t bytes = encode_chunk<Rows>(value_source<S, T>(from, n, how), no_addend<S, T>{}, chain, n, 0,
                                                   writer, at, report);
            if (LACONIC_UNLIKELY(bytes == 0)) bytes = encode_exactly(from, n, how, at, report);
            at += bytes;
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return report;
    }
    static encode_report encode(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                sink out) noexcept {
        return how.row == 0 ? encode_all<false>(values, count, how, out) : encode_all<true>(values, count, how, out);
    }

    static std::size_t fuse_exactly(const std::byte* values, const quantiser<T>& how, const chunk_view& b,
                                    std::size_t count, std::byte* out, sum_report& report) noexcept {
        chunk_model<T> sum;
        chunk_model<T> other;
        quantise_exactly(values, count, how, sum);
        report.magnitude = ops::larger(report.magnitude, ops::peak_of(sum));
        read_chunk(b, count, how.row, other);
        add_chunk(sum, other, {how.step, how.row}, report.exact);
        return write_chunk(sum, how.row, out);
    }

    template <bool Rows>
    static stream_fault fuse_all(const std::byte* values, std::size_t count, const quantiser<T>& how, const sequence& b,
                                 std::uint64_t magnitude, sink out, sum_report& report) noexcept {
        chunk_cursor<T> cursor(b);
        chunk_writer<T> writer;
        delta_maker<S, Rows> chain(how.row);
        encode_report seen;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            chunk_view view;
            if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
            const std::byte* const from = values + done * sizeof(T);
            ops::note_chunk(out, at);
            std::size_t bytes = 0;
            if (view.plain && magnitude <= narrow_magnitude(how.row))
                bytes = encode_chunk<Rows>(value_source<S, T>(from, n, how), chunk_addend<S, T>(view), chain, n,
                                           magnitude, writer, at, seen);
            if (LACONIC_UNLIKELY(bytes == 0)) bytes = fuse_exactly(from, how, view, n, at, report);
            at += bytes;
        }
        report.magnitude = ops::larger(report.magnitude, seen.magnitude);
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
    static stream_fault add_values(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                   const sequence& b, std::uint64_t magnitude, sink out, sum_report& report) noexcept {
        return how.row == 0 ? fuse_all<false>(values, count, how, b, magnitude, out, report)
                            : fuse_all<true>(values, count, how, b, magnitude, out, report);
    }

    /// Values to integers; returns how many blocks have an element without one.
    static std::uint64_t quantise(const std::byte* values, std::size_t count, const quantiser<T>& how, std::int32_t* q,
                                  std::uint64_t& magnitude) noexcept {
        value_source<S, T> source(values, count, how);
        std::uint64_t missed = 0;
        for (std::size_t block = 0; block < blocks_in(count); ++block) {
            const std::size_t lanes = source.lanes(block);
            ints now;
            std::uint32_t signs;
            if (source.next(block, lanes, now, signs) != block_outcome::integers) {
                ++missed;
                continue;
            }
            if (!LACONIC_UNLIKELY(lanes < block_values)) {
                S::store_ints(q + block * block_values, now);
                continue;
            }
            alignas(64) std::int32_t lane[block_values];
            S::store_ints(lane, now);
            std::memcpy(q + block * block_values, lane, lanes * sizeof(std::int32_t));
        }
        magnitude = source.highest();
        if (magnitude > source.limit()) missed += missed == 0;
        return missed;
    }

    /// Integers to chunks, added to those of `b` unless that is null.
    template <bool Rows>
    static stream_fault add_ints_all(const std::int32_t* q, std::size_t count, const sum_rule<T>& how,
                                     std::uint64_t own_magnitude, const sequence* b, sink out,
                                     sum_report& report) noexcept {
        chunk_cursor<T> cursor(b == nullptr ? sequence{} : *b);
        chunk_writer<T> writer;
        delta_maker<S, Rows> chain(how.row);
        encode_report seen;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            const int_source<S> source(q + done, n, own_magnitude);
            ops::note_chunk(out, at);
            std::size_t bytes = 0;
            if (b == nullptr) {
                bytes = encode_chunk<Rows>(source, no_addend<S, T>{}, chain, n, 0, writer, at, seen);
                if (LACONIC_UNLIKELY(bytes == 0)) {
                    chunk_model<T> alone;
                    take_integers(q + done, n, alone);
                    bytes = write_chunk(alone, how.row, at);
                }
            } else {
                chunk_view view;
                if (const auto fault = cursor.next(n, view); fault != stream_fault::none) return fault;
                if (view.plain && how.magnitude <= narrow_magnitude(how.row))
                    bytes = encode_chunk<Rows>(source, chunk_addend<S, T>(view), chain, n,
                                               how.magnitude - own_magnitude, writer, at, seen);
                if (LACONIC_UNLIKELY(bytes == 0)) {
                    chunk_model<T> sum;
                    chunk_model<T> other;
                    take_integers(q + done, n, sum);
                    read_chunk(view, n, how.row, other);
                    add_chunk(sum, other, {how.step, how.row}, report.exact);
                    bytes = write_chunk(sum, how.row, at);
                }
            }
            at += bytes;
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return b == nullptr || cursor.at_end() ? stream_fault::none : stream_fault::corrupt;
    }
    static stream_fault add_ints(const std::int32_t* q, std::size_t count, const sum_rule<T>& how,
                                 std::uint64_t own_magnitude, const sequence* b, sink out,
                                 sum_report& report) noexcept {
        return how.row == 0 ? add_ints_all<false>(q, count, how, own_magnitude, b, out, report)
                            : add_ints_all<true>(q, count, how, own_magnitude, b, out, report);
    }

    static void range(const std::byte* values, std::size_t count, value_range<T>& found) noexcept {
        auto running = S::template no_range<real_type<T>>();
        std::size_t done = 0;
        for (; count - done >= block_values; done += block_values) {
            ops::fetch_ahead(values + done * sizeof(T));
            S::extend(running, S::template load<T>(values + done * sizeof(T)));
        }
        if (done < count)
            S::extend(running,
                      S::template load<T>(typename ops::padded_block(values + done * sizeof(T), count - done).bytes));
        found = S::template finish<T>(running, values, count);
    }
};

}  // namespace
}  // namespace laconic::codec
