// SPDX-License-Identifier: BSD-3-Clause
// Whole-number arithmetic that layouts are made of.
#pragma once

#include <cstddef>

namespace laconic::base {

/// a / b, rounded up; no overflow. Precondition: b > 0.
[[nodiscard]] constexpr std::size_t divide_up(std::size_t a, std::size_t b) noexcept {
    return a / b + (a % b != 0 ? 1 : 0);
}
/// The smallest multiple of b that is no less than a.
[[nodiscard]] constexpr std::size_t round_up(std::size_t a, std::size_t b) noexcept { return divide_up(a, b) * b; }

}  // namespace laconic::base
