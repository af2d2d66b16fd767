// SPDX-License-Identifier: BSD-3-Clause
// From an error bound and the largest magnitude to a quantiser: how much smaller than 2e the step must be so that
// the rounding of T itself does not push elements over the bound.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "codec/fle.hpp"
#include "codec/float_environment.hpp"
#include "codec/layout.hpp"
#include "codec/quad.hpp"

namespace laconic::codec {
namespace {

/// Largest T that is <= e.
template <class T>
T round_down(double e) noexcept {
    const T rounded = static_cast<T>(std::min(e, static_cast<double>(std::numeric_limits<T>::max())));
    return static_cast<double>(rounded) > e ? std::nextafter(rounded, T{0}) : rounded;
}

/// Largest number <= value with at most `bits` significant bits.
double keep_bits(double value, int bits) noexcept {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::floor(std::ldexp(mantissa, bits)), exponent - bits);
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
std::uint64_t reach_of(T step, T limit) noexcept {
    constexpr auto most = static_cast<double>(integer_limits<T>::contribution);
    // A limit of 0 accepts exact reconstructions only, and steps chosen for that make products exact.
    if (limit == 0) return static_cast<std::uint64_t>(most);
    // x * inverse, rint and q * step together miss by up to 1.5 ulp of x beyond half a step.
    constexpr double rounding = 1.5 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const double room = static_cast<double>(limit) / static_cast<double>(step) - 0.5;
    return room > 0 ? static_cast<std::uint64_t>(std::min(room / rounding, most)) : 0;
}

template <class T>
step_choice<T> choose_step(double e, double max_abs, std::uint32_t divisor) noexcept {
    const float_environment standard;
    constexpr int digits = std::numeric_limits<T>::digits;
    // Steps have few bits so that q * step is exact in double (f32) or in quad precision (f64), for sums too, and so
    // that divisor * result_step is exact in T.
    const int divisor_bits = static_cast<int>(std::bit_width(divisor - 1U));
    const int step_bits = std::max(std::min(digits == 24 ? 21 : 40, digits - divisor_bits), 1);

    step_choice<T> choice;
    // Far above any use, and keeps q * step from overflowing where the exact sum does not.
    const double usable = std::min(e, digits == 24 ? 0x1p100 : 0x1p900);
    // The encoder compares the rounded |x - r| with the limit; a limit strictly below e makes that comparison safe.
    const T at_most_e = round_down<T>(usable);
    choice.contribution.limit = at_most_e > 0 ? std::nextafter(at_most_e, T{0}) : T{0};
    choice.contribution_bound = e > 0 ? std::min(e, static_cast<double>(at_most_e)) : 0.0;

    // Shrinking the step by 2^-k pays for the rounding of T up to reach_of(). Few classes, so that arrays compressed
    // at one bound can be added.
    constexpr std::array shrink_exponents{8, 5, 3, 2, 1};
    double step = 0;
    for (const int k : shrink_exponents) {
        const double shrunk = 2.0 * static_cast<double>(choice.contribution.limit) * (1.0 - std::ldexp(1.0, -k));
        step = keep_bits(shrunk / divisor, step_bits);
        const auto reach = static_cast<double>(reach_of(static_cast<T>(step * divisor), choice.contribution.limit));
        if (!(max_abs >= 0) || max_abs <= step * divisor * (reach - 1)) break;
    }
    const T result_step = static_cast<T>(step);
    const T contribution_step = result_step * static_cast<T>(divisor);
    const T inverse = T{1} / contribution_step;
    if (result_step >= std::numeric_limits<T>::min() && std::isfinite(inverse) && std::isnormal(inverse)) {
        choice.result_step = result_step;
        choice.contribution.step = contribution_step;
        choice.contribution.inverse = inverse;
    } else {
        // No usable step: zeros (and whatever equals an integer) stay integers, the rest goes raw.
        choice.result_step = T{1};
        choice.contribution.step = static_cast<T>(divisor);
        choice.contribution.inverse = T{1} / static_cast<T>(divisor);
    }
    choice.contribution.reach = reach_of(choice.contribution.step, choice.contribution.limit);
    return choice;
}

template <class T>
step_choice<T> choose_constant_step(T value) noexcept {
    step_choice<T> choice;
    const T magnitude = std::abs(value);
    const T inverse = T{1} / magnitude;
    if (std::isnormal(magnitude) && std::isnormal(inverse)) {
        choice.result_step = magnitude;
        choice.contribution.step = magnitude;
        choice.contribution.inverse = inverse;
    }
    choice.contribution.reach = reach_of(choice.contribution.step, choice.contribution.limit);
    return choice;
}

template <class T>
std::uint64_t magnitude_of(const quantiser<T>& how, double max_abs) noexcept {
    const float_environment standard;
    const double q = max_abs / static_cast<double>(how.step) * (1.0 + 0x1p-20) + 1.0;
    return q < static_cast<double>(how.reach) ? static_cast<std::uint64_t>(q) : how.reach;
}

template std::uint64_t reach_of(float, float) noexcept;
template std::uint64_t reach_of(double, double) noexcept;
template step_choice<float> choose_step(double, double, std::uint32_t) noexcept;
template step_choice<double> choose_step(double, double, std::uint32_t) noexcept;
template step_choice<float> choose_constant_step(float) noexcept;
template step_choice<double> choose_constant_step(double) noexcept;
template std::uint64_t magnitude_of(const quantiser<float>&, double) noexcept;
template std::uint64_t magnitude_of(const quantiser<double>&, double) noexcept;

}  // namespace laconic::codec
