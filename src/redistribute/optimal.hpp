// SPDX-License-Identifier: BSD-3-Clause
// The placement that moves least under a limit: who shares which patch flows in, the rank of every patch flows out.
#pragma once

#include <vector>

#include "redistribute/sharing.hpp"

namespace laconic::redistribute {

struct optimal_placement {
    std::vector<rank_number> owners;
    std::int64_t most_volume = 0;  ///< elements that the limit allows a rank
    bool proven = false;           ///< nothing within the limits moves less
};

/// returns unsupported  a patch's elements times the ranks are too many. May throw std::bad_alloc.
[[nodiscard]] result<optimal_placement> place_optimal(const sharing& shared, const layout& from, const patch_grid& to,
                                                      const placement& how);

}  // namespace laconic::redistribute
