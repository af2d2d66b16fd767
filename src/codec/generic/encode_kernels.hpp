// SPDX-License-Identifier: BSD-3-Clause
// Values to chunks: quantise, verify, predict, transpose; and the range scan that precedes a relative bound.
#pragma once

#include "codec/generic/block_ops.hpp"

namespace laconic::codec {
namespace {

template <class S, class T>
struct encode_kernels {
    using ops = block_ops<S, T>;
    using base_type = typename ops::base_type;
    using ints = typename S::ints;

    static std::size_t encode_exactly(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                      std::byte* out, encode_report& report) noexcept {
        chunk_model<T> model;
        quantise_exactly(values, count, how, model);
        for (std::size_t block = 0; block < blocks_in(count); ++block)
            report.raw_blocks += !model.blocks[block].quantised;
        report.magnitude = ops::larger(report.magnitude, ops::peak_of(model));
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
            ops::fetch_ahead(from);
            const std::size_t lanes = count - block * block_values < block_values ? count % block_values : block_values;
            const auto x = lanes == block_values ? S::template load<T>(from)
                                                 : S::template load<T>(typename ops::padded_block(from, lanes).bytes);
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
                signs = ops::negative_zeros(from, lanes);
            }
            S::raise(peak, q, real);
            if (block == 0) {
                base = S::first(q);
                carry = S::carry_of(S::first(q));
            }
            unsigned rate = ops::put(S::deltas(q, carry), at);
            carry = S::last(q);
            at += std::size_t{4} * rate;
            if (LACONIC_UNLIKELY(signs != 0)) {
                // Integers out of reach, found below, may make blocks that are larger than raw ones.
                if (rate > ops::widest_delta) return encode_exactly(values, count, how, out, report);
                store_as(at, signs);
                at += 4;
                rate |= kind_signed;
            }
            rates[block] = static_cast<std::byte>(rate);
        }
        const std::uint64_t magnitude = S::template highest<T>(peak);
        if (LACONIC_UNLIKELY(magnitude > ops::hot_limit(how))) return encode_exactly(values, count, how, out, report);
        store_as(out, base);
        report.magnitude = ops::larger(report.magnitude, magnitude);
        report.raw_blocks += raw_blocks;
        return static_cast<std::size_t>(at - out);
    }

    static encode_report encode(const std::byte* values, std::size_t count, const quantiser<T>& how,
                                sink out) noexcept {
        encode_report report;
        std::byte* at = out.bytes;
        for (std::size_t done = 0; done < count; done += chunk_values) {
            const std::size_t n = count - done < chunk_values ? count - done : chunk_values;
            ops::note_chunk(out, at);
            at += encode_chunk(values + done * sizeof(T), n, how, at, report);
        }
        report.bytes = static_cast<std::size_t>(at - out.bytes);
        return report;
    }

    static void range(const std::byte* values, std::size_t count, value_range<T>& found) noexcept {
        auto running = S::template no_range<T>();
        std::size_t done = 0;
        for (; count - done >= block_values; done += block_values) {
            ops::fetch_ahead(values + done * sizeof(T));
            S::extend(running, S::template load<T>(values + done * sizeof(T)));
        }
        if (done < count)
            S::extend(running,
                      S::template load<T>(typename ops::padded_block(values + done * sizeof(T), count - done).bytes));
        found = S::finish(running, values, count);
    }
};

}  // namespace
}  // namespace laconic::codec
