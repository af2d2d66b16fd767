// SPDX-License-Identifier: BSD-3-Clause
// Largest error and bound violations, without rounding: two arrays and a bound flow in, exact comparisons flow out.
// Differences are taken in a type in which a difference of two T that matters is exact; a filter in double keeps
// that affordable, because only elements near the largest error so far need it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

namespace laconic::cli {

#if defined(__SIZEOF_FLOAT128__)
using exact_real = __float128;
#else
using exact_real = long double;
#endif

struct exact_error {
    double max = 0;                ///< over finite elements, rounded to double
    std::uint64_t violations = 0;  ///< finite elements beyond the bound, and non-finite ones that changed
};

/// Precondition: equal sizes.
template <class T>
[[nodiscard]] exact_error measure_error(std::span<const T> original, std::span<const T> decoded, double limit) {
    exact_error found;
    exact_real largest = 0;
    // A difference in double is off by at most one part in 2^53: below these floors it cannot matter.
    constexpr double slack = 1 - 0x1p-50;
    double floor = 0;
    for (std::size_t i = 0; i < original.size(); ++i) {
        const T x = original[i], y = decoded[i];
        if (!std::isfinite(x) || !std::isfinite(y)) {
            if (std::memcmp(&x, &y, sizeof(T)) != 0) ++found.violations;
            continue;
        }
        const double rough = std::fabs(static_cast<double>(x) - static_cast<double>(y));
        if (rough < floor && rough < limit * slack) continue;
        const exact_real signed_error = static_cast<exact_real>(x) - static_cast<exact_real>(y);
        const exact_real error = signed_error < 0 ? -signed_error : signed_error;
        if (error > static_cast<exact_real>(limit)) ++found.violations;
        if (error > largest) {
            largest = error;
            floor = static_cast<double>(error) * slack;
        }
    }
    found.max = static_cast<double>(largest);
    return found;
}

}  // namespace laconic::cli
