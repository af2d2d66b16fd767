// SPDX-License-Identifier: BSD-3-Clause
// The transportation problem behind least movement: items with so many equal units, what a unit gains on which ranks,
// and how many units a rank takes flow in; how many units go where, for the greatest total gain, flows out.
#pragma once

#include <cstdint>
#include <vector>

#include "laconic/redistribute.hpp"

namespace laconic::redistribute {

/// What one unit of an item gains at a place: a rank, or any rank of a node.
struct offer {
    std::int32_t place = 0;
    std::int64_t gain = 0;
};

struct assignment_problem {
    rank_number ranks = 0;
    std::int64_t least = 0, most = 0;           ///< units that every rank takes; ranks * least <= units <= ranks * most
    std::vector<std::int64_t> units;            ///< of each item
    std::vector<std::size_t> first_offer;       ///< of each item, into offers; one more at the end
    std::vector<offer> offers;                  ///< of single ranks, each at most once per item; gain > 0
    std::vector<std::int32_t> node_of;          ///< of each rank, counted from 0; empty: there are no offers of nodes
    std::vector<std::size_t> first_node_offer;  ///< likewise; a rank's own offer is at least that of its node
    std::vector<offer> node_offers;
    /// Stop at a solution that is less than one per unit from the best, instead of at the best.
    bool coarse = false;
    /// How many moves may be looked at, after a first good answer, to find the best: a few million in a second.
    std::int64_t work = std::int64_t{1} << 62;
};

struct allotment {
    std::int32_t item = 0;
    rank_number rank = 0;
    std::int64_t units = 0;
};

struct assignment {
    std::vector<std::int64_t> taken;   ///< units per offer of a rank
    std::vector<allotment> elsewhere;  ///< units on ranks that made the item no offer of their own
    bool proven = false;               ///< no assignment has a greater total gain
};

/// The largest gain * ranks that assign() computes with.
inline constexpr std::int64_t most_scaled_gain = std::int64_t{1} << 58;

/// The assignment of greatest total gain, if the work suffices; the same one every time, as work is no matter of
/// clocks. Cost-scaling push-relabel (Goldberg and Tarjan; as an auction, Bertsekas) on the graph of ranks: a rank with
/// too many units passes them to the rank where they lose least, counting prices, and raises its own price when no one
/// is cheap enough. Prices within epsilon of consistent make the total optimal within units * epsilon; epsilon falls
/// until consistent prices prove that nothing is left. Precondition: largest gain * (ranks + 3) <= most_scaled_gain.
/// May throw std::bad_alloc.
[[nodiscard]] assignment assign(const assignment_problem& problem);

}  // namespace laconic::redistribute
