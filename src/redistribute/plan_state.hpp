// SPDX-License-Identifier: BSD-3-Clause
// What a plan is made of.
#pragma once

#include <vector>

#include "redistribute/sharing.hpp"

namespace laconic {

struct plan::state {
    layout from;
    patch_grid to;
    redistribute::sharing shared;
    std::vector<rank_number> owners;
    std::vector<std::size_t> first_of_rank;  ///< into by_rank; ranks + 1
    std::vector<patch_number> by_rank;
    std::vector<std::int32_t> node_of;
    std::int64_t received_at_most = 0, forced = 0;
    bool proven_optimal = false;

    state(const layout& source, const patch_grid& target) : from(source), to(target), shared(from, to) {}
};

}  // namespace laconic
