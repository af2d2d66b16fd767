// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter and allgather over nodes: every placement of ranks on nodes, counts that are none, few and uneven,
// and bits that do not depend on the nodes.
#include <algorithm>

#include "cases.hpp"
#include "collective/execution.hpp"
#include "meet.hpp"
#include "placed.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace laconic::collective;

const MPI_Comm world = MPI_COMM_WORLD;

constexpr std::array both{operation::reduce_scatter, operation::allgather};

/// A rank that hands in a piece is without a result: who gets the piece learns of it.
void check_spoiled_piece() {
    const int ranks = size_of(world);
    if (ranks < 3) return;
    // Rank 0 alone: all others are a node with one lane, its first rank's.
    std::vector<int> leaders(static_cast<std::size_t>(ranks), 1);
    leaders[0] = 0;
    hierarchy levels = make_hierarchy(leaders, rank_in(world), std::vector<int>(leaders.size(), 0));
    meet(**collective::usable_channel(world), levels);
    if (rank_in(world) == 0) return;
    const auto local = static_cast<std::size_t>(levels.inside.rank);
    const std::vector<lane_run> handed{{0, 0, 0, 100}};
    std::vector<lane_run> pieces;
    for (std::size_t k = 0; k < leaders.size() - 1; ++k) pieces.push_back({static_cast<int>(k), k * 100, 0, 100});
    const std::vector<float> mine(100, static_cast<float>(local));
    std::vector<float> part(100 * pieces.size(), -1);
    for (const bool spoiled : {false, true, false}) {
        node_stage<float> stage;
        stage.start(levels,
                    {node_task::exchange,
                     {mine, {}},
                     local == 0 ? std::span(part) : std::span<float>{},
                     0,
                     handed,
                     100,
                     local == 0 ? std::span<const lane_run>(pieces) : std::span<const lane_run>{}},
                    spoiled && rank_in(world) == ranks - 1);
        const status why = drive([&] { return stage.advance(); });
        check(why.code() == (spoiled && local == 0 ? errc::corrupt : errc::ok), "a piece handed in: " + why.message());
        bool right = true;
        for (std::size_t i = 100; i < part.size() && local == 0; ++i) {
            const std::size_t from = i / 100;
            right = right && part[i] == static_cast<float>(from);
        }
        check(right, "pieces handed in stand elsewhere");
    }
}

void check_placements() {
    const int ranks = size_of(world);
    std::size_t turn = 0;
    for_each_placement([&](hierarchy& levels, bool shared) {
        for (const operation op : both)
            for (const char* name : {"hierarchical/raw", "hierarchical", "hierarchical/per_hop:fle"}) {
                scenario what;
                what.op = op;
                what.algorithm = name;
                const cell row = *find_cell(op, name);
                if (compresses(row)) what.limit = bound::abs(1e-3);
                ++turn;
                if (!falls_to_size(turn, 4, ranks)) continue;
                what.varying = turn / 3 % 2 == 1;
                what.in_place = turn / 2 % 2 == 0;
                what.combine = turn % 4 == 3 ? reduction::avg : reduction::sum;
                // More than a slot of the node's memory has room for.
                what.count = turn % 5 == 2 ? 90001 : 700;
                what.segment_bytes = turn % 2 == 1 ? 1 : 131072;
                const std::string where = "placement " + std::to_string(turn) + (shared ? " " : " by messages ");
                check_placed<float>(what, row, levels, where);
                if (turn % 4 == 0) check_placed<double>(what, row, levels, where);
            }
    });
}

void check_counts() {
    const int ranks = size_of(world);
    std::size_t at = 0, turn = 0;
    for (int each = 0; each <= ranks; ++each)
        for (const operation op : both)
            for (const std::size_t count : {0U, 1U, 31U, 32U, 33U})
                for (const bool shared : {true, false}) {
                    if (!falls_to_size(++at, 4, ranks)) continue;
                    scenario what;
                    what.op = op;
                    what.algorithm = turn % 3 == 0 ? "hierarchical/raw" : "hierarchical";
                    what.limit = bound::abs(1e-3);
                    what.kind = turn % 2 == 0 ? field::adversarial : field::smooth;
                    what.combine = turn % 5 == 4 ? reduction::min : turn % 5 == 3 ? reduction::avg : reduction::sum;
                    what.count = count;
                    what.in_place = turn / 2 % 2 == 0;
                    what.varying = turn % 7 < 3 && count > 0;
                    what.ranks_per_node = static_cast<unsigned>(each);
                    what.shared_memory = shared;
                    ++turn;
                    check_scenario<float>(what);
                    check_scenario<bfloat16>(what);
                }
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
    return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

/// An allgather has the ring's bits, and a reduce_scatter those of the allreduce over the same nodes.
template <class T>
void check_bits() {
    const int ranks = size_of(world);
    for (int each = 1; each <= ranks; each += ranks > 4 ? 2 : 1) {
        scenario what;
        what.limit = bound::abs(1e-4);
        what.count = 7001;
        what.ranks_per_node = static_cast<unsigned>(each);
        what.op = operation::allgather;
        // Inside one node nothing is compressed.
        what.algorithm = each < ranks ? "ring" : "ring_raw";
        const std::vector<T> gathered = result_of<T>(what);
        what.algorithm = "hierarchical";
        for (const std::size_t segment : {std::size_t{1}, std::size_t{20000}, std::size_t{1} << 40}) {
            what.segment_bytes = segment;
            check(same_bits<T>(result_of<T>(what), gathered), what.text() + ": other bits than the ring's");
        }
        what.op = operation::allreduce;
        what.algorithm = "argm";
        what.count *= static_cast<std::size_t>(ranks);
        const std::vector<T> all = result_of<T>(what);
        what.op = operation::reduce_scatter;
        what.count = 7001;
        for (const char* row : {"hierarchical", "hierarchical/homomorphic", "hierarchical/quantised"})
            for (const std::size_t segment : {std::size_t{1}, std::size_t{20000}, std::size_t{1} << 40}) {
                what.segment_bytes = segment;
                what.algorithm = row;
                const auto own =
                    std::span(all).subspan(static_cast<std::size_t>(rank_in(world)) * what.count, what.count);
                check(same_bits<T>(result_of<T>(what), own), what.text() + ": other bits than the allreduce's");
            }
    }
}

/// Several calls of the same nodes at a time, that ranks wait for in different orders.
void check_side_by_side() {
    std::vector<scenario> calls;
    for (const operation op : {operation::reduce_scatter, operation::allgather, operation::allreduce,
                               operation::allgather, operation::reduce_scatter}) {
        scenario what;
        what.op = op;
        what.algorithm = op == operation::allreduce ? "argm" : "hierarchical";
        what.limit = bound::abs(1e-3);
        what.count = 40000;
        what.ranks_per_node = calls.size() % 2 == 0 ? 2 : 0;
        what.varying = op != operation::allreduce && calls.size() > 2;
        calls.push_back(what);
    }
    check_started_together(calls);
}

/// What ranks see in different ways is refused by all, and the next call works.
void check_mismatches() {
    if (size_of(world) < 2) return;
    for (const operation op : both)
        for (int wrong = 0; wrong < 4; ++wrong) {
            scenario what;
            what.op = op;
            what.algorithm = "hierarchical";
            what.limit = bound::abs(1e-3);
            what.count = 3000;
            what.varying = true;
            what.ranks_per_node = 2;
            const scenario right = what;
            laid_out<float> arrays = lay_out<float>(what, rank_in(world), size_of(world));
            if (rank_in(world) == size_of(world) - 1) {
                if (wrong == 0) what.ranks_per_node = 1;
                if (wrong == 1) what.algorithm = "hierarchical/raw";
                if (wrong == 2) what.shared_memory = false;
                // The same number of elements, dealt out in another way.
                if (wrong == 3 && op == operation::reduce_scatter) {
                    arrays.in_counts[0] -= 1;
                    arrays.in_counts[1] += 1;
                }
                if (wrong == 3 && op == operation::allgather) arrays.out_counts[0] -= 1;
            }
            const auto refused = run(arrays.call, world, options_of(what));
            check(refused.error().code() == errc::mismatch || refused.error().code() == errc::invalid_argument,
                  what.text() + " and another call: " + refused.error().message());
            check_scenario<float>(right);
        }
}

}  // namespace

void pieces_cross_nodes() {
    check_placements();
    check_spoiled_piece();
    check_counts();
    check_bits<float>();
    check_bits<double>();
    check_side_by_side();
    check_mismatches();
}

}  // namespace laconic::test
