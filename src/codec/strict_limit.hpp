// SPDX-License-Identifier: BSD-3-Clause
// From an error bound to a comparison in the element type that keeps it exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "codec/float_environment.hpp"

namespace laconic::codec {

/// The largest T that does not exceed e.
template <class T>
[[nodiscard]] T largest_within(double e) noexcept {
    const double usable = std::min(e, static_cast<double>(std::numeric_limits<T>::max()));
    const T rounded = static_cast<T>(usable);
    return static_cast<double>(rounded) > usable ? std::nextafter(rounded, T{0}) : rounded;
}

/// A limit for which |x - y| <= limit, evaluated in T, implies |x - y| <= e exactly: the T below
/// largest_within(e). Rounding is monotone, so a difference above e cannot be rounded below that largest T.
template <class T>
[[nodiscard]] T strict_limit(double e) noexcept {
    const float_environment standard;
    const T most = largest_within<T>(e);
    return most > 0 ? std::nextafter(most, T{0}) : T{0};
}

}  // namespace laconic::codec
