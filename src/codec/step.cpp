// SPDX-License-Identifier: BSD-3-Clause
// From an error bound and the largest magnitude to a quantiser: how much smaller than 2e the step must be so that
// the rounding of T itself does not push elements over the bound.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codec/element.hpp"
#include "codec/fle.hpp"
#include "codec/float_environment.hpp"
#include "codec/layout.hpp"
#include "codec/quad.hpp"
#include "codec/strict_limit.hpp"

namespace laconic::codec {
namespace {

/// Largest number <= value with at most `bits` significant bits.
double keep_bits(double value, int bits) noexcept {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::floor(std::ldexp(mantissa, bits)), exponent - bits);
}

/// The error that may be made in real_type<T> so that the result, rounded to T, is within e of an element of T.
/// Rounding adds up to half an ulp; but the element is itself a T, so the rounded result is never further from the
/// result before rounding than the element is: half the bound is always enough.
template <class T>
double bound_before_rounding(double e, double max_abs) noexcept {
    if constexpr (sizeof(T) != 2) return e;
    return std::max(e / 2, max_abs >= 0 ? e - std::ldexp(0.5, ulp_exponent<T>(max_abs + e)) : 0.0);
}

}  // namespace

double resolve_bound(bound limit, double min, double max) noexcept {
    const float_environment standard;
    if (limit.kind == bound_kind::absolute) return limit.value;
    // Neither the difference nor the product of two doubles is rounded by a type this wide where it matters.
    const quad exact = static_cast<quad>(limit.value) * (static_cast<quad>(max) - static_cast<quad>(min));
    const double e = static_cast<double>(std::min<quad>(exact, static_cast<quad>(std::numeric_limits<double>::max())));
    return static_cast<quad>(e) > exact ? std::nextafter(e, 0.0) : e;
}

template <class T>
std::uint64_t reach_of(real_type<T> step, real_type<T> limit) noexcept {
    auto most = static_cast<double>(integer_limits<T>::contribution);
    // Nothing finite may become an infinity of binary16.
    if constexpr (std::is_same_v<T, half>) most = std::min(most, std::floor(65504 / static_cast<double>(step)));
    // A limit of 0 accepts exact reconstructions only; who chooses a step for that sees to it that products are exact.
    if (limit == 0) return static_cast<std::uint64_t>(most);
    // x * inverse, rint and q * step together miss by up to 1.5 ulp of x beyond half a step.
    constexpr double rounding = 1.5 * static_cast<double>(std::numeric_limits<real_type<T>>::epsilon());
    const double room = static_cast<double>(limit) / static_cast<double>(step) - 0.5;
    return room > 0 ? static_cast<std::uint64_t>(std::min(room / rounding, most)) : 0;
}

namespace {

/// Far larger bounds than any use are cut, which keeps q * step from overflowing.
template <class Real>
double usable_bound(double e) noexcept {
    return std::min(e, sizeof(Real) == 4 ? 0x1p100 : 0x1p900);
}

}  // namespace

template <class T>
quantiser<T> quantiser_of(real_type<T> step, double contribution_bound, std::uint32_t row) noexcept {
    const float_environment standard;
    quantiser<T> how;
    how.limit = strict_limit<real_type<T>>(usable_bound<real_type<T>>(contribution_bound));
    how.step = step;
    how.inverse = real_type<T>{1} / step;
    how.reach = reach_of<T>(step, how.limit);
    // Of a constant, whose step it is: other multiples may not be numbers of T.
    int exponent = 0;
    if (how.limit == 0 && std::frexp(static_cast<double>(step), &exponent) != 0.5)
        how.reach = std::min<std::uint64_t>(how.reach, 1);
    how.row = row;
    return how;
}

template <class T>
step_choice<T> choose_step(double e, double max_abs, std::uint32_t divisor) noexcept {
    using real = real_type<T>;
    const float_environment standard;
    constexpr int digits = std::numeric_limits<real>::digits;
    // Steps have few bits so that q * step is exact in double (f32) or in quad precision (f64), for sums too, and so
    // that divisor * result_step is exact in T.
    const int divisor_bits = static_cast<int>(std::bit_width(divisor - 1U));
    const int step_bits = std::max(std::min(digits == 24 ? 21 : 40, digits - divisor_bits), 1);

    step_choice<T> choice;
    const double usable = usable_bound<real>(bound_before_rounding<T>(e, max_abs));
    choice.contribution.limit = strict_limit<real>(usable);
    choice.contribution_bound = e > 0 ? std::min(e, static_cast<double>(largest_within<real>(usable))) : 0.0;

    // Shrinking the step by 2^-k pays for the rounding of T up to reach_of(). Few classes, so that arrays compressed
    // at one bound can be added.
    constexpr std::array shrink_exponents{8, 5, 3, 2, 1};
    double step = 0;
    for (const int k : shrink_exponents) {
        const double shrunk = 2.0 * static_cast<double>(choice.contribution.limit) * (1.0 - std::ldexp(1.0, -k));
        step = keep_bits(shrunk / divisor, step_bits);
        const auto reach =
            static_cast<double>(reach_of<T>(static_cast<real>(step * divisor), choice.contribution.limit));
        if (!(max_abs >= 0) || max_abs <= step * divisor * (reach - 1)) break;
    }
    const real result_step = static_cast<real>(step);
    const real contribution_step = result_step * static_cast<real>(divisor);
    const real inverse = real{1} / contribution_step;
    if (result_step >= std::numeric_limits<real>::min() && std::isfinite(inverse) && std::isnormal(inverse)) {
        choice.result_step = result_step;
        choice.contribution.step = contribution_step;
        choice.contribution.inverse = inverse;
    } else {
        // No usable step: zeros (and whatever equals an integer) stay integers, the rest goes raw.
        choice.result_step = real{1};
        choice.contribution.step = static_cast<real>(divisor);
        choice.contribution.inverse = real{1} / static_cast<real>(divisor);
    }
    choice.contribution.reach = reach_of<T>(choice.contribution.step, choice.contribution.limit);
    // A step that is no power of two leaves integers fewer digits to be multiplied exactly.
    if (choice.contribution.limit == 0 && !std::has_single_bit(divisor))
        choice.contribution.reach = std::min(choice.contribution.reach, (std::uint64_t{1} << digits) / divisor);
    return choice;
}

template <class T>
step_choice<T> choose_constant_step(real_type<T> value) noexcept {
    step_choice<T> choice;
    const real_type<T> magnitude = std::abs(value);
    const real_type<T> inverse = real_type<T>{1} / magnitude;
    if (std::isnormal(magnitude) && std::isnormal(inverse)) {
        choice.result_step = magnitude;
        choice.contribution.step = magnitude;
        choice.contribution.inverse = inverse;
    }
    choice.contribution.reach = reach_of<T>(choice.contribution.step, choice.contribution.limit);
    return choice;
}

template <class T>
std::uint64_t magnitude_of(const quantiser<T>& how, double max_abs) noexcept {
    const float_environment standard;
    const double q = max_abs / static_cast<double>(how.step) * (1.0 + 0x1p-20) + 1.0;
    return q < static_cast<double>(how.reach) ? static_cast<std::uint64_t>(q) : how.reach;
}

#define LACONIC_INSTANTIATE(T)                                                        \
    template std::uint64_t reach_of<T>(real_type<T>, real_type<T>) noexcept;          \
    template quantiser<T> quantiser_of(real_type<T>, double, std::uint32_t) noexcept; \
    template step_choice<T> choose_step(double, double, std::uint32_t) noexcept;      \
    template step_choice<T> choose_constant_step(real_type<T>) noexcept;              \
    template std::uint64_t magnitude_of(const quantiser<T>&, double) noexcept;

LACONIC_FOR_EACH_ELEMENT(LACONIC_INSTANTIATE)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::codec
