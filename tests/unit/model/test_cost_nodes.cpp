// SPDX-License-Identifier: BSD-3-Clause
// What hierarchical rows cost, worked out by hand: nodes of equal and of different sizes, lanes between them, copies
// inside, and how well the sums of nodes compress.
#include <gtest/gtest.h>

#include <utility>

#include "machines.hpp"

namespace laconic::model {
namespace {

using namespace tests;
using enum schedule_kind;
using enum payload_kind;

TEST(cost, of_nodes_of_one_rank_is_that_of_chains) {
    const machine m = slow_machine();
    for (const auto& [op, payload] :
         {std::pair{operation::reduce, payload_kind::fused}, std::pair{operation::reduce, payload_kind::raw},
          std::pair{operation::bcast, once}}) {
        question what = ask(op, 4'000'000, 6);
        what.segment_bytes = 100'000;
        const auto over = [&, payload = payload](schedule_kind schedule) {
            return payload == payload_kind::raw ? tests::raw(schedule) : fle(schedule, payload);
        };
        EXPECT_NEAR(time_of(m, what, over(schedule_kind::hierarchical)), time_of(m, what, over(ring)), 1e-9);
        // Three ranks on each of two nodes: one hop with a third of the bytes, and what memory takes.
        what.nodes = 2;
        EXPECT_LT(time_of(m, what, over(schedule_kind::hierarchical)), time_of(m, what, over(ring)));
    }
}

TEST(cost, of_nodes_whose_ranks_have_pieces_counts_copies) {
    machine m = machine_of_nodes();
    m.copy_bytes_per_s = 1e8;
    // In nodes of one rank a ring and what it takes to put pieces in order: all of them, and one.
    for (const operation op : {operation::reduce_scatter, operation::allgather}) {
        const question what = ask(op, 8000, 8);
        const double copies = (8000 + 1000) / m.copy_bytes_per_s;
        EXPECT_NEAR(time_of(m, what, tests::raw(hierarchical)), time_of(m, what, tests::raw(ring)) + copies, 1e-9);
    }
    // Two nodes of four: one step with 1000 bytes, four lanes at a time, and 3/4 of 2000 to add per rank.
    question what = ask(operation::reduce_scatter, 8000, 8);
    what.nodes = 2;
    const double lanes = 1e-3 + 1000 * 2e-6;
    const double added = 3 * 2000 / m.add_bytes_per_s + 1000 / m.add_bytes_per_s;
    expect_time(m, what, tests::raw(hierarchical), lanes + added + (8000 + 1000) / m.copy_bytes_per_s);
    what.op = operation::allgather;
    expect_time(m, what, tests::raw(hierarchical), lanes + (1000 + 2000 + 8000) / m.copy_bytes_per_s);
    // With nodes of four and three ranks there are three lanes, and a piece to hand over.
    what.op = operation::reduce_scatter;
    what.bytes = 7000;
    what.ranks = 7;
    EXPECT_GT(time_of(m, what, tests::raw(hierarchical)),
              1e-3 + 7000.0 / 3 / 2 * 1.5e-6 + (7000 + 2 * 1000 + 1000) / m.copy_bytes_per_s);
}

TEST(cost, of_nodes_that_exchange_pieces_counts_copies) {
    machine m = machine_of_nodes();
    m.copy_bytes_per_s = 1e8;
    // In nodes of one rank the straight way, which copies a rank's own piece, and what it takes to put pieces in order.
    for (const auto& [op, copied] : {std::pair{operation::gather, 8000}, std::pair{operation::scatter, 8000},
                                     std::pair{operation::alltoall, 7000}}) {
        const question what = ask(op, 8000, 8);
        EXPECT_NEAR(time_of(m, what, tests::raw(hierarchical)),
                    time_of(m, what, tests::raw(pairwise)) + copied / m.copy_bytes_per_s, 1e-9);
    }
    // Two nodes of four: each lane moves 1000 bytes, four lanes at a time; in an alltoall four times as many.
    question what = ask(operation::gather, 8000, 8);
    what.nodes = 2;
    for (const operation op : {operation::gather, operation::scatter}) {
        what.op = op;
        expect_time(m, what, tests::raw(hierarchical), 1e-3 + 1000 * 2e-6 + (1000 + 2000 + 8000) / m.copy_bytes_per_s);
    }
    what.op = operation::alltoall;
    expect_time(m, what, tests::raw(hierarchical), 1e-3 + 4000 * 2e-6 + (8000 + 8000) / m.copy_bytes_per_s);
    // The root decompresses one lane's pieces of the other node, not those of all its ranks.
    what.op = operation::gather;
    EXPECT_NEAR(estimate(m, what, fle(hierarchical, once)).decompress_s, 0.25 * ms, 1e-9);
    EXPECT_NEAR(estimate(m, what, fle(pairwise, once)).decompress_s, 7 * 0.25 * ms, 1e-9);
    // Inside one node nothing is sent, and an alltoall has everything come in beside the caller's array.
    what.nodes = 1;
    expect_time(m, what, tests::raw(hierarchical), (1000 + 1000 + 8000) / m.copy_bytes_per_s);
    what.op = operation::alltoall;
    expect_time(m, what, tests::raw(hierarchical), (8000 + 8000 + 8000) / m.copy_bytes_per_s);
    // With nodes of four and three ranks there are three lanes, which share the link, and elements to hand over.
    what.bytes = 7000;
    what.ranks = 7;
    what.nodes = 2;
    const double part = 4 * 7000.0 / 3;
    expect_time(m, what, tests::raw(hierarchical),
                1e-3 + part / 2 * 1.5e-6 + (7000 + part + part + 7000) / m.copy_bytes_per_s);
}

/// Reduction, bcast: one lane is all that a node of one rank leaves to a node of eight.
TEST(cost, of_uneven_nodes_is_that_of_the_smallest_ones_lanes) {
    machine m = machine_of_nodes();
    question what = ask(operation::bcast, 9000, 9);
    what.nodes = 2;
    what.largest_node = 8;
    what.smallest_node = 1;
    // The links' 1 us per byte, with one sender.
    EXPECT_NEAR(estimate(m, what, tests::raw(hierarchical)).wire_s, 9000 * 1e-6, 1e-12);
    what.op = operation::allreduce;
    EXPECT_NEAR(estimate(m, what, tests::raw(hierarchical)).wire_s, 2 * 4500 * 1e-6, 1e-12);
    // Four lanes of nodes of five and four ranks have 2 us per byte.
    what.largest_node = what.smallest_node = 0;
    EXPECT_NEAR(estimate(m, what, tests::raw(hierarchical)).wire_s, 2 * (9000 / 4.0 / 2) * 2e-6, 1e-12);
    what.op = operation::bcast;
    EXPECT_NEAR(estimate(m, what, tests::raw(hierarchical)).wire_s, 9000 / 4.0 * 2e-6, 1e-12);
}

/// Ratio 8 is 4 bits of 32, and a sum over 8 has 3 more; over both nodes one more.
TEST(cost, of_sums_of_nodes_depends_on_the_step_they_have) {
    const machine m = infinitely_fast(slow_machine());
    question what = ask(operation::allreduce, 16000, 16);
    what.nodes = 2;
    what.ratio = 8;
    what.growth_bits = 1;
    const auto wire_s = [&] { return estimate(m, what, fle(hierarchical, fused)).wire_s; };
    // A lane's half goes out as the sum of one node and comes back as that of two.
    const double half = 16000 / 8.0 / 2, bits = 1 / 32.0;
    what.node_step = 1;
    EXPECT_NEAR(wire_s(), half * (7 * bits + 8 * bits) * 1e-6, 1e-12);
    what.node_step = 8;
    EXPECT_NEAR(wire_s(), half * (4 * bits + 5 * bits) * 1e-6, 1e-12);
    const double coarse = wire_s();
    what.node_step = 0;
    EXPECT_EQ(wire_s(), coarse);
}

}  // namespace
}  // namespace laconic::model
