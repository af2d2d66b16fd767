// SPDX-License-Identifier: BSD-3-Clause
// What calibration finds, in the formulas: steps by size, bursts of links, factors of rows.
#include <gtest/gtest.h>

#include "machines.hpp"
#include "model/cost.hpp"

namespace laconic::model {
namespace {

using namespace tests;
using enum schedule_kind;
using enum payload_kind;

TEST(cost, follows_measured_steps) {
    machine m = slow_machine();
    m.inter.steps = {2, {8, 1000}, {1 * ms, 5 * ms}};
    // As equation (2.2), but a step with 1000 bytes takes 5 ms.
    expect_time(m, ask(operation::allreduce, 4000, 4), tests::raw(ring), 6 * 5 * ms + 3 * 0.1 * ms);
    // A chain of one segment over three links; then of two, the second at the pace of a link.
    expect_time(m, ask(operation::bcast, 1000, 4), tests::raw(ring), 3 * 5 * ms);
    question cut = ask(operation::bcast, 2000, 4);
    cut.segment_bytes = 1000;
    m.lanes_raw = 1;
    expect_time(m, cut, tests::raw(ring), 4 * 5 * ms);
}

TEST(cost, is_multiplied_by_what_calibration_found) {
    machine m = slow_machine();
    const question what = ask(operation::allreduce, 4000, 4);
    const cost before = estimate(m, what, fle(ring, fused)), other = estimate(m, what, fle(ring, homomorphic));
    m.fitted_rows = 1;
    m.rows[0] = {operation::allreduce, fle(ring, fused), {2, {1000, 4000}, {1, 1.5}}};
    const cost after = estimate(m, what, fle(ring, fused));
    EXPECT_DOUBLE_EQ(after.total_s, 1.5 * before.total_s);
    EXPECT_DOUBLE_EQ(after.wire_s, 1.5 * before.wire_s);
    EXPECT_EQ(estimate(m, what, fle(ring, homomorphic)).total_s, other.total_s);
    // What was timed on one node says nothing of several.
    m.calibrated_nodes = 1;
    EXPECT_EQ(estimate(m, what, fle(ring, fused)).total_s, before.total_s);
    m.calibrated_nodes = 2;
    EXPECT_EQ(estimate(m, what, fle(ring, fused)).total_s, after.total_s);
    EXPECT_EQ(estimate(m, ask(operation::reduce_scatter, 4000, 4), fle(ring, fused)).total_s,
              estimate(slow_machine(), ask(operation::reduce_scatter, 4000, 4), fle(ring, fused)).total_s);
}

TEST(cost, of_a_row_that_runs_as_another_is_that_of_the_other) {
    machine m = slow_machine();
    m.fitted_rows = 2;
    m.rows[0] = {operation::allreduce, fle(rabenseifner, fused), {1, {4000}, {1.5}}};
    m.rows[1] = {operation::allreduce, tests::raw(rabenseifner), {1, {4000}, {3}}};
    const question less = ask(operation::allreduce, rabenseifner_raw_bytes - 64, 4);
    EXPECT_EQ(estimate(m, less, fle(rabenseifner, fused)).total_s, estimate(m, less, tests::raw(rabenseifner)).total_s);
    EXPECT_EQ(estimate(m, less, fle(rabenseifner, fused)).factor, 3);
    const question more = ask(operation::allreduce, rabenseifner_raw_bytes, 4);
    EXPECT_EQ(estimate(m, more, fle(rabenseifner, fused)).factor, 1.5);
}

TEST(cost, lets_a_burst_pass_and_then_no_more) {
    machine m = slow_machine();
    m.inter.steps = {2, {8, 8000}, {1 * ms, 1 * ms}};
    m.inter.burst_bytes = 3000;
    // Three steps of 1000 bytes are a burst, and there is time for the next one meanwhile.
    expect_time(m, ask(operation::allgather, 4000, 4), tests::raw(ring), 3 * ms);
    expect_time(m, ask(operation::allreduce, 4000, 4), tests::raw(ring), 6 * ms + 3 * 0.1 * ms);
    // Three of 4000 are 9000 more than a burst, three more find nothing left of it.
    expect_time(m, ask(operation::allreduce, 16000, 4), tests::raw(ring), 9 * ms + 12 * ms);
    // Sums of the first half give it time again: 50 ms for 1000 bytes.
    m.add_bytes_per_s = 2e4;
    expect_time(m, ask(operation::allreduce, 4000, 4), tests::raw(ring), 6 * ms + 3 * 50 * ms);
    // The same for a chain: its first segment's way, and 9000 bytes more than a burst.
    question cut = ask(operation::bcast, 13000, 4);
    cut.segment_bytes = 1000;
    expect_time(m, cut, tests::raw(ring), 3 * 1 * ms + 9 * ms);
}

TEST(cost, shares_a_burst_among_ranks_of_a_node) {
    machine m = slow_machine();
    m.inter.steps = {2, {8, 8000}, {1 * ms, 1 * ms}};
    m.inter.burst_bytes = 3000;
    m.host_beta_s_per_byte = 1e-6;
    question two = ask(operation::allreduce, 4000, 4);
    two.nodes = 2;
    two.ratio = 1;
    // Inside the node a step of 4000 bytes takes 5 ms, and bursts are none of its business. Between nodes both ranks of
    // a node send 4000 bytes: 2500 of a rank's do not pass at once, and take 2 us each. Adding: 0.4 ms a step.
    const cell doubling{recursive_doubling, payload_kind::raw, codec_id::raw};
    expect_time(m, two, doubling, 5 * ms + 0.4 * ms + 2500 * 2e-3 * ms + 0);
}

}  // namespace
}  // namespace laconic::model
