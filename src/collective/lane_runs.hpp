// SPDX-License-Identifier: BSD-3-Clause
// Where the part of a lane lies in an array: runs flow in, the places of a window of the part flow out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "collective/payload.hpp"

namespace laconic::collective {

/// Elements [whole, whole + count) of an array are [first, first + count) of a lane's part.
struct lane_run {
    int lane = 0;
    std::size_t whole = 0, first = 0, count = 0;
};

/// Calls f(whole, first, count) for what a window of a lane's part has in common with each run. The runs are in the
/// order of lanes and elements.
template <class F>
void for_each_run(std::span<const lane_run> runs, int lane, range window, F f) {
    const auto before = [&](const lane_run& one) {
        return std::tuple(one.lane, one.first + one.count) <= std::tuple(lane, window.first);
    };
    auto one = std::partition_point(runs.begin(), runs.end(), before);
    for (; one != runs.end() && one->lane == lane && one->first < window.first + window.count; ++one) {
        const std::size_t from = std::max(one->first, window.first);
        const std::size_t to = std::min(one->first + one->count, window.first + window.count);
        if (from < to) f(one->whole + (from - one->first), from, to - from);
    }
}

/// The order and the lengths of everything that a hierarchy moves. Pieces of all ranks, one for each, are dealt out to
/// lanes; in a lane's part the pieces of a node stand together: its section. An alltoall has a part that goes out
/// and one that comes in, with a section for each node that it goes to or comes from.
struct lane_layout {
    std::vector<lane_run> runs;           ///< of all lanes, in this rank's array
    std::vector<lane_run> members;        ///< of each rank of the node its piece, in its section
    std::vector<lane_run> handed;         ///< what this rank hands to its lane's rank
    std::vector<lane_run> arrivals;       ///< what the ranks of the node hand to this rank's lane
    std::vector<range> sections;          ///< of this rank's lane, by the numbers of nodes in it
    std::vector<std::size_t> lane_first;  ///< where each lane begins if they stand in a row, and their end
    std::size_t longest_lane = 0;
    std::size_t longest_section = 0;  ///< of this node's
    std::size_t longest_handed = 0;   ///< of this node's ranks
    range own;                        ///< this rank's piece in its lane's part
    range section;                    ///< this node's in this rank's lane's part

    // Of an alltoall:
    std::vector<int> node_of;                 ///< of the first rank of each node its number in this rank's lane
    std::vector<std::size_t> incoming_ranks;  ///< of each node
    std::vector<int> sources;                 ///< all ranks, node by node, as this rank's lane has the nodes
    std::vector<range> incoming;              ///< sections of the part that comes in; `sections` are of what goes out
    std::vector<lane_run> kept;               ///< of what this rank has for its own lane: from its array into the part
    std::vector<lane_run> taken;              ///< this rank's elements of the part that comes in, in its array
    std::vector<std::size_t>
        queue_first;  ///< by messages: where what each rank of the node hands over stands, and the end
    std::vector<std::size_t> member_first;  ///< by messages: the same of what is handed to each
};

}  // namespace laconic::collective
