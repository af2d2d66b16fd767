// SPDX-License-Identifier: BSD-3-Clause
// The range of the finite ones among some values: ranges of parts flow in, that of all of them flows out.
#pragma once

#include <algorithm>
#include <cstddef>

#include "laconic/codec.hpp"

namespace laconic::collective {

/// Without a finite value it is empty, and widens nothing.
struct finite_range {
    bool any_finite = false;
    double min = 0, max = 0, max_abs = 0;

    void widen(const finite_range& more) noexcept {
        if (!more.any_finite) return;
        min = any_finite ? std::min(min, more.min) : more.min;
        max = any_finite ? std::max(max, more.max) : more.max;
        max_abs = std::max(max_abs, more.max_abs);
        any_finite = true;
    }
};

/// found   of so many values
template <class T>
[[nodiscard]] finite_range finite_range_of(const value_range<T>& found, std::size_t count) noexcept {
    if (found.nonfinite >= count) return {};
    return {true, static_cast<double>(found.min), static_cast<double>(found.max), static_cast<double>(found.max_abs)};
}

}  // namespace laconic::collective
