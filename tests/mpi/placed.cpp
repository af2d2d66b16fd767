// SPDX-License-Identifier: BSD-3-Clause
// What a call does between its agreement and its report, over nodes that no option can describe.
#include "placed.hpp"

#include <algorithm>

#include "check.hpp"
#include "collective/call_plan.hpp"
#include "collective/counting.hpp"
#include "collective/exchange_levels.hpp"
#include "collective/execution.hpp"
#include "collective/piece_levels.hpp"
#include "meet.hpp"
#include "run.hpp"

namespace laconic::test {

using namespace collective;

namespace {

/// Of each rank the first one of its node.
std::vector<std::vector<int>> placements(int ranks) {
    const auto from = [&](auto node_of) {
        std::vector<int> leaders;
        for (int rank = 0; rank < ranks; ++rank) {
            int first = 0;
            while (node_of(first) != node_of(rank)) ++first;
            leaders.push_back(first);
        }
        return leaders;
    };
    return {
        from([](int rank) { return rank % 2; }),               // dealt out in turn
        from([](int rank) { return rank % 3; }),               //
        from([](int rank) { return rank > 0 ? 1 : 0; }),       // one alone before the others
        from([&](int rank) { return rank + 1 < ranks; }),      // or behind them
        from([](int rank) { return rank % 4 == 0 ? 1 : 0; }),  // in between
        from([](int rank) { return (rank + 1) / 3; }),         // two, three, three, ...
        from([](int rank) { return (rank * 5 + 1) % 7 / 3; }),
        from([&](int rank) { return rank == 0 || rank + 1 == ranks ? 0 : rank % 2 + 1; }),
    };
}

void check_order(const hierarchy& made, const std::vector<int>& leaders, const std::string& what) {
    std::vector<int> seen(leaders.size(), 0);
    for (const int rank : made.by_lane) ++seen[static_cast<std::size_t>(rank)];
    check(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }), what + ": a rank has no lane");
    for (std::size_t rank = 0; rank < leaders.size(); ++rank) {
        const auto anchor = static_cast<std::size_t>(made.anchors[rank]);
        check(leaders[anchor] == leaders[rank], what + ": a lane leads to another node");
        check(made.anchors[anchor] == static_cast<int>(anchor) && made.lane_of[anchor] == made.lane_of[rank],
              what + ": a lane's rank has another lane");
    }
    if (!made.has_lane()) return;
    std::vector<int> nodes;
    for (const int rank : made.by_lane)
        if (made.lane_of[static_cast<std::size_t>(rank)] == made.inside.rank &&
            made.anchors[static_cast<std::size_t>(rank)] == rank)
            nodes.push_back(rank);
    check(nodes == made.across.ranks, what + ": nodes are in another order than their lane has them");
}

status count(counting& counts, mpi::channel& channel, const geometry& shape, const hierarchy& levels) {
    counts.reserve(channel, shape, &levels, false);
    if (auto bad = counts.start(); !bad.ok()) return bad;
    for (;;) {
        const auto done = counts.test();
        if (!done) return done.error();
        if (*done) return counts.verdict();
        sched_yield();
    }
}

}  // namespace

void for_each_placement(const std::function<void(hierarchy&, bool)>& body) {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 2) return;
    for (const std::vector<int>& leaders : placements(ranks))
        for (const bool shared : {true, false}) {
            hierarchy levels = make_hierarchy(leaders, rank_in(MPI_COMM_WORLD), std::vector<int>(leaders.size(), 0));
            check_order(levels, leaders, "placement");
            if (shared && levels.shares) meet(**collective::usable_channel(MPI_COMM_WORLD), levels);
            body(levels, shared);
        }
}

template <class T>
void check_placed(const scenario& what, const cell& row, hierarchy& levels, const std::string& where) {
    mpi::channel& channel = **collective::usable_channel(MPI_COMM_WORLD);
    laid_out<T> arrays = lay_out<T>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const geometry shape = geometry_of(arrays.call, channel.rank(), channel.size());
    stage_request<T> request;
    request.channel = &channel;
    request.op = what.op;
    request.what = row;
    request.root = what.root;
    request.data = {arrays.call.in, arrays.call.out, what.combine, divisor_of(what.op, what.combine, channel.size())};
    request.segment_bytes = what.segment_bytes;
    request.call = call_store::of(channel).next_call();
    const auto plan = plan_call<T>(
        {what.op, what.combine, row, what.limit, what.which, 0.95, channel.size(), levels.nodes, levels.largest_node},
        {true, -2, 2, 2});
    counting counts;
    std::span<const std::size_t> told;
    if (!knows_all_counts(what.op, what.varying)) {
        const status counted = count(counts, channel, shape, levels);
        check(counted.ok(), where + what.text() + ": " + counted.message());
        told = counts.counts();
    }
    piece_levels<T> pieces;
    exchange_levels<T> exchange;
    const bool exchanges = what.op == operation::alltoall;
    moving<T>& run = exchanges ? static_cast<moving<T>&>(exchange) : pieces;
    status ended =
        exchanges ? exchange.reserve(request, levels, shape, told) : pieces.reserve(request, levels, shape, told);
    check(ended.ok(), where + what.text() + ": " + ended.message());
    run.start(plan);
    ended = drive([&] { return run.advance(); });
    check(ended.ok(), where + what.text() + ": " + ended.message());
    collective_report report;
    report.algorithm = what.algorithm;
    report.result_bound = compresses(row) ? plan.result_bound : 0;
    if (ended.ok()) check_outcome(what, arrays, report);
}

#define LACONIC_INSTANTIATE(T) \
    template void check_placed<T>(const scenario&, const cell&, hierarchy&, const std::string&);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::test
