// SPDX-License-Identifier: BSD-3-Clause
// The placements of Robinson et al., "Investigating Data Movement Strategies for Distribution of Repartitioned Data"
// (PEARC '24), as published: who shares which patch flows in, the rank of every patch flows out.
#pragma once

#include <vector>

#include "redistribute/sharing.hpp"

namespace laconic::redistribute {

/// Each patch to the rank that holds most of it, the smallest of equals.
[[nodiscard]] std::vector<rank_number> place_greedy(const sharing& shared, patch_number patches);

struct balanced_placement {
    std::vector<rank_number> owners;
    std::int64_t forced = 0;  ///< patches above target, because their ranks held more whole patches than the target
};
/// Targets are patches / ranks, one more for the first patches % ranks ranks. Patches held whole stay, whatever the
/// target. Then each shared patch, in their order, goes to the smallest of its ranks that is below its target, or else
/// to the smallest rank of all that is.
[[nodiscard]] balanced_placement place_balanced(const sharing& shared, patch_number patches, rank_number ranks);

/// Patch p to rank p % ranks; truncated patches count like any other.
[[nodiscard]] std::vector<rank_number> place_round_robin(patch_number patches, rank_number ranks);

}  // namespace laconic::redistribute
