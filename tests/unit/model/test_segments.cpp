// SPDX-License-Identifier: BSD-3-Clause
// How long messages are, how many of them are on their way, and what overlaps with them.
#include <gtest/gtest.h>

#include <cmath>

#include "machines.hpp"
#include "model/cost.hpp"

namespace laconic::model {
namespace {

using namespace tests;
using enum schedule_kind;
using enum payload_kind;

TEST(segments, fit_what_is_sent_at_once) {
    EXPECT_EQ(segment_bytes_of(payload_kind::raw, 0, 2, 16384), 16384u);
    EXPECT_EQ(segment_bytes_of(fused, 0, 2, 16384), 65536u);
    // Never longer than what overlaps with the work on it; and inside a node nobody asks.
    EXPECT_EQ(segment_bytes_of(fused, 0, 2, 57344), 131072u);
    EXPECT_EQ(segment_bytes_of(payload_kind::raw, 0, 2, 1 << 20), 131072u);
    EXPECT_EQ(segment_bytes_of(payload_kind::raw, 0, 1, 16384), 131072u);
    EXPECT_EQ(segment_bytes_of(payload_kind::raw, 4000, 2, 16384), 4000u);
    machine m = slow_machine();
    question what = ask(operation::bcast, 4'000'000, 4);
    what.segment_bytes = 0;
    m.eager_bytes = 20'000;
    const double fitting = time_of(m, what, tests::raw(ring));
    what.segment_bytes = 20'000;
    EXPECT_EQ(time_of(m, what, tests::raw(ring)), fitting);
    what.segment_bytes = 80'000;
    EXPECT_NE(time_of(m, what, tests::raw(ring)), fitting);
}

TEST(segments, are_longer_for_what_shrinks_well) {
    constexpr double eager = 57344;
    const auto grown = [](schedule_kind between, payload_kind payload, double share, std::uint64_t asked = 0,
                          int nodes = 2) {
        return grown_segment_bytes_of(between, payload, share, asked, nodes, 57344);
    };
    EXPECT_EQ(grown(ring, once, eager / 524288), 524288u);
    EXPECT_EQ(grown(ring, once, (eager + 1) / 524288), 262144u);
    EXPECT_EQ(grown(pairwise, once, eager / 262144), 262144u);
    EXPECT_EQ(grown(pairwise, once, (eager + 1) / 262144), 131072u);
    EXPECT_EQ(grown(pairwise, once, 1.01), 131072u);
    // Each rank works on them before they go on.
    for (const payload_kind payload : {per_hop, pipelined, homomorphic, quantised, fused})
        EXPECT_EQ(grown(ring, payload, 0.01), 262144u);
    EXPECT_EQ(grown(ring, payload_kind::raw, 0.01), eager);
    for (const schedule_kind schedule : {recursive_doubling, rabenseifner, binomial})
        EXPECT_EQ(grown(schedule, once, 0.01), 131072u);
    // Not known, asked for, and inside a node.
    EXPECT_EQ(grown(ring, once, 0), 131072u);
    EXPECT_EQ(grown(ring, once, std::nan("")), 131072u);
    EXPECT_EQ(grown(ring, once, 0.01, 4096), 4096u);
    EXPECT_EQ(grown(ring, once, 0.01, 0, 1), 131072u);
}

TEST(segments, are_as_long_in_the_model) {
    machine m = slow_machine();
    m.eager_bytes = 57344;
    const auto time = [&](std::uint64_t bytes, std::uint64_t segment_bytes) {
        question what = ask(operation::allgather, bytes, 4);
        what.ratio = 20;
        what.segment_bytes = segment_bytes;
        return time_of(m, what, {ring, once, codec_id::fle});
    };
    EXPECT_EQ(time(64'000'000, 0), time(64'000'000, 524288));
    EXPECT_NE(time(64'000'000, 0), time(64'000'000, 131072));
    // Pieces are cut into eight all the same.
    EXPECT_EQ(time(4 * 8 * 200'000, 0), time(4 * 8 * 200'000, 200'000));
    EXPECT_EQ(time(4 * 8 * 100'000, 0), time(4 * 8 * 100'000, 131072));
}

TEST(segments, lanes_are_few_where_messages_are_long) {
    EXPECT_EQ(lanes_of(ring, payload_kind::raw, 16384), 16);
    EXPECT_EQ(lanes_of(ring, payload_kind::raw, 57344), 5);
    EXPECT_EQ(lanes_of(pairwise, payload_kind::raw, 16384), 8);
    EXPECT_EQ(lanes_of(pairwise, payload_kind::raw, 57344), 3);
    EXPECT_EQ(lanes_of(pairwise, payload_kind::raw, 1 << 30), 2);
    EXPECT_EQ(lanes_of(ring, payload_kind::raw, 4), 32);
    EXPECT_EQ(lanes_of(ring, payload_kind::raw, 0), 32);
    EXPECT_EQ(lanes_of(ring, fused, 131072), 8);
    EXPECT_EQ(lanes_of(pairwise, once, 131072), 4);
    // The model takes eight at a time as well where each waits for an answer; a machine file can make them fewer.
    machine m = slow_machine();
    m.inter.beta_s_per_byte = 1e-12;
    question what = ask(operation::alltoall, 4'194'304, 4);
    what.segment_bytes = 16'384;
    const double eight = time_of(m, what, tests::raw(pairwise));
    m.lanes_raw = 8;
    EXPECT_EQ(time_of(m, what, tests::raw(pairwise)), eight);
    m.lanes_raw = 4;
    EXPECT_GT(time_of(m, what, tests::raw(pairwise)), 1.5 * eight);
}

TEST(segments, overlap) {
    machine m = slow_machine();
    question what = ask(operation::reduce_scatter, 40000, 4);
    what.segment_bytes = 2000;
    // 5 segments per step. The wire, 10 ms, hides the additions and the latency.
    expect_time(m, what, tests::raw(ring), 3 * 10 * ms);
    // fused: 2.5 ms of wire hide 1.25 ms of work in steps without another compression (5 ms in the first step, and the
    // decoding, 2.5 ms spread over all).
    const double tail = 2.5 / 3, first = 5 + 1.25 + tail;
    expect_time(m, what, fle(ring, fused), (first + 2 * 2.5 + 1 + 0.5) * ms);
    // Three lanes: the last two segments of a step wait for the first, 2 (alpha + (wire + work) / 5).
    m.lanes_compressed = 3;
    expect_time(m, what, fle(ring, fused), (first + 2 * 2 * (1 + (2.5 + 1.25 + tail) / 5) + 1 + 0.5) * ms);
}

}  // namespace
}  // namespace laconic::model
