// SPDX-License-Identifier: BSD-3-Clause
// Whether boxes tile an array: boxes flow in; nothing, or a sentence that names the ranks and boxes at fault, flows
// out.
#pragma once

#include <span>

#include "laconic/redistribute.hpp"

namespace laconic::redistribute {

/// mismatch unless every element of `domain` lies in exactly one box. Precondition: each box is inside the domain.
/// O(n log n) time and 40 bytes * 2^dimensions per box, whatever the boxes are.
[[nodiscard]] status check_tiling(const box& domain, std::span<const owned_box> owned);
/// What it takes.
[[nodiscard]] std::size_t tiling_bytes(std::size_t boxes, std::size_t dimensions) noexcept;

}  // namespace laconic::redistribute
