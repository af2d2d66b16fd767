// SPDX-License-Identifier: BSD-3-Clause
// Nodes: teams of ranks, the memory that they share, and what becomes of a rank without a result.
#include <sched.h>

#include <algorithm>

#include "cases.hpp"
#include "collective/execution.hpp"
#include "collective/geometry.hpp"
#include "collective/node_stage.hpp"
#include "collective/stage.hpp"
#include "meet.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

using namespace laconic::collective;

const MPI_Comm world = MPI_COMM_WORLD;

mpi::channel& world_channel() { return **collective::usable_channel(world); }

/// Nodes of so many ranks in a row, the last one perhaps smaller.
void check_teams() {
    const mpi::channel& channel = world_channel();
    for (int each = 1; each <= channel.size() + 1; ++each) {
        const hierarchy made = make_hierarchy(channel, static_cast<unsigned>(each), true);
        const std::string what = "nodes of " + std::to_string(each);
        const int node = channel.rank() / each;
        const int left = channel.size() % each;
        const bool in_last = left != 0 && node == channel.size() / each;
        check(made.nodes == (channel.size() + each - 1) / each, what + ": number of nodes");
        check(made.lanes == (left != 0 ? left : each), what + ": lanes are the smallest node's ranks");
        check(made.inside.size == (in_last ? left : each), what + ": ranks inside");
        check(made.inside.on_channel(made.inside.rank) == channel.rank(), what + ": this rank inside");
        check(made.across.size == (made.inside.rank < made.lanes ? made.nodes : 0), what + ": ranks across");
        for (int k = 0; k < made.across.size; ++k)
            check(made.across.on_channel(k) == k * each + made.inside.rank, what + ": a rank across");
        check(made.shares == (each > 1 && channel.size() > 1), what + ": all ranks are on this machine");
    }
}

/// Inside one node nothing is sent where there is memory, and everything where it is not wanted.
void check_ways() {
    for (const std::size_t count : {std::size_t{1}, std::size_t{5000}, std::size_t{700001}})
        for (const bool shared : {true, false}) {
            scenario what;
            what.algorithm = "hierarchical/raw";
            what.count = count;
            what.shared_memory = shared;
            what.in_place = count == 5000;
            laid_out<double> arrays = lay_out<double>(what, rank_in(world), size_of(world));
            const auto done = run(arrays.call, world, options_of(what));
            check(done.ok(), what.text() + ": " + done.error().message());
            if (!done.ok()) continue;
            check_outcome(what, arrays, *done);
            const bool has_to_send = !shared && size_of(world) > 1 && count > 4096;
            check(has_to_send == (done->messages > 0) || (!shared && count <= 4096),
                  what.text() + ": " + std::to_string(done->messages) + " messages inside a node");
        }
}

/// The report says which way values went inside the nodes.
void check_reported_ways() {
    for (const operation op : {operation::allreduce, operation::reduce, operation::bcast})
        for (const unsigned each : {0U, 2U})
            for (const bool shared : {true, false}) {
                scenario what;
                what.op = op;
                what.algorithm = op == operation::bcast ? "hierarchical" : "hierarchical/fused";
                what.limit = bound::abs(1e-3);
                what.count = 150001;
                what.root = size_of(world) - 1;
                what.ranks_per_node = each;
                what.shared_memory = shared;
                laid_out<float> arrays = lay_out<float>(what, rank_in(world), size_of(world));
                const auto done = run(arrays.call, world, options_of(what));
                check(done.ok(), what.text() + ": " + done.error().message());
                if (!done.ok()) continue;
                check_outcome(what, arrays, *done);
                const bool alone = size_of(world) == 1 ||
                                   (each == 2 && size_of(world) % 2 == 1 && rank_in(world) == size_of(world) - 1);
                const node_traffic want = alone    ? node_traffic::none
                                          : shared ? node_traffic::memory
                                                   : node_traffic::messages;
                check(done->inside == want, what.text() + ": the report says another way");
                check(!(shared && each == 0) || done->messages == 0, what.text() + ": messages inside a node");
            }
    scenario other;
    other.algorithm = "ring_raw";
    laid_out<float> arrays = lay_out<float>(other, rank_in(world), size_of(world));
    const auto done = run(arrays.call, world, options_of(other));
    check(done.ok() && done->inside == node_traffic::none, "a row without nodes reports a way inside them");
}

/// Some ranks finish the first call before they begin the second, which is the first of a hierarchy on its
/// communicator: the others must not wait for them inside it.
void check_first_use_beside_others() {
    for (int round = 0; round < 3; ++round) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(world, &comm);
        scenario first;
        first.algorithm = "fused";
        first.limit = bound::abs(1e-3);
        first.count = 90000;
        scenario second = first;
        second.algorithm = "argm";
        second.ranks_per_node = 2;
        laid_out<float> a = lay_out<float>(first, rank_in(world), size_of(world));
        laid_out<float> b = lay_out<float>(second, rank_in(world), size_of(world));
        auto one = start(a.call, comm, options_of(first));
        check(one.ok(), "start of a first call");
        const bool finishes_first = rank_in(world) % 2 == round % 2;
        result<collective_report> first_done = collective_report{};
        if (finishes_first) first_done = one->wait();
        auto two = start(b.call, comm, options_of(second));
        check(two.ok(), "start of a second call");
        const auto second_done = two->wait();
        if (!finishes_first) first_done = one->wait();
        check(first_done.ok() && second_done.ok(), "two started calls: " + second_done.error().message());
        if (first_done.ok()) check_outcome(first, a, *first_done);
        if (second_done.ok()) check_outcome(second, b, *second_done);
        MPI_Comm_free(&comm);
    }
}

template <class Moving>
status finish(Moving& moving) {
    for (;;) {
        const auto now = moving.advance();
        if (!now) return now.error();
        if (*now == runner::state::done) return {};
        if (*now == runner::state::waiting) sched_yield();
    }
}

/// Rank 0 has nothing to share; the others learn of it, whichever way the parts come.
void check_spoiled() {
    mpi::channel& channel = world_channel();
    if (channel.size() < 2) return;
    const bool spoiled = channel.rank() == 0;
    const auto expect = [&](const status& why, const std::string& way) {
        check(why.code() == (spoiled ? errc::ok : errc::corrupt),
              way + " of a rank without a result: " + why.message());
    };
    std::vector<float> values(20000, 1.0F);
    hierarchy levels = make_hierarchy(channel, 0, true);
    check(levels.shares, "the ranks of this test share memory");
    meet(channel, levels);
    check(levels.met && !levels.memory.bytes().empty(), "memory of a node");
    const arrays<float> data{values, values, reduction::sum, 1};
    std::vector<lane_run> runs;
    for (int lane = 0; lane < levels.lanes; ++lane) {
        const range one =
            even_piece(values.size(), static_cast<std::size_t>(levels.lanes), static_cast<std::size_t>(lane));
        runs.push_back({lane, one.first, 0, one.count});
    }
    const std::size_t longest = runs[0].count;
    for (int call = 1; call <= 4; ++call) {
        node_stage<float> shares;
        const range mine = even_piece(values.size(), static_cast<std::size_t>(levels.lanes),
                                      static_cast<std::size_t>(levels.inside.rank));
        const std::span<float> part = std::span<float>(values).subspan(mine.first, mine.count);
        shares.start(levels, {node_task::share, data, part, 0, runs, longest}, spoiled && call != 3);
        const status why = finish(shares);
        if (call == 3)
            check(why.ok(), "memory after a rank had no result: " + why.message());
        else
            expect(why, "memory");
    }

    stage_request<float> request;
    request.channel = &channel;
    request.who = &call_store::of(channel).everybody();
    request.op = operation::allgather;
    request.what = {schedule_kind::ring, payload_kind::raw, codec_id::raw};
    request.data = data;
    request.segment_bytes = 8192;
    request.call = call_store::of(channel).next_call();
    stage<float> messages;
    const status reserved = messages.reserve(request, [&](std::uint32_t pieces, std::vector<place>& places) {
        place_evenly(values.size(), pieces, places);
        return longest_even_piece(values.size(), pieces);
    });
    check(reserved.ok(), "reserve: " + reserved.message());
    messages.start({}, spoiled);
    expect(finish(messages), "messages");
}

}  // namespace

void nodes_work() {
    check_teams();
    check_ways();
    check_reported_ways();
    check_first_use_beside_others();
    check_spoiled();
}

}  // namespace laconic::test
