// SPDX-License-Identifier: BSD-3-Clause
// How good a stack is: a sum in a wider type, the stack in question and its bound flow in; errors and the number of
// values that break the bound flow out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace stacking {

// Wide enough that the rounding of a sum over any number of ranks does not show beside an error bound.
template <class T>
using exact_type = std::conditional_t<std::is_same_v<T, float>, double, long double>;

struct verdict {
    double max = 0, psnr = 0, nrmse = 0;  ///< over values that are finite on both sides
    std::uint64_t violations = 0;         ///< bound 0 promises no distance, but finite values where the sum is finite
};

/// Distances are taken in the wide type; half an ulp is the rounding of the result.
template <class T>
verdict judge(const std::vector<exact_type<T>>& exact, const std::vector<T>& stack, double range, double bound) {
    verdict found;
    exact_type<T> squares = 0, worst = 0;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        // A sum beyond the largest T is infinite in T.
        if (!std::isfinite(static_cast<T>(exact[i]))) continue;
        if (!std::isfinite(stack[i])) {
            ++found.violations;
            continue;
        }
        const exact_type<T> error = std::abs(exact[i] - static_cast<exact_type<T>>(stack[i]));
        ++counted;
        squares += error * error;
        worst = std::max(worst, error);
        const T size = std::abs(stack[i]);
        const exact_type<T> half_ulp = (std::nextafter(size, std::numeric_limits<T>::infinity()) - size) / T(2);
        if (bound > 0 && error > static_cast<exact_type<T>>(bound) + half_ulp) ++found.violations;
    }
    found.max = static_cast<double>(worst);
    const double rmse = counted == 0 ? 0 : std::sqrt(static_cast<double>(squares) / static_cast<double>(counted));
    found.nrmse = rmse > 0 ? rmse / range : 0;
    found.psnr = rmse > 0 ? 20 * std::log10(range / rmse) : std::numeric_limits<double>::infinity();
    return found;
}

}  // namespace stacking
