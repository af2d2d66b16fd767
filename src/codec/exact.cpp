// SPDX-License-Identifier: BSD-3-Clause
// The patient path over one chunk: quantise, read, add, write and restore with 64-bit integers and exact raw sums.
#include "codec/exact.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codec/quad.hpp"

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

/// Wrapping arithmetic: hostile streams may overflow, which must not be undefined.
std::int64_t wrap_add(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrap_sub(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// (high, low) += x with the rounding error kept in low; false when even that was rounded.
template <class T>
bool add_wide(double& high, double& low, double x) noexcept {
    const double sum = high + x;
    if (!std::isfinite(sum)) {
        const bool overflowed = std::isfinite(high) && std::isfinite(x);
        // One NaN for all orders of addition, whatever payloads met.
        high = std::isnan(sum) ? std::numeric_limits<double>::quiet_NaN() : sum;
        low = 0;
        return !overflowed;
    }
    const double back = sum - high;
    const double error = (high - (sum - back)) + (x - back);
    high = sum;
    if constexpr (std::is_same_v<T, float>) return error == 0;
    const double rest = low + error;
    const double rest_back = rest - low;
    const double lost = (low - (rest - rest_back)) + (error - rest_back);
    low = 0;
    if (rest == 0) return lost == 0;  // and -0.0 stays what it is
    // Normalised, so that equal sums have equal bytes.
    high = sum + rest;
    low = rest - (high - sum);
    return lost == 0;
}

template <class T>
T multiply(std::int64_t q, T step) noexcept {
    if constexpr (std::is_same_v<T, float>)
        return static_cast<float>(static_cast<double>(q) * static_cast<double>(step));
    constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
    if (q <= exact_in_double && q >= -exact_in_double)
        return static_cast<T>(static_cast<double>(q) * static_cast<double>(step));
    return static_cast<T>(static_cast<quad>(q) * static_cast<quad>(step));
}

/// a + b rounded to nearest, and what that lost, exactly.
quad two_sum(quad a, quad b, quad& lost) noexcept {
    const quad sum = a + b;
    const quad back = sum - a;
    lost = (a - (sum - back)) + (b - back);
    return sum;
}

/// a + b + c rounded to odd: rounding that to T is rounding the exact sum to T, once.
quad sum_to_odd(quad a, quad b, quad c) noexcept {
    quad lost_first;
    quad lost_second;
    quad lost;
    const quad first = two_sum(b, c, lost_first);
    const quad second = two_sum(first, a, lost_second);
    if (!(second - second == 0)) return second;  // NaN or infinite
    if (lost_first == 0 && lost_second == 0) return second;
    const quad sum = two_sum(second, lost_first + lost_second, lost);
    if (lost == 0) return sum;
    static_assert(sizeof(quad) == 16);
    std::array<std::uint64_t, 2> bits;
    std::memcpy(bits.data(), &sum, sizeof bits);
    if ((bits[0] & 1) != 0) return sum;
    // The neighbour on the side of what was lost is the odd one.
    const bool outwards = (lost > 0) == (sum > 0);
    if (outwards) {
        bits[0] += 1;  // even, so there is no carry
    } else {
        bits[1] -= bits[0] == 0;
        bits[0] -= 1;
    }
    quad odd;
    std::memcpy(&odd, bits.data(), sizeof odd);
    return odd;
}

/// Turns the raw part of lane i into a wide one.
template <class T>
void widen(chunk_model<T>& model, std::size_t block) noexcept {
    auto& b = model.blocks[block];
    if (b.raw == raw_form::wide) return;
    for (std::size_t i = block * block_values, end = i + model.lanes(block); i < end; ++i) {
        // -0.0 is the neutral element of addition. Adding to it also settles on one NaN.
        model.high[i] = -0.0;
        model.low[i] = 0;
        if (b.raw == raw_form::single) add_wide<T>(model.high[i], model.low[i], static_cast<double>(model.single[i]));
    }
    b.raw = raw_form::wide;
}

}  // namespace

template <class T>
bool is_quantisable(const std::byte* values, std::size_t lanes, const quantiser<T>& how) noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const T x = load_as<T>(values + lane * sizeof(T));
        const T q = std::nearbyint(x * how.inverse);
        if (!(std::abs(q) <= static_cast<T>(how.reach)) || !(std::abs(x - q * how.step) <= how.limit)) return false;
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
            const T x = load_as<T>(from + lane * sizeof(T));
            if (!b.quantised) {
                model.single[first + lane] = x;
                continue;
            }
            model.q[first + lane] = static_cast<std::int64_t>(std::nearbyint(x * how.inverse));
            if (x == 0 && std::signbit(x)) b.negative_zeros |= 1U << lane;
        }
    }
}

template <class T>
void read_chunk(const std::byte* chunk, std::size_t count, chunk_model<T>& model) noexcept {
    const std::size_t block_count = blocks_in(count);
    const std::byte* rates = chunk + base_bytes<T>;
    const std::byte* at = chunk + chunk_head_bytes<T>(block_count);
    std::int64_t carry = load_as<typename integer_limits<T>::base_type>(chunk);
    model.count = count;
    for (std::size_t block = 0; block < block_count; ++block) {
        const auto rate = std::to_integer<unsigned>(rates[block]);
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
                model.q[first + lane] = carry = wrap_add(carry, deltas[lane]);
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
                model.high[first + lane] = load_as<double>(wide + lane * 2 * sizeof(T));
                model.low[first + lane] = sizeof(T) == 8 ? load_as<double>(wide + lane * 16 + 8) : 0.0;
            }
        }
        at += block_bytes<T>(rate, lanes);
    }
}

template <class T>
void add_chunk(chunk_model<T>& a, const chunk_model<T>& b, T step, bool& exact) noexcept {
    constexpr std::int64_t limit = integer_limits<T>::sum;
    for (std::size_t block = 0; block < blocks_in(a.count); ++block) {
        auto& ours = a.blocks[block];
        const auto& theirs = b.blocks[block];
        const std::size_t first = block * block_values;
        const std::size_t end = first + a.lanes(block);
        const bool both_quantised = ours.quantised && theirs.quantised;
        ours.inexact |= theirs.inexact;
        ours.negative_zeros = both_quantised ? ours.negative_zeros & theirs.negative_zeros : 0;

        // Raw parts first: a lone raw part stays as it is only where nothing else joins it.
        if (theirs.raw != raw_form::none || (ours.raw != raw_form::none && theirs.quantised)) {
            widen(a, block);
            for (std::size_t i = first; i < end; ++i) {
                if (theirs.raw == raw_form::none) continue;
                const double high = theirs.raw == raw_form::single ? static_cast<double>(b.single[i]) : b.high[i];
                const double low = theirs.raw == raw_form::single ? 0.0 : b.low[i];
                if (!add_wide<T>(a.high[i], a.low[i], high)) ours.inexact = true;
                if (low != 0 && !add_wide<T>(a.high[i], a.low[i], low)) ours.inexact = true;
            }
        }
        if (theirs.quantised) {
            bool overflow = false;
            for (std::size_t i = first; i < end; ++i) {
                a.q[i] = ours.quantised ? wrap_add(a.q[i], b.q[i]) : b.q[i];
                overflow |= a.q[i] > limit || a.q[i] < -limit;
            }
            ours.quantised = true;
            if (overflow) {
                // What is a -0.0 here would be one or not depending on when the overflow came.
                ours.inexact |= ours.negative_zeros != 0;
                widen(a, block);
                for (std::size_t i = first; i < end; ++i) {
                    const quad product = static_cast<quad>(a.q[i]) * static_cast<quad>(step);
                    const auto high = static_cast<double>(product);
                    const auto low = static_cast<double>(product - static_cast<quad>(high));
                    if (!add_wide<T>(a.high[i], a.low[i], high)) ours.inexact = true;
                    if (low != 0 && !add_wide<T>(a.high[i], a.low[i], low)) ours.inexact = true;
                }
                ours.quantised = false;
                ours.negative_zeros = 0;
            }
        }
        exact &= !ours.inexact;
    }
}

template <class T>
std::size_t write_chunk(const chunk_model<T>& model, std::byte* out) noexcept {
    using base_type = typename integer_limits<T>::base_type;
    const std::size_t block_count = blocks_in(model.count);
    const std::size_t head = chunk_head_bytes<T>(block_count);
    std::memset(out, 0, head);
    std::byte* rates = out + base_bytes<T>;
    std::byte* at = out + head;
    std::int64_t carry = block_count > 0 && model.blocks[0].quantised ? model.q[0] : 0;
    store_as(out, static_cast<base_type>(carry));
    for (std::size_t block = 0; block < block_count; ++block) {
        const auto& b = model.blocks[block];
        const std::size_t first = block * block_values;
        const std::size_t lanes = model.lanes(block);
        unsigned width = 0;
        if (b.quantised) {
            std::array<std::int64_t, block_values> deltas{};
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                deltas[lane] = wrap_sub(model.q[first + lane], carry);
                carry = model.q[first + lane];
                width = std::max(width, width_of(deltas[lane]));
            }
            // Only a hostile stream has integers this wide; honest sums stay below integer_limits.
            width = std::min(width, sizeof(T) == 4 ? 32U : width_mask);
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
                store_as(extra + 4 + lane * 2 * sizeof(T), model.high[first + lane]);
                if (sizeof(T) == 8) store_as(extra + 4 + lane * 16 + 8, model.low[first + lane]);
            }
        } else if (b.negative_zeros != 0) {
            kind = kind_signed;
            store_as(extra, b.negative_zeros);
        }
        rates[block] = static_cast<std::byte>(kind | width);
        at += block_bytes<T>(kind | width, lanes);
    }
    return static_cast<std::size_t>(at - out);
}

template <class T>
void restore_values(const chunk_model<T>& model, T step, std::uint32_t divisor, std::byte* values) noexcept {
    for (std::size_t i = 0; i < model.count; ++i) {
        const auto& b = model.blocks[i / block_values];
        T y;
        if (b.raw == raw_form::none) {
            y = multiply(model.q[i], step);
            if (((b.negative_zeros >> (i % block_values)) & 1U) != 0 && y == 0) y = -T{0};
        } else if (b.raw == raw_form::single && divisor == 1) {
            y = model.single[i];
        } else {
            const bool wide = b.raw == raw_form::wide;
            quad high = wide ? static_cast<quad>(model.high[i]) : static_cast<quad>(model.single[i]);
            // Absent parts are -0.0, the neutral element.
            quad low = wide && model.low[i] != 0 ? static_cast<quad>(model.low[i]) : -quad{0};
            if (divisor != 1) {
                high = (high + low) / static_cast<quad>(divisor);
                low = -quad{0};
            }
            const quad product = b.quantised ? static_cast<quad>(model.q[i]) * static_cast<quad>(step) : -quad{0};
            y = static_cast<T>(sum_to_odd(product, high, low));
        }
        store_as(values + i * sizeof(T), y);
    }
}

template bool is_quantisable(const std::byte*, std::size_t, const quantiser<float>&) noexcept;
template bool is_quantisable(const std::byte*, std::size_t, const quantiser<double>&) noexcept;
template void quantise_exactly(const std::byte*, std::size_t, const quantiser<float>&, chunk_model<float>&) noexcept;
template void quantise_exactly(const std::byte*, std::size_t, const quantiser<double>&, chunk_model<double>&) noexcept;
template void read_chunk(const std::byte*, std::size_t, chunk_model<float>&) noexcept;
template void read_chunk(const std::byte*, std::size_t, chunk_model<double>&) noexcept;
template void add_chunk(chunk_model<float>&, const chunk_model<float>&, float, bool&) noexcept;
template void add_chunk(chunk_model<double>&, const chunk_model<double>&, double, bool&) noexcept;
template std::size_t write_chunk(const chunk_model<float>&, std::byte*) noexcept;
template std::size_t write_chunk(const chunk_model<double>&, std::byte*) noexcept;
template void restore_values(const chunk_model<float>&, float, std::uint32_t, std::byte*) noexcept;
template void restore_values(const chunk_model<double>&, double, std::uint32_t, std::byte*) noexcept;

}  // namespace laconic::codec
