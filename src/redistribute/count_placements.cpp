// SPDX-License-Identifier: BSD-3-Clause
// One pass over the patches each; two for balanced, whose whole patches come first.
#include "redistribute/count_placements.hpp"

#include <algorithm>

namespace laconic::redistribute {

std::vector<rank_number> place_greedy(const sharing& shared, patch_number patches) {
    std::vector<rank_number> owners(static_cast<std::size_t>(patches));
    std::vector<share> shares;
    for (patch_number patch = 0; patch < patches; ++patch) {
        shared.shares_of(patch, shares);
        const auto most = std::max_element(shares.begin(), shares.end(),
                                           [](const share& a, const share& b) { return a.volume < b.volume; });
        owners[static_cast<std::size_t>(patch)] = most->rank;
    }
    return owners;
}

balanced_placement place_balanced(const sharing& shared, patch_number patches, rank_number ranks) {
    balanced_placement placed{std::vector<rank_number>(static_cast<std::size_t>(patches), -1), 0};
    std::vector<patch_number> room(static_cast<std::size_t>(ranks), patches / ranks);
    std::fill_n(room.begin(), patches % ranks, patches / ranks + 1);
    std::vector<share> shares;
    for (patch_number patch = 0; patch < patches; ++patch) {
        shared.shares_of(patch, shares);
        if (shares.size() > 1) continue;
        placed.owners[static_cast<std::size_t>(patch)] = shares[0].rank;
        if (--room[static_cast<std::size_t>(shares[0].rank)] < 0) ++placed.forced;
    }
    std::size_t first_with_room = 0;
    for (patch_number patch = 0; patch < patches; ++patch) {
        rank_number& owner = placed.owners[static_cast<std::size_t>(patch)];
        if (owner >= 0) continue;
        shared.shares_of(patch, shares);
        const auto found = std::find_if(shares.begin(), shares.end(), [&](const share& part) {
            return room[static_cast<std::size_t>(part.rank)] > 0;
        });
        // The targets add up to the number of patches: as long as one is left, some rank is below its target.
        while (found == shares.end() && room[first_with_room] <= 0) ++first_with_room;
        owner = found != shares.end() ? found->rank : static_cast<rank_number>(first_with_room);
        --room[static_cast<std::size_t>(owner)];
    }
    return placed;
}

std::vector<rank_number> place_round_robin(patch_number patches, rank_number ranks) {
    std::vector<rank_number> owners(static_cast<std::size_t>(patches));
    for (patch_number patch = 0; patch < patches; ++patch) owners[static_cast<std::size_t>(patch)] = patch % ranks;
    return owners;
}

}  // namespace laconic::redistribute
