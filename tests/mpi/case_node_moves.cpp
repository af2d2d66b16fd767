// SPDX-License-Identifier: BSD-3-Clause
// Gather, scatter and alltoall over nodes: every placement of ranks on nodes, counts that are none, few and uneven, any
// root, and bits that do not depend on the nodes.
#include <algorithm>
#include <array>

#include "cases.hpp"
#include "check.hpp"
#include "meet.hpp"
#include "placed.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

using namespace laconic::collective;

const MPI_Comm world = MPI_COMM_WORLD;

constexpr std::array moves{operation::gather, operation::scatter, operation::alltoall};
constexpr std::array rows{"hierarchical/raw", "hierarchical", "hierarchical/per_hop:fle"};

void check_placements() {
    const int ranks = size_of(world);
    std::size_t turn = 0;
    for_each_placement([&](hierarchy& levels, bool shared) {
        for (const operation op : moves)
            for (const char* name : rows) {
                ++turn;
                if (!falls_to_size(turn, 4, ranks)) continue;
                scenario what;
                what.op = op;
                what.algorithm = name;
                const cell row = *find_cell(op, name);
                if (compresses(row)) what.limit = bound::abs(1e-3);
                what.varying = turn / 3 % 2 == 1;
                what.in_place = turn / 2 % 2 == 0;
                what.root = static_cast<int>(turn * 7 / 2) % ranks;
                // More than a slot of the node's memory has room for.
                what.count = turn % 5 == 2 ? 70001 : 700;
                what.segment_bytes = turn % 3 == 1 ? 1 : 131072;
                const std::string where = "placement " + std::to_string(turn) + (shared ? " " : " by messages ");
                check_placed<float>(what, row, levels, where);
                if (turn % 4 == 0) check_placed<double>(what, row, levels, where);
            }
    });
}

/// All roots, few elements, nodes in a row.
void check_counts() {
    const int ranks = size_of(world);
    std::size_t turn = 0;
    for (int each = 0; each <= ranks; ++each)
        for (const operation op : moves)
            for (const std::size_t count : {0U, 1U, 31U, 33U, 3000U})
                for (const bool shared : {true, false})
                    for (const bool varying : {true, false}) {
                        ++turn;
                        if (!falls_to_size(turn, 4, ranks)) continue;
                        scenario what;
                        what.op = op;
                        what.algorithm = rows[turn % rows.size()];
                        what.limit = turn % 2 == 0 ? bound::abs(1e-3) : bound::rel(1e-4);
                        what.kind = turn % 5 < 3 ? field::adversarial : field::smooth;
                        what.which = turn % 4 == 0   ? scope::contribution
                                     : turn % 4 == 1 ? scope::probable
                                                     : scope::result;
                        what.count = count;
                        what.root = static_cast<int>(turn / 2) % ranks;
                        what.in_place = turn / 3 % 2 == 0;
                        what.varying = varying && count > 0;
                        what.ranks_per_node = static_cast<unsigned>(each);
                        what.shared_memory = shared;
                        check_scenario<float>(what);
                        check_scenario<bfloat16>(what);
                    }
}

/// What crosses nodes has the bits of the straight way, what stays in a node those that it had.
void check_bits() {
    const int ranks = size_of(world);
    const int me = rank_in(world);
    for (const operation op : moves)
        for (int each = 1; each <= ranks; each += ranks > 4 ? 2 : 1) {
            scenario what;
            what.op = op;
            what.limit = bound::abs(1e-4);
            what.count = 7001;
            what.root = ranks / 2;
            what.ranks_per_node = static_cast<unsigned>(each);
            what.algorithm = "pairwise";
            const std::vector<float> far = result_of<float>(what);
            what.algorithm = "pairwise_raw";
            const std::vector<float> near = result_of<float>(what);
            what.algorithm = "hierarchical";
            const std::vector<float> mixed = result_of<float>(what);
            bool same = true;
            for (std::size_t i = 0; i < mixed.size(); ++i) {
                const int other = op == operation::scatter ? what.root : static_cast<int>(i / what.count);
                const float want = other / each == me / each ? near[i] : far[i];
                same = same && std::equal(&want, &want + 1, &mixed[i]);
            }
            check(same, what.text() + ": other bits than the straight way's");
        }
}

/// Ranks of a node share the messages to another node: each of them sends that one one, not one for each of its ranks.
void check_messages() {
    const int ranks = size_of(world);
    for (const unsigned each : {2U, 4U})
        for (const bool varying : {false, true}) {
            const int nodes = ranks / static_cast<int>(each);
            if (ranks % static_cast<int>(each) != 0 || nodes < 2) continue;
            scenario what;
            what.op = operation::alltoall;
            what.limit = bound::abs(1e-3);
            what.count = 50;
            what.varying = varying;
            what.ranks_per_node = each;
            laid_out<float> arrays = lay_out<float>(what, rank_in(world), ranks);
            const auto sent = [&](const char* row) {
                what.algorithm = row;
                const auto done = run(arrays.call, world, options_of(what));
                check(done.ok() && done->algorithm == row, what.text() + ": " + done.error().message());
                return done.ok() ? done->messages : 0;
            };
            check(sent("hierarchical") <= static_cast<std::uint64_t>(nodes - 1), what.text() + ": messages");
            check(varying || sent("pairwise") == static_cast<std::uint64_t>(ranks - 1), what.text() + ": messages");
        }
}

/// Several calls of the same nodes at a time, that ranks wait for in different orders; then the same again, persistent.
void check_side_by_side() {
    std::vector<scenario> calls;
    for (const operation op : {operation::alltoall, operation::gather, operation::scatter, operation::alltoall,
                               operation::gather, operation::allgather, operation::scatter}) {
        scenario what;
        what.op = op;
        what.algorithm = "hierarchical";
        what.limit = bound::abs(1e-3);
        what.count = 9000;
        what.root = static_cast<int>(calls.size()) % size_of(world);
        what.ranks_per_node = calls.size() % 3 == 0 ? 0 : 2;
        what.varying = calls.size() % 2 == 1;
        what.in_place = calls.size() > 2;
        calls.push_back(what);
    }
    check_started_together(calls);
}

void check_persistent() {
    for (const operation op : moves)
        for (const bool varying : {false, true}) {
            scenario what;
            what.op = op;
            what.algorithm = "hierarchical";
            what.limit = bound::abs(1e-3);
            what.count = 4000;
            what.varying = varying;
            what.ranks_per_node = 2;
            laid_out<float> arrays = lay_out<float>(what, rank_in(world), size_of(world));
            auto made = prepare(arrays.call, world, options_of(what));
            check(made.ok(), what.text() + ": " + made.error().message());
            if (!made.ok()) continue;
            for (const field kind : {field::smooth, field::adversarial, field::offset}) {
                what.kind = kind;
                const laid_out<float> fresh = lay_out<float>(what, rank_in(world), size_of(world));
                std::copy(fresh.in.begin(), fresh.in.end(), arrays.in.begin());
                std::copy(fresh.out.begin(), fresh.out.end(), arrays.out.begin());
                check(made->start().ok(), what.text() + ": start of a prepared request");
                const auto done = made->wait();
                check(done.ok(), what.text() + ": " + done.error().message());
                if (done.ok()) check_outcome(what, arrays, *done);
            }
        }
}

/// A root whose counts are not those of the ranks is refused by all, and the next call works.
void check_mismatches() {
    const int ranks = size_of(world);
    if (ranks < 2) return;
    for (const operation op : {operation::gather, operation::scatter}) {
        scenario what;
        what.op = op;
        what.algorithm = "hierarchical";
        what.limit = bound::abs(1e-3);
        what.varying = true;
        what.root = ranks - 1;
        what.ranks_per_node = 2;
        laid_out<float> arrays = lay_out<float>(what, rank_in(world), ranks);
        if (rank_in(world) == what.root) (op == operation::gather ? arrays.out_counts : arrays.in_counts)[0] -= 1;
        const auto refused = run(arrays.call, world, options_of(what));
        check(refused.error().code() == errc::mismatch,
              what.text() + " and another count: " + refused.error().message());
        check_scenario<float>(what);
    }
    // Of an alltoallv ranks of a node hear both sides.
    scenario what;
    what.op = operation::alltoall;
    what.algorithm = "hierarchical";
    what.limit = bound::abs(1e-3);
    what.varying = true;
    what.ranks_per_node = static_cast<unsigned>(ranks);
    laid_out<float> arrays = lay_out<float>(what, rank_in(world), ranks);
    // Rank 0 expects one less of the first other rank that has something for it.
    int changes = 0;
    for (std::size_t k = 1; rank_in(world) == 0 && changes == 0 && k < arrays.out_counts.size(); ++k)
        if (arrays.out_counts[k] > 0) --arrays.out_counts[k], changes = 1;
    MPI_Bcast(&changes, 1, MPI_INT, 0, world);
    if (changes == 0) return;
    const auto refused = run(arrays.call, world, options_of(what));
    check(refused.error().code() == errc::mismatch, what.text() + " and another count: " + refused.error().message());
    check_scenario<float>(what);
}

}  // namespace

void moves_cross_nodes() {
    check_placements();
    check_counts();
    check_bits();
    check_messages();
    check_side_by_side();
    check_persistent();
    check_mismatches();
}

}  // namespace laconic::test
