// SPDX-License-Identifier: BSD-3-Clause
// The patient path over one chunk: sums, products, minima and maxima with exact raw parts, and the way back to values.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "codec/exact.hpp"
#include "codec/quad.hpp"
#include "codec/rounding.hpp"

namespace laconic::codec {
namespace {

template <class T>
double to_double(T value) noexcept {
    return static_cast<double>(static_cast<real_type<T>>(value));
}

/// (high, low) += x with the rounding error kept in low; false when even that was rounded.
template <class T>
bool add_wide(double& high, double& low, double x) noexcept {
    double error;
    const double sum = two_sum(high, x, error);
    if (!std::isfinite(sum)) {
        const bool overflowed = std::isfinite(high) && std::isfinite(x);
        // One NaN for all orders of addition, whatever payloads met.
        high = std::isnan(sum) ? std::numeric_limits<double>::quiet_NaN() : sum;
        low = 0;
        return !overflowed;
    }
    high = sum;
    if constexpr (sizeof(T) != 8) return error == 0;
    double lost;
    const double rest = two_sum(low, error, lost);
    low = 0;
    if (rest == 0) return lost == 0;  // and -0.0 stays what it is
    // Normalised, so that equal sums have equal bytes.
    high = sum + rest;
    low = rest - (high - sum);
    if (std::isfinite(high)) return lost == 0;
    low = 0;
    return false;
}

/// (high, low) += another pair; false when that was rounded. What is lost then shows in which order parts were added:
/// the pair of the larger magnitude comes first, whichever operand it is in, so that a + b and b + a have equal bytes.
template <class T>
bool add_pair(double& high, double& low, double other_high, double other_low) noexcept {
    const double ours = std::fabs(high), theirs = std::fabs(other_high);
    if (theirs > ours || (theirs == ours && std::pair(other_high, other_low) > std::pair(high, low))) {
        std::swap(high, other_high);
        std::swap(low, other_low);
    }
    const bool exact = add_wide<T>(high, low, other_high);
    return (other_low == 0 || add_wide<T>(high, low, other_low)) && exact;
}

template <class T>
real_type<T> multiply(std::int64_t q, real_type<T> step) noexcept {
    constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
    if (sizeof(T) != 8 || (q <= exact_in_double && q >= -exact_in_double))
        return static_cast<real_type<T>>(static_cast<double>(q) * static_cast<double>(step));
    return static_cast<real_type<T>>(static_cast<quad>(q) * static_cast<quad>(step));
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
        if (b.raw == raw_form::single) add_wide<T>(model.high[i], model.low[i], to_double(model.single[i]));
    }
    b.raw = raw_form::wide;
}

/// (high, low) += x, where x has more bits than a double.
template <class T>
bool add_quad(double& high, double& low, quad x) noexcept {
    const auto first = static_cast<double>(x);
    if (!std::isfinite(first)) return add_wide<T>(high, low, first) && !(x - x == 0);
    const auto rest = static_cast<double>(x - static_cast<quad>(first));
    const bool exact = static_cast<quad>(first) + static_cast<quad>(rest) == x;
    return add_wide<T>(high, low, first) && (rest == 0 || add_wide<T>(high, low, rest)) && exact;
}

/// Integers that left the range become a part of the raw values.
template <class T>
void move_integers_out(chunk_model<T>& model, std::size_t block, const sum_rule<T>& how) noexcept {
    auto& b = model.blocks[block];
    // What is a -0.0 here would be one or not depending on when the overflow came.
    b.inexact |= b.negative_zeros != 0;
    widen(model, block);
    for (std::size_t i = block * block_values, end = i + model.lanes(block); i < end; ++i) {
        const quad product = static_cast<quad>(model.q[i]) * static_cast<quad>(how.step);
        if (!add_quad<T>(model.high[i], model.low[i], product)) b.inexact = true;
    }
    b.quantised = false;
    b.negative_zeros = 0;
}

template <class T>
bool is_finite(const chunk_model<T>& model, std::size_t block) noexcept {
    const raw_form raw = model.blocks[block].raw;
    bool finite = true;
    for (std::size_t i = block * block_values, end = i + model.lanes(block); i < end; ++i)
        finite &= raw == raw_form::none ||
                  std::isfinite(raw == raw_form::single ? to_double(model.single[i]) : model.high[i]);
    return finite;
}

/// The raw part of a block times a factor.
template <class T>
void scale_wide(chunk_model<T>& model, std::size_t block, std::int32_t factor) noexcept {
    auto& b = model.blocks[block];
    widen(model, block);
    for (std::size_t i = block * block_values, end = i + model.lanes(block); i < end; ++i) {
        const auto high = static_cast<quad>(model.high[i]) * factor;
        const auto low = static_cast<quad>(model.low[i]) * factor;
        // -0.0 is neutral beside integers; alone it survives only growing.
        const bool minus_zero = b.quantised || (factor > 0 && std::signbit(model.high[i]));
        model.high[i] = minus_zero ? -0.0 : 0.0;
        model.low[i] = 0;
        if (high != 0 && !add_quad<T>(model.high[i], model.low[i], high)) b.inexact = true;
        if (low != 0 && !add_quad<T>(model.high[i], model.low[i], low)) b.inexact = true;
    }
}

/// The low part of a wide value; -0.0, the neutral element, where there is none: with +0.0 a high part of -0.0 would
/// become +0.0.
template <class T>
quad low_of(const chunk_model<T>& model, std::size_t i) noexcept {
    return model.low[i] != 0 ? static_cast<quad>(model.low[i]) : -quad{0};
}

/// Element i, rounded to odd.
template <class T>
quad value_of(const chunk_model<T>& model, std::size_t i, const sum_rule<T>& how) noexcept {
    const auto& b = model.blocks[i / block_values];
    const quad product = b.quantised ? static_cast<quad>(model.q[i]) * static_cast<quad>(how.step) : -quad{0};
    const bool minus_zero = model.q[i] == 0 && ((b.negative_zeros >> (i % block_values)) & 1U) != 0;
    if (b.raw == raw_form::none) return minus_zero ? -quad{0} : product;
    if (b.raw == raw_form::single) return static_cast<quad>(to_double(model.single[i]));
    return sum_to_odd(product, static_cast<quad>(model.high[i]), low_of(model, i));
}

bool is_minus(quad value) noexcept { return std::signbit(static_cast<double>(value)); }

/// Whether element i of b takes the place of that of a.
template <class T>
bool replaces(const chunk_model<T>& a, const chunk_model<T>& b, std::size_t i, bool larger,
              const sum_rule<T>& how) noexcept {
    const quad ours = value_of(a, i, how);
    const quad theirs = value_of(b, i, how);
    if (ours != ours && theirs != theirs) {
        // Of values that travel as they are the same NaN in every order; elsewhere there is but one.
        const std::size_t block = i / block_values;
        const bool as_they_are = a.blocks[block].raw == raw_form::single && b.blocks[block].raw == raw_form::single;
        return as_they_are && std::memcmp(&b.single[i], &a.single[i], sizeof(T)) > 0;
    }
    if (ours != ours || theirs != theirs) return ours == ours;
    if (ours == theirs) {
        if (ours == 0 && is_minus(ours) != is_minus(theirs)) return is_minus(theirs) != larger;
        // The quantised one stays, whichever operand it is in.
        return a.blocks[i / block_values].raw != raw_form::none;
    }
    return larger ? theirs > ours : theirs < ours;
}

}  // namespace

template <class T>
void add_chunk(chunk_model<T>& a, const chunk_model<T>& b, const sum_rule<T>& how, bool& exact) noexcept {
    const std::int64_t limit = sum_limit<T>(how.row);
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
                const double high = theirs.raw == raw_form::single ? to_double(b.single[i]) : b.high[i];
                const double low = theirs.raw == raw_form::single ? 0.0 : b.low[i];
                if (!add_pair<T>(a.high[i], a.low[i], high, low)) ours.inexact = true;
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
                move_integers_out(a, block, how);
            }
        }
        exact &= !ours.inexact;
    }
}

template <class T>
void scale_chunk(chunk_model<T>& a, std::int32_t factor, const sum_rule<T>& how, bool& exact) noexcept {
    const std::int64_t limit = sum_limit<T>(how.row);
    for (std::size_t block = 0; block < blocks_in(a.count); ++block) {
        auto& b = a.blocks[block];
        const std::size_t first = block * block_values;
        const std::size_t end = first + a.lanes(block);
        if (factor <= 0) b.negative_zeros = 0;
        if (factor == 0 && is_finite(a, block)) {
            b = {};
            std::fill(a.q.begin() + first, a.q.begin() + end, 0);
            continue;
        }
        if (b.raw == raw_form::single && factor == -1) {
            for (std::size_t i = first; i < end; ++i) {
                const auto x = static_cast<real_type<T>>(a.single[i]);
                if (x == x) a.single[i] = T(x == 0 ? real_type<T>{0} : -x);
            }
            continue;
        }
        bool overflow = false;
        for (std::size_t i = first; b.quantised && i < end; ++i) {
            const quad product = static_cast<quad>(a.q[i]) * factor;
            overflow |= product > limit || product < -limit;
        }
        if (overflow) move_integers_out(a, block, how);
        if (b.raw != raw_form::none && factor != 1) scale_wide(a, block, factor);
        for (std::size_t i = first; b.quantised && i < end; ++i) a.q[i] *= factor;
        exact &= !b.inexact;
    }
}

template <class T>
void extreme_chunk(chunk_model<T>& a, const chunk_model<T>& b, bool larger, const sum_rule<T>& how,
                   bool& exact) noexcept {
    for (std::size_t block = 0; block < blocks_in(a.count); ++block) {
        auto& ours = a.blocks[block];
        const auto& theirs = b.blocks[block];
        const std::size_t first = block * block_values;
        const std::size_t end = first + a.lanes(block);
        ours.inexact |= theirs.inexact;
        if (ours.raw == raw_form::none && theirs.raw == raw_form::none) {
            std::uint32_t signs = 0;
            for (std::size_t i = first; i < end; ++i) {
                signs |= extreme_sign(a.q[i], ours.negative_zeros, b.q[i], theirs.negative_zeros, i - first, larger);
                a.q[i] = larger ? std::max(a.q[i], b.q[i]) : std::min(a.q[i], b.q[i]);
            }
            ours.negative_zeros = signs;
            continue;
        }
        const bool all_single = ours.raw == raw_form::single && theirs.raw == raw_form::single;
        if (all_single) {
            for (std::size_t i = first; i < end; ++i)
                if (replaces(a, b, i, larger, how)) a.single[i] = b.single[i];
            continue;
        }
        // Every lane keeps its integer or its raw value; the other is 0 there.
        std::array<bool, block_values> take;
        std::array<bool, block_values> minus_zero;
        bool any_minus_zero = false;
        for (std::size_t i = first; i < end; ++i) {
            take[i - first] = replaces(a, b, i, larger, how);
            const quad kept = take[i - first] ? value_of(b, i, how) : value_of(a, i, how);
            minus_zero[i - first] = kept == 0 && is_minus(kept);
            any_minus_zero |= minus_zero[i - first];
        }
        widen(a, block);
        for (std::size_t i = first; i < end; ++i) {
            if (!ours.quantised) a.q[i] = 0;
            if (!take[i - first]) continue;
            a.q[i] = theirs.quantised ? b.q[i] : 0;
            a.high[i] = -0.0;
            a.low[i] = 0;
            if (theirs.raw == raw_form::single) add_wide<T>(a.high[i], a.low[i], to_double(b.single[i]));
            if (theirs.raw != raw_form::wide) continue;
            a.high[i] = b.high[i];
            a.low[i] = b.low[i];
        }
        ours.quantised |= theirs.quantised;
        ours.negative_zeros = 0;
        if (any_minus_zero && ours.quantised) {
            // Beside integers there is no -0.0: all values become raw.
            move_integers_out(a, block, how);
            for (std::size_t i = first; i < end; ++i)
                if (a.high[i] == 0) a.high[i] = minus_zero[i - first] ? -0.0 : 0.0;
        }
        exact &= !ours.inexact;
    }
}

template <class T>
void restore_values(const chunk_model<T>& model, real_type<T> step, std::uint32_t divisor, std::byte* values) noexcept {
    for (std::size_t i = 0; i < model.count; ++i) {
        const auto& b = model.blocks[i / block_values];
        real_type<T> y;
        if (b.raw == raw_form::none) {
            y = multiply<T>(model.q[i], step);
            if (((b.negative_zeros >> (i % block_values)) & 1U) != 0 && model.q[i] == 0) y = -real_type<T>{0};
        } else if (b.raw == raw_form::single && divisor == 1) {
            store_as(values + i * sizeof(T), model.single[i]);
            continue;
        } else {
            const bool wide = b.raw == raw_form::wide;
            if constexpr (std::is_same_v<T, float>) {
                if (divisor == 1 && is_surely_rounded(b.quantised ? model.q[i] : 0, step, model.high[i], y)) {
                    store_as(values + i * sizeof(T), y);
                    continue;
                }
            }
            quad high = wide ? static_cast<quad>(model.high[i]) : static_cast<quad>(to_double(model.single[i]));
            // Absent parts are -0.0, the neutral element.
            quad low = wide ? low_of(model, i) : -quad{0};
            if (divisor != 1) {
                high = (high + low) / static_cast<quad>(divisor);
                low = -quad{0};
            }
            const quad product = b.quantised ? static_cast<quad>(model.q[i]) * static_cast<quad>(step) : -quad{0};
            y = narrowed<T>(sum_to_odd(product, high, low));
            if (y != y) y = std::numeric_limits<real_type<T>>::quiet_NaN();
        }
        store_as(values + i * sizeof(T), T(y));
    }
}

#define LACONIC_INSTANTIATE(T)                                                                                     \
    template void add_chunk(chunk_model<T>&, const chunk_model<T>&, const sum_rule<T>&, bool&) noexcept;           \
    template void scale_chunk(chunk_model<T>&, std::int32_t, const sum_rule<T>&, bool&) noexcept;                  \
    template void extreme_chunk(chunk_model<T>&, const chunk_model<T>&, bool, const sum_rule<T>&, bool&) noexcept; \
    template void restore_values(const chunk_model<T>&, real_type<T>, std::uint32_t, std::byte*) noexcept;

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::codec
