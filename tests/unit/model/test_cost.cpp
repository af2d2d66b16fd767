// SPDX-License-Identifier: BSD-3-Clause
// The formulas against values worked out by hand, and what must hold whatever the numbers: limits, monotonicity, parts
// that cover the whole, and the same cells as the registry.
#include "model/cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "collective/registry.hpp"
#include "machines.hpp"

namespace laconic::model {
namespace {

using namespace tests;
using enum schedule_kind;
using enum payload_kind;

std::vector<cell> all_cells() {
    std::vector<cell> cells;
    for (const schedule_kind schedule : {ring, recursive_doubling, rabenseifner, binomial, pairwise, hierarchical})
        for (const payload_kind payload : {payload_kind::raw, per_hop, once, pipelined, homomorphic, quantised, fused})
            cells.push_back({schedule, payload, payload == payload_kind::raw ? codec_id::raw : codec_id::fle});
    return cells;
}

TEST(cost, of_the_raw_ring_is_equation_2_2) {
    // 2 (p-1) alpha + 2 (p-1)/p n beta + (p-1)/p n gamma: p = 4, n = 4000: 6 ms + 6 ms + 0.3 ms
    expect_time(slow_machine(), ask(operation::allreduce, 4000, 4), tests::raw(ring), 12.3 * ms);
    // Not a power of two: p = 5, n = 5000: 8 ms + 8 ms + 0.4 ms
    expect_time(slow_machine(), ask(operation::allreduce, 5000, 5), tests::raw(ring), 16.4 * ms);
    // (2.1): 3 alpha + 3000 beta
    expect_time(slow_machine(), ask(operation::allgather, 4000, 4), tests::raw(ring), 6 * ms);
    expect_time(slow_machine(), ask(operation::reduce_scatter, 4000, 4), tests::raw(ring), 6.3 * ms);
}

TEST(cost, of_compressed_rings_is_equations_5_4_to_6_4_with_their_slips_mended) {
    const machine m = slow_machine();
    const question rs = ask(operation::reduce_scatter, 4000, 4), ar = ask(operation::allreduce, 4000, 4);
    // B = 1000: c 0.5 ms, d 0.25, h 0.2, f 0.125, gamma 0.1; wire 0.25 ms + alpha 1 ms per step
    const double step = 1.25 * ms;
    // (5.4), and the last sum, which is a message like the others
    expect_time(m, rs, fle(ring, per_hop), 3 * (step + 0.85 * ms) + 0.75 * ms);
    expect_time(m, rs, fle(ring, homomorphic), 3 * (step + 0.2 * ms) + 4 * 0.5 * ms + 0.25 * ms);  // (5.5)
    expect_time(m, rs, fle(ring, fused), 3 * (step + 0.125 * ms) + 0.5 * ms + 0.25 * ms);          // (6.2)
    // (6.4): qp n = 0.2 ms; adding integers 0.0625
    expect_time(m, rs, fle(ring, quantised), 3 * (step + 0.0625 * ms) + (0.2 + 0.5 + 0.25) * ms);
    // (7.1), all p blocks decoded
    expect_time(m, ar, fle(ring, fused), 6 * step + 3 * 0.125 * ms + 0.5 * ms + 4 * 0.25 * ms);
    expect_time(m, ar, fle(ring, per_hop), 6 * step + 3 * 0.85 * ms + 3 * 0.5 * ms + 4 * 0.25 * ms);
}

TEST(cost, of_a_codec_that_compresses_less) {
    machine m = infinitely_fast(slow_machine());
    m.codecs[1] = m.codecs[0];
    m.codecs[1].size_factor = 1.5;
    const question what = ask(operation::allgather, 4000, 4);
    EXPECT_NEAR(estimate(m, what, fle(ring, once)).wire_s, 3 * 0.25 * ms, 1e-12);
    EXPECT_NEAR(estimate(m, what, {ring, once, codec_id::szx}).wire_s, 3 * 0.375 * ms, 1e-12);
}

TEST(cost, has_what_moving_bytes_and_messages_takes_of_the_processor) {
    machine m = slow_machine();
    m.inter.alpha_s = 0;
    question what = ask(operation::allgather, 4'000'000, 4);
    what.segment_bytes = 1000;
    const double before = time_of(m, what, fle(ring, once)), raw_before = time_of(m, what, tests::raw(ring));
    // A megabyte a step: 0.25 s on the wire and 0.42 s of work; and then 0.25 MB at 2 us a byte, which work waits for.
    m.inter.processor_s_per_byte = 2e-6;
    EXPECT_NEAR(time_of(m, what, fle(ring, once)) - before, 3 * 0.5, 0.01);
    // The raw ring has no work: 2 s in place of 1 s a step.
    EXPECT_NEAR(time_of(m, what, tests::raw(ring)) - raw_before, 3 * 1, 0.01);
    // Half a core: everything that the processor does takes twice as long.
    const double whole_core = time_of(m, what, tests::raw(ring));
    m.cores = 0.5;
    EXPECT_NEAR(time_of(m, what, tests::raw(ring)), 2 * whole_core, 0.01);
    m.cores = 0;
    m.message_s = 1e-4;
    EXPECT_EQ(time_of(m, what, tests::raw(ring)), whole_core);
    EXPECT_NEAR(time_of(m, what, fle(ring, once)) - before, 3 * 0.5 + 3 * 1000 * 1e-4, 0.01);
}

TEST(cost, falls_with_threads_where_messages_are_long_enough) {
    machine m = slow_machine();
    m.thread_gain = 0.5;
    m.codecs[1] = m.codecs[0];
    question what = ask(operation::allreduce, 4 << 20, 4);
    const auto codec_s = [&](const cell& how, unsigned threads) {
        what.threads = threads;
        const cost sum = estimate(m, what, how);
        return sum.compress_s + sum.combine_s + sum.decompress_s;
    };
    const cell ours = fle(ring, payload_kind::fused);
    EXPECT_NEAR(codec_s(ours, 1) / codec_s(ours, 5), 3, 1e-9);
    const cell pipeline{ring, payload_kind::pipelined, codec_id::szx};
    EXPECT_LT(codec_s(pipeline, 5), codec_s(pipeline, 1));
    const cell one_piece{ring, payload_kind::per_hop, codec_id::szx};
    EXPECT_EQ(codec_s(one_piece, 5), codec_s(one_piece, 1));
    // Too short to be divided: compressed ones, but not those that stay as they are.
    what.segment_bytes = 128 << 10;
    EXPECT_EQ(codec_s(ours, 5), codec_s(ours, 1));
    what.ratio = 1;
    EXPECT_LT(codec_s(ours, 5), codec_s(ours, 1));
    what.threads = 65;
    EXPECT_NE(check(what).context().find("65"), std::string::npos);
}

TEST(cost, of_agreeing_is_for_those_who_compress) {
    machine m = slow_machine();
    m.call_s = 5e-4;
    m.call_raw_s = 2e-4;
    const question what = ask(operation::allreduce, 4000, 4);
    EXPECT_NEAR(estimate(m, what, tests::raw(ring)).agreement_s, 0.2 * ms, 1e-12);
    EXPECT_NEAR(estimate(m, what, fle(ring, fused)).agreement_s, 2.5 * ms, 1e-12);
    // Asking: the same, and an eighth of 4000 bytes compressed at 2 MB/s; of large arrays a sample.
    EXPECT_NEAR(sampling_s(m, what), 0.25 * ms, 1e-9);
    EXPECT_NEAR(asking_s(m, what), 2.75 * ms, 1e-9);
    EXPECT_NEAR(asking_s(m, ask(operation::allreduce, 1 << 30, 4)), 2.5 * ms + 4.0 * sampled_values / 2e6, 1e-9);
}

TEST(cost, of_recursive_doubling_is_equations_2_3_and_7_2_mended) {
    const machine m = slow_machine();
    // p = 4: 2 (alpha + n beta + n gamma)
    expect_time(m, ask(operation::allreduce, 1000, 4), tests::raw(recursive_doubling), 2 * 2.1 * ms);
    // c + 2 (alpha + n beta / 4 + h) + d
    expect_time(m, ask(operation::allreduce, 1000, 4), fle(recursive_doubling, homomorphic),
                (0.5 + 2 * (1 + 0.25 + 0.2) + 0.25) * ms);
    // p = 5: one more step for the fold, and a message out
    expect_time(m, ask(operation::allreduce, 1000, 5), fle(recursive_doubling, homomorphic),
                (0.5 + 3 * (1 + 0.25 + 0.2) + 1.25 + 0.25) * ms);
    expect_time(m, ask(operation::allreduce, 1000, 5), tests::raw(recursive_doubling), (3 * 2.1 + 2) * ms);
}

TEST(cost, of_rabenseifner_and_trees) {
    const machine m = slow_machine();
    // 4 alpha + 2 * 3/4 n beta + 3/4 n gamma
    expect_time(m, ask(operation::allreduce, 4000, 4), tests::raw(rabenseifner), (4 + 6 + 0.3) * ms);
    // Nothing is compressed below 64 KiB.
    expect_time(m, ask(operation::allreduce, 4000, 4), fle(rabenseifner, fused), (4 + 6 + 0.3) * ms);
    const auto longer = ask(operation::allreduce, 64 * 1024, 4);
    EXPECT_LT(time_of(m, longer, fle(rabenseifner, fused)), time_of(m, longer, tests::raw(rabenseifner)));
    expect_time(m, ask(operation::bcast, 1000, 8), tests::raw(binomial), 3 * 2 * ms);
    // One compression at the root, one decompression at the leaf.
    expect_time(m, ask(operation::bcast, 1000, 8), fle(binomial, once), (3 * 1.25 + 0.5 + 0.25) * ms);
    expect_time(m, ask(operation::bcast, 1000, 8), fle(binomial, per_hop), 3 * (1.25 + 0.75) * ms);
    expect_time(m, ask(operation::reduce, 1000, 4), tests::raw(binomial), 2 * 2.1 * ms);
    // An allreduce goes down the tree that it came up, over the same links, with and without ranks that share nodes.
    machine apart = infinitely_fast(m);
    apart.intra = {1e-5, 1e-8, 0, 1};
    for (const int nodes : {2, 4, 8}) {
        auto whole = ask(operation::allreduce, 1000, 8), half = ask(operation::bcast, 1000, 8);
        whole.nodes = half.nodes = nodes;
        const cost there_and_back = estimate(apart, whole, tests::raw(binomial));
        const cost down = estimate(apart, half, tests::raw(binomial));
        EXPECT_NEAR(there_and_back.wire_s, 2 * down.wire_s, 1e-9 * down.wire_s) << nodes;
        EXPECT_NEAR(there_and_back.latency_s, 2 * down.latency_s, 1e-9 * down.latency_s) << nodes;
    }
    // Blocks of 1000: 1, 2 and 1 blocks of the 5 ranks reach the root.
    expect_time(m, ask(operation::gather, 5000, 5), tests::raw(binomial), 3 * ms + 4 * ms);
    expect_time(m, ask(operation::scatter, 5000, 5), tests::raw(binomial), 3 * ms + 4 * ms);
}

TEST(cost, of_movements) {
    const machine m = slow_machine();
    // Blocks of 1000. (5.2): c + 3 (alpha + n beta + d); (5.1): c each time; and d for the own block
    expect_time(m, ask(operation::allgather, 4000, 4), fle(ring, once), (0.5 + 3 * (1.25 + 0.25) + 0.25) * ms);
    expect_time(m, ask(operation::allgather, 4000, 4), fle(ring, per_hop), (3 * (1.25 + 0.75) + 0.25) * ms);
    expect_time(m, ask(operation::alltoall, 4000, 4), tests::raw(pairwise), (1 + 3) * ms);
    expect_time(m, ask(operation::alltoall, 4000, 4), fle(pairwise, once), (1 + 0.75 + 3 * 0.75) * ms);
    expect_time(m, ask(operation::gather, 4000, 4), fle(pairwise, once), (1 + 0.75 + 0.5 + 3 * 0.25) * ms);
    expect_time(m, ask(operation::scatter, 4000, 4), fle(pairwise, once), (1 + 0.75 + 3 * 0.5 + 0.25) * ms);
}

TEST(cost, of_a_chain_is_one_way_and_the_rest_at_the_pace_of_a_link) {
    const machine m = slow_machine();
    question what = ask(operation::bcast, 4000, 4);
    what.segment_bytes = 1000;
    // 3 (alpha + 1 ms) + 3 further segments
    expect_time(m, what, tests::raw(ring), (6 + 3) * ms);
    // Root compresses 0.5 ms, then 3 (alpha + 0.25), 3 segments at the pace of the root, which compresses and decodes:
    // 0.75 ms; the last rank decodes the last.
    expect_time(m, what, fle(ring, once), (0.5 + 3 * 1.25 + 3 * 0.75 + 0.25) * ms);
    // Per hop, every link has 0.75 ms of work, and so does the pace.
    expect_time(m, what, fle(ring, per_hop), (3 * (1.25 + 0.75) + 3 * 0.75) * ms);
    // One segment: compressed, sent three times, decoded.
    what.segment_bytes = 4000;
    expect_time(m, what, fle(ring, once), (2 + 3 * 2 + 1) * ms);
}

TEST(cost, of_nodes_counts_what_they_share) {
    machine m = machine_of_nodes();
    // Ring: one rank of a node sends out, whatever the node's bandwidth would be for all.
    question what = ask(operation::allreduce, 8000, 8);
    what.nodes = 2;
    expect_time(m, what, tests::raw(ring), (14 + 14 + 0.7) * ms);
    // Recursive doubling: distances 1 and 2 are inside, at distance 4 all four send: 2 us per byte.
    expect_time(m, what, tests::raw(recursive_doubling), (1 + 16 + 3 * 0.8) * ms);
    // Hierarchical: 3/4 of 2000 added per rank; rings of two nodes with 2000 bytes each, four at a time.
    expect_time(m, what, tests::raw(hierarchical), (0.6 + 2 * (1 + 1000 * 2e-3) + 0.1) * ms);
    // Two ranks to a core: all work takes twice as long.
    m.cores = 2;
    expect_time(m, what, tests::raw(ring), (14 + 14 + 1.4) * ms);
}

TEST(cost, of_fused_without_gain_or_work_is_that_of_raw) {
    const machine m = infinitely_fast(slow_machine());
    for (const operation op : {operation::allreduce, operation::reduce, operation::reduce_scatter})
        for (const std::uint64_t bytes : {40ull, 4000ull, 4000000ull})
            for (const int ranks : {2, 3, 4, 7, 64}) {
                question what = ask(op, bytes, ranks);
                what.ratio = 1;
                what.segment_bytes = 1000;
                EXPECT_NEAR(time_of(m, what, fle(ring, fused)) / time_of(m, what, tests::raw(ring)), 1, 1e-9)
                    << static_cast<int>(op) << " " << bytes << " " << ranks;
            }
}

TEST(cost, exists_for_the_cells_that_the_registry_serves_and_no_others) {
    for (int i = 0; i < operation_count; ++i)
        for (const cell& one : all_cells()) {
            const question what = ask(static_cast<operation>(i), 1 << 20, 6);
            const collective::cell same{static_cast<collective::schedule_kind>(one.schedule),
                                        static_cast<collective::payload_kind>(one.payload), one.codec};
            EXPECT_EQ(std::isfinite(estimate(slow_machine(), what, one).total_s),
                      collective::serves(static_cast<collective::operation>(i), same))
                << collective::name_of(static_cast<collective::operation>(i), same);
        }
    const cell no_rates{ring, per_hop, codec_id::szx};
    EXPECT_TRUE(std::isinf(estimate(slow_machine(), ask(operation::allreduce, 100, 3), no_rates).total_s));
    EXPECT_TRUE(std::isfinite(estimate(default_machine(), ask(operation::allreduce, 100, 3), no_rates).total_s));
}

/// Every cell with every operation over a spread of questions: body(machine, question, cell, cost).
template <class Body>
void everywhere(const Body& body) {
    for (int i = 0; i < operation_count; ++i)
        for (const int ranks : {2, 3, 6, 8, 100})
            for (const int nodes : {1, 2, ranks})
                for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{64} << 20}) {
                    question what = ask(static_cast<operation>(i), bytes, ranks);
                    what.nodes = nodes;
                    what.growth_bits = 1;
                    what.segment_bytes = 131072;
                    for (const cell& one : all_cells()) {
                        const cost sum = estimate(default_machine(), what, one);
                        if (std::isfinite(sum.total_s)) body(default_machine(), what, one, sum);
                    }
                }
}

TEST(cost, is_covered_by_its_parts_and_not_less_than_any) {
    everywhere([](const machine&, const question& what, const cell& one, const cost& sum) {
        const double parts = sum.agreement_s + sum.latency_s + sum.wire_s + sum.compress_s + sum.combine_s +
                             sum.decompress_s + sum.copy_s;
        EXPECT_LE(sum.total_s, parts * (1 + 1e-9))
            << static_cast<int>(what.op) << " " << static_cast<int>(one.schedule);
        EXPECT_GE(sum.total_s, sum.wire_s * (1 - 1e-9))
            << static_cast<int>(what.op) << " " << static_cast<int>(one.schedule) << " "
            << static_cast<int>(one.payload);
        EXPECT_GT(sum.total_s, 0);
    });
}

TEST(cost, grows_with_bytes_and_falls_with_ratio) {
    everywhere([](const machine& m, question what, const cell& one, const cost& sum) {
        what.bytes = 2 * what.bytes + 1000;
        EXPECT_GE(estimate(m, what, one).total_s, sum.total_s * (1 - 1e-12)) << static_cast<int>(one.schedule);
        what.bytes = (what.bytes - 1000) / 2;
        what.ratio = 8;
        machine flat = m;
        // Rates of the built-in machine are not monotonic in the ratio.
        flat.codecs[0].rows = 1;
        const double before = estimate(flat, ask(what.op, what.bytes, what.ranks), one).total_s;
        question better = ask(what.op, what.bytes, what.ranks);
        better.ratio = 8;
        EXPECT_LE(estimate(flat, better, one).total_s, before);
        question growing = better;
        growing.growth_bits = 1;
        EXPECT_GE(estimate(flat, growing, one).total_s, estimate(flat, better, one).total_s);
    });
}

TEST(cost, of_one_rank_is_nothing_and_bad_questions_are_named) {
    EXPECT_EQ(estimate(slow_machine(), ask(operation::allreduce, 1000, 1), tests::raw(ring)).total_s, 0);
    question what = ask(operation::allreduce, 1000, 4);
    EXPECT_TRUE(check(what).ok());
    what.nodes = 5;
    EXPECT_NE(check(what).context().find("nodes is 5"), std::string::npos);
    what.nodes = 4;
    for (const double ratio : {0.5, 0.0, -1.0, std::nan(""), HUGE_VAL}) {
        what.ratio = ratio;
        EXPECT_EQ(check(what).code(), errc::invalid_argument);
    }
}

TEST(stock, is_the_best_classic_algorithm_times_the_factor) {
    machine m = slow_machine();
    const question what = ask(operation::allreduce, 4000, 4);
    // Recursive halving and doubling: 4 alpha + 6 ms; the additions, 0.3 ms, hide behind them. Doubling: 2 (1 + 4) ms.
    EXPECT_NEAR(estimate_classic(m, what).total_s, 10 * ms, 1e-9);
    m.stock[0].rows = 2;
    m.stock[0].bytes = {1000, 16000};
    m.stock[0].factor = {1, 3};
    EXPECT_NEAR(estimate_stock(m, what).total_s, 20 * ms, 1e-9);
    EXPECT_NEAR(estimate_classic(m, what).total_s, 10 * ms, 1e-9);
}

}  // namespace
}  // namespace laconic::model
