// SPDX-License-Identifier: BSD-3-Clause
// The patient path over one chunk: quantise, read and write with 64-bit integers.
#include "codec/exact.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "codec/chunk_head.hpp"

namespace laconic::codec {
namespace {

/// Planes needed for a signed value in two's complement; 0 for 0.
unsigned width_of(std::int64_t v) noexcept {
    const auto folded = static_cast<std::uint64_t>(v < 0 ? ~v : v);
    return v == 0 ? 0 : static_cast<unsigned>(std::bit_width(folded)) + 1;
}

void put_planes(const std::int64_t* deltas, unsigned width, std::byte* out) noexcept {
    for (unsigned plane = 0; plane < width; ++plane) {
        std::uint32_t word = 0;
        for (unsigned lane = 0; lane < block_values; ++lane)
            word |= static_cast<std::uint32_t>((static_cast<std::uint64_t>(deltas[lane]) >> plane) & 1U) << lane;
        store_as(out + std::size_t{4} * plane, word);
    }
}

void get_planes(const std::byte* in, unsigned width, std::int64_t* deltas) noexcept {
    std::array<std::uint64_t, block_values> bits{};
    for (unsigned plane = 0; plane < width; ++plane) {
        const auto word = load_as<std::uint32_t>(in + std::size_t{4} * plane);
        for (unsigned lane = 0; lane < block_values; ++lane)
            bits[lane] |= static_cast<std::uint64_t>((word >> lane) & 1U) << plane;
    }
    for (unsigned lane = 0; lane < block_values; ++lane)
        deltas[lane] = width == 0 ? 0 : static_cast<std::int64_t>(bits[lane] << (64 - width)) >> (64 - width);
}

/// The differences along the chunk, from which row prediction takes those of a row earlier.
class row_differences {
public:
    explicit row_differences(std::uint32_t row) noexcept : row_(row) {
        if (row != 0) differences_.fill(0);
    }
    /// What is stored for the difference at i.
    std::int64_t take(std::size_t i, std::int64_t difference) noexcept {
        if (row_ == 0) return difference;
        differences_[i] = difference;
        return i < row_ ? difference : wrap_sub(difference, differences_[i - row_]);
    }
    /// And back.
    std::int64_t restore(std::size_t i, std::int64_t stored) noexcept {
        if (row_ == 0) return stored;
        return differences_[i] = i < row_ ? stored : wrap_add(stored, differences_[i - row_]);
    }

private:
    std::uint32_t row_;
    std::array<std::int64_t, chunk_values> differences_;
};

}  // namespace

template <class T>
bool is_quantisable(const std::byte* values, std::size_t lanes, const quantiser<T>& how) noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto x = load_real<T>(values + lane * sizeof(T));
        const auto q = std::nearbyint(x * how.inverse);
        if (!(std::abs(q) <= static_cast<real_type<T>>(how.reach)) || !(std::abs(x - q * how.step) <= how.limit))
            return false;
    }
    return true;
}

template <class T>
void quantise_exactly(const std::byte* values, std::size_t count, const quantiser<T>& how,
                      chunk_model<T>& model) noexcept {
    model.count = count;
    for (std::size_t block = 0; block < blocks_in(count); ++block) {
        auto& b = model.blocks[block] = {};
        const std::size_t first = block * block_values;
        const std::size_t lanes = model.lanes(block);
        const std::byte* const from = values + first * sizeof(T);
        b.quantised = is_quantisable(from, lanes, how);
        b.raw = b.quantised ? raw_form::none : raw_form::single;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (!b.quantised) {
                model.single[first + lane] = load_as<T>(from + lane * sizeof(T));
                continue;
            }
            const auto x = load_real<T>(from + lane * sizeof(T));
            model.q[first + lane] = static_cast<std::int64_t>(std::nearbyint(x * how.inverse));
            if (x == 0 && std::signbit(x)) b.negative_zeros |= 1U << lane;
        }
    }
}

template <class T>
void take_integers(const std::int32_t* q, std::size_t count, chunk_model<T>& model) noexcept {
    model.count = count;
    for (std::size_t block = 0; block < blocks_in(count); ++block) model.blocks[block] = {};
    for (std::size_t i = 0; i < count; ++i) model.q[i] = q[i];
}

template <class T>
void read_chunk(const std::byte* chunk, const std::byte* payload, const block_rates& rates, std::size_t count,
                std::uint32_t row, chunk_model<T>& model) noexcept {
    const std::size_t block_count = blocks_in(count);
    const std::byte* at = payload;
    row_differences above(row);
    std::int64_t carry = load_as<typename integer_limits<T>::base_type>(chunk);
    model.count = count;
    for (std::size_t block = 0; block < block_count; ++block) {
        const unsigned rate = rates[block];
        const unsigned width = rate & width_mask;
        const unsigned kind = rate & kind_mask;
        const std::size_t first = block * block_values;
        const std::size_t lanes = model.lanes(block);
        auto& b = model.blocks[block] = {};
        const std::byte* extra = at + std::size_t{4} * width;
        std::uint32_t flags = 0;
        if (kind == kind_signed) b.negative_zeros = load_as<std::uint32_t>(extra);
        if (kind == kind_mixed) flags = load_as<std::uint32_t>(extra);
        b.quantised = kind != kind_raw && (flags & mixed_held) == 0;
        if (b.quantised) {
            std::array<std::int64_t, block_values> deltas;
            get_planes(at, width, deltas.data());
            for (std::size_t lane = 0; lane < lanes; ++lane)
                model.q[first + lane] = carry = wrap_add(carry, above.restore(first + lane, deltas[lane]));
        }
        if (kind == kind_raw) {
            b.raw = raw_form::single;
            for (std::size_t lane = 0; lane < lanes; ++lane)
                model.single[first + lane] = load_as<T>(at + lane * sizeof(T));
        }
        if (kind == kind_mixed) {
            b.raw = raw_form::wide;
            b.inexact = (flags & mixed_inexact) != 0;
            const std::byte* wide = extra + 4;
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                model.high[first + lane] = load_as<double>(wide + lane * wide_bytes<T>);
                model.low[first + lane] = sizeof(T) == 8 ? load_as<double>(wide + lane * wide_bytes<T> + 8) : 0.0;
                // One NaN, whatever wrote the stream, so that sums have one form.
                if (std::isfinite(model.high[first + lane])) continue;
                model.low[first + lane] = 0;
                if (std::isnan(model.high[first + lane]))
                    model.high[first + lane] = std::numeric_limits<double>::quiet_NaN();
            }
        }
        at += block_bytes<T>(rate, lanes);
    }
}

template <class T>
std::size_t write_chunk(const chunk_model<T>& model, std::uint32_t row, std::byte* out) noexcept {
    using base_type = typename integer_limits<T>::base_type;
    const std::size_t block_count = blocks_in(model.count);
    chunk_writer<T> writer;
    std::byte* at = writer.begin(out, model.count);
    const std::int64_t base = block_count > 0 && model.blocks[0].quantised ? model.q[0] : 0;
    std::int64_t carry = base;
    row_differences above(row);
    for (std::size_t block = 0; block < block_count; ++block) {
        const auto& b = model.blocks[block];
        const std::size_t first = block * block_values;
        const std::size_t lanes = model.lanes(block);
        unsigned width = 0;
        if (b.quantised) {
            std::array<std::int64_t, block_values> deltas{};
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                deltas[lane] = above.take(first + lane, wrap_sub(model.q[first + lane], carry));
                carry = model.q[first + lane];
                width = std::max(width, width_of(deltas[lane]));
            }
            // Only a hostile stream has integers this wide; honest sums stay below integer_limits.
            width = std::min(width, sizeof(T) == 8 ? width_mask : 32U);
            put_planes(deltas.data(), width, at);
        }
        std::byte* extra = at + std::size_t{4} * width;
        unsigned kind = kind_plain;
        if (b.raw == raw_form::single) {
            kind = kind_raw;
            for (std::size_t lane = 0; lane < lanes; ++lane)
                store_as(at + lane * sizeof(T), model.single[first + lane]);
        } else if (b.raw == raw_form::wide) {
            kind = kind_mixed;
            const std::uint32_t flags = (b.inexact ? mixed_inexact : 0U) | (b.quantised ? 0U : mixed_held);
            store_as(extra, flags);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                store_as(extra + 4 + lane * wide_bytes<T>, model.high[first + lane]);
                if (sizeof(T) == 8) store_as(extra + 4 + lane * wide_bytes<T> + 8, model.low[first + lane]);
            }
        } else if (b.negative_zeros != 0) {
            kind = kind_signed;
            store_as(extra, b.negative_zeros);
        }
        writer.rates[block] = static_cast<std::uint8_t>(kind | width);
        at += block_bytes<T>(kind | width, lanes);
    }
    return writer.finish(static_cast<base_type>(base), at);
}

#define LACONIC_INSTANTIATE(T)                                                                                    \
    template bool is_quantisable<T>(const std::byte*, std::size_t, const quantiser<T>&) noexcept;                 \
    template void quantise_exactly(const std::byte*, std::size_t, const quantiser<T>&, chunk_model<T>&) noexcept; \
    template void take_integers(const std::int32_t*, std::size_t, chunk_model<T>&) noexcept;                      \
    template void read_chunk(const std::byte*, const std::byte*, const block_rates&, std::size_t, std::uint32_t,  \
                             chunk_model<T>&) noexcept;                                                           \
    template std::size_t write_chunk(const chunk_model<T>&, std::uint32_t, std::byte*) noexcept;

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::codec
