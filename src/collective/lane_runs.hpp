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

/// Pieces of all ranks, one for each, dealt out to lanes: the order and the lengths of everything that a hierarchy
/// moves. In a lane's part the pieces of a node stand together: its section.
struct lane_layout {
    std::vector<lane_run> runs;           ///< of all lanes, in this rank's array
    std::vector<lane_run> members;        ///< of each rank of the node its piece, in its section
    std::vector<range> sections;          ///< of this rank's lane, by the numbers of nodes in it
    std::vector<std::size_t> lane_first;  ///< where each lane begins if they stand in a row, and their end
    std::size_t longest_lane = 0;
    std::size_t longest_section = 0;  ///< of this node's
    range own;                        ///< this rank's piece in its lane's part
    range section;                    ///< this node's in this rank's lane's part
};

}  // namespace laconic::collective
