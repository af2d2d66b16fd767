// SPDX-License-Identifier: BSD-3-Clause
// The boxes of a rank flow in, the least and the greatest of their finite values flow out: what relative bounds count.
#pragma once

#include <span>
#include <vector>

#include "laconic/codec.hpp"
#include "redistribute/exchange/piece.hpp"

namespace laconic::redistribute {

struct value_limits {
    bool any = false;  ///< there are finite values
    double min = 0, max = 0;
};

[[nodiscard]] value_limits limits_of(std::span<const rows_of_piece<1>> boxes, const std::byte* base, element_type type);

}  // namespace laconic::redistribute
