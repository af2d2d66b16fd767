// SPDX-License-Identifier: BSD-3-Clause
// A plan flows in, its figures flow out: what moves, in how many messages, and how even the ranks come out.
#include <algorithm>

#include "redistribute/plan_state.hpp"

namespace laconic {
namespace {

spread spread_of(std::span<const std::int64_t> values) {
    spread found{values[0], values[0], 0};
    for (const std::int64_t value : values) {
        found.min = std::min(found.min, value);
        found.max = std::max(found.max, value);
        found.sum += value;
    }
    return found;
}

}  // namespace

plan_figures plan::figures() const {
    const auto ranks = static_cast<std::size_t>(from().ranks());
    plan_figures figures;
    figures.elements = from().domain().volume();
    figures.received_at_most = state_->received_at_most;
    figures.forced = state_->forced;
    figures.proven_optimal = state_->proven_optimal;
    std::vector<std::int64_t> patches(ranks), volume(ranks), sent(ranks), received(ranks);
    // The receiver to which a sender was last counted: receivers are gone through one after the other.
    std::vector<rank_number> counted_for(ranks, -1);
    std::vector<redistribute::share> shares;
    const auto& nodes = state_->node_of;
    for (rank_number rank = 0; rank < from().ranks(); ++rank) {
        const auto mine = static_cast<std::size_t>(rank);
        for (const patch_number patch : patches_of(rank)) {
            state_->shared.shares_of(patch, shares);
            ++patches[mine];
            figures.shared_patches += shares.size() > 1;
            for (const redistribute::share& part : shares) {
                const auto peer = static_cast<std::size_t>(part.rank);
                volume[mine] += part.volume;
                if (part.rank == rank) continue;
                ++figures.patch_messages;
                sent[peer] += part.volume;
                received[mine] += part.volume;
                if (!nodes.empty() && nodes[peer] != nodes[mine]) figures.between_nodes += part.volume;
                if (counted_for[peer] == rank) continue;
                counted_for[peer] = rank;
                ++figures.rank_messages;
            }
        }
    }
    figures.patches = spread_of(patches);
    figures.volume = spread_of(volume);
    figures.sent = spread_of(sent);
    figures.received = spread_of(received);
    figures.moved_elements = figures.received.sum;
    return figures;
}

}  // namespace laconic
