// SPDX-License-Identifier: BSD-3-Clause
// Decisions: never one that is predicted to be slower than stock, the same whatever the environment.
#include "model/select.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <vector>

#include "machines.hpp"
#include "select_cases.hpp"

namespace laconic::model {
namespace {

using namespace tests;

TEST(select, never_takes_what_is_not_faster_than_stock_by_the_margin) {
    spread cases;
    int own = 0, stock = 0;
    for (int i = 0; i < 3000; ++i) {
        const machine m = cases.any_machine();
        const question what = cases.any_question();
        const auto rows = rows_of(what.op);
        const choice taken = select(m, what, rows);
        EXPECT_EQ(taken.stock_s, estimate_stock(m, what).total_s);
        const auto asking = [&](const cell& row) {
            return as_run(row, what.bytes).payload == payload_kind::raw ? asking_s(m, what) : sampling_s(m, what);
        };
        if (taken.what.schedule == schedule_kind::stock) {
            ++stock;
            EXPECT_EQ(taken.predicted_s, taken.stock_s);
            for (const prediction& row : ranking(m, what, rows)) {
                if (row.what.schedule == schedule_kind::stock) continue;
                if (row.what.schedule == schedule_kind::hierarchical && what.nodes == what.ranks) continue;
                const bool plain = as_run(row.what, what.bytes).payload == payload_kind::raw;
                const cell ran = as_run(row.what, what.bytes);
                if (plain ? !m.has_timed(what.op, ran, what.nodes) : what.ratio < least_ratio) continue;
                if (!plain && what.nodes == 1 && m.calibrated_nodes != 1) continue;
                ASSERT_GT((row.time.total_s + asking(row.what)) * 1.0301, taken.stock_s);
            }
        } else {
            ++own;
            ASSERT_LE((taken.predicted_s + asking(taken.what)) * 1.0299, taken.stock_s);
            EXPECT_EQ(taken.predicted_s, estimate(m, what, taken.what).total_s);
        }
        // Below this size nothing that compresses is right, whatever the ratio.
        if (i % 30 == 0 && what.bytes < smallest_interesting_bytes(m, what, rows)) {
            EXPECT_EQ(as_run(taken.what, what.bytes).payload, payload_kind::raw);
        }
    }
    EXPECT_GT(own, 300);
    EXPECT_GT(stock, 300);
}

TEST(select, compresses_in_memory_only_where_that_was_timed) {
    machine m = slow_machine();
    m.intra = m.inter;
    question what{operation::allreduce, std::uint64_t{16} << 20, 4, 1, 8};
    const auto rows = rows_of(what.op);
    const auto compresses = [&] { return as_run(select(m, what, rows).what, what.bytes).payload != payload_kind::raw; };
    EXPECT_FALSE(compresses());
    m.calibrated_nodes = 4;
    EXPECT_FALSE(compresses());
    m.calibrated_nodes = 1;
    EXPECT_TRUE(compresses());
    m.calibrated_nodes = 0;
    what.nodes = 4;
    EXPECT_TRUE(compresses());
}

TEST(select, takes_the_row_with_less_work_when_times_are_as_good_as_equal) {
    machine m = slow_machine();
    m.stock[0].rows = 1;
    m.stock[0].bytes[0] = 1;
    m.stock[0].factor[0] = 2;
    // The wire decides, so per_hop's work is hidden as well as fused's; fused comes second in the list and is taken.
    m.add_bytes_per_s = 1e8;
    for (auto& rate : m.codecs[0].bytes_per_s) rate.fill(1e8);
    question what = ask(operation::allreduce, 100'000'000, 4);
    what.segment_bytes = 1000;
    const cell rows[]{fle(schedule_kind::ring, payload_kind::per_hop), fle(schedule_kind::ring, payload_kind::fused)};
    EXPECT_EQ(select(m, what, rows).what, rows[1]);
}

TEST(select, takes_the_codec_that_sends_less_when_times_are_as_good_as_equal) {
    machine m = infinitely_fast(slow_machine());
    m.stock[0].rows = 1;
    m.stock[0].bytes[0] = 1;
    m.stock[0].factor[0] = 20;
    // Latency decides; szx works less and sends a little more.
    m.codecs[0].bytes_per_s[0].fill(1e9);
    m.codecs[1] = m.codecs[0];
    m.codecs[1].bytes_per_s[0].fill(2e9);
    m.codecs[1].size_factor = 1.25;
    const question what = ask(operation::allreduce, 400, 4);
    const cell rows[]{{schedule_kind::ring, payload_kind::per_hop, codec_id::szx},
                      fle(schedule_kind::ring, payload_kind::per_hop)};
    ASSERT_LT(estimate(m, what, rows[0]).total_s, 1.01 * estimate(m, what, rows[1]).total_s);
    EXPECT_EQ(select(m, what, rows).what, rows[1]);
}

TEST(select, takes_a_codec_that_no_sample_has_seen_only_far_ahead) {
    machine m = slow_machine();
    for (auto& rate : m.codecs[0].bytes_per_s) rate.fill(1e12);
    m.codecs[1] = m.codecs[0];
    const question what = ask(operation::allgather, 100'000'000, 4);
    const cell rows[]{{schedule_kind::ring, payload_kind::once, codec_id::szx},
                      fle(schedule_kind::ring, payload_kind::once)};
    const auto share_of_szx = [&](double size_factor) {
        m.codecs[1].size_factor = size_factor;
        return estimate(m, what, rows[0]).total_s / estimate(m, what, rows[1]).total_s;
    };
    ASSERT_NEAR(share_of_szx(0.82), 0.82, 0.01);
    EXPECT_EQ(select(m, what, rows).what, rows[1]);
    ASSERT_NEAR(share_of_szx(0.78), 0.78, 0.01);
    EXPECT_EQ(select(m, what, rows).what, rows[0]);
    // Nor is it worth the risk beside stock.
    EXPECT_EQ(select(m, what, std::span(rows, 1)).what, rows[0]);
    m.stock[static_cast<int>(what.op)].rows = 1;
    m.stock[static_cast<int>(what.op)].bytes[0] = 1;
    m.stock[static_cast<int>(what.op)].factor[0] =
        1.2 * estimate(m, what, rows[0]).total_s / estimate_classic(m, what).total_s;
    EXPECT_EQ(select(m, what, std::span(rows, 1)).what, cell{});
}

TEST(select, leaves_a_hierarchy_of_lone_ranks_to_the_row_it_copies_for) {
    const machine m = infinitely_fast(slow_machine());
    const cell row = raw(schedule_kind::hierarchical);
    question what = ask(operation::alltoall, 1 << 20, 8);
    what.nodes = 4;
    machine with_slow_stock = m;
    with_slow_stock.calibrated_nodes = 8;
    add_timed(with_slow_stock, what.op, row);
    with_slow_stock.stock[static_cast<int>(what.op)].rows = 1;
    with_slow_stock.stock[static_cast<int>(what.op)].bytes[0] = 1;
    with_slow_stock.stock[static_cast<int>(what.op)].factor[0] = 100;
    EXPECT_EQ(select(with_slow_stock, what, {&row, 1}).what, row);
    EXPECT_EQ(select_unasked(with_slow_stock, what, {&row, 1}).what, row);
    what.nodes = 8;
    EXPECT_EQ(select(with_slow_stock, what, {&row, 1}).what, cell{});
    EXPECT_EQ(select_unasked(with_slow_stock, what, {&row, 1}).what, cell{});
    EXPECT_EQ(ranking(with_slow_stock, what, {&row, 1}).size(), 1U);
}

TEST(select, takes_no_compressed_row_for_what_hardly_shrinks) {
    machine m = infinitely_fast(slow_machine());
    // Whatever a calibration believes of it.
    add_timed(m, operation::allreduce, fle(schedule_kind::ring, payload_kind::fused), 0.1);
    question what = ask(operation::allreduce, 64'000'000, 4);
    const auto rows = rows_of(what.op);
    for (const double ratio : {1.0, 1.2, 1.24}) {
        what.ratio = ratio;
        EXPECT_FALSE(collective::compresses(select(m, what, rows).what)) << ratio;
        EXPECT_FALSE(collective::compresses(select_as_auto(m, what, rows).what)) << ratio;
    }
    what.ratio = least_ratio;
    EXPECT_EQ(select(m, what, rows).what, m.rows[0].what);
    // Of one rank alone.
    what.ratio = 10;
    what.worst_ratio = 1.2;
    EXPECT_FALSE(collective::compresses(select(m, what, rows).what));
}

TEST(select, takes_no_uncompressed_row_that_was_not_timed) {
    machine m = infinitely_fast(slow_machine());
    m.calibrated_nodes = 4;
    const question what = ask(operation::allreduce, 400, 4);
    m.stock[0] = {1, {1}, {20}};
    const cell row = raw(schedule_kind::recursive_doubling), other = raw(schedule_kind::ring);
    add_timed(m, what.op, other);
    add_timed(m, operation::reduce, row);
    EXPECT_EQ(select(m, what, {&row, 1}).what, cell{});
    EXPECT_EQ(select_unasked(m, what, {&row, 1}).what, cell{});
    EXPECT_EQ(select_unasked(m, what, {&other, 1}).what, other);
    add_timed(m, what.op, row);
    EXPECT_EQ(select(m, what, {&row, 1}).what, row);
    EXPECT_EQ(select_unasked(m, what, {&row, 1}).what, row);
    // On one node.
    m.calibrated_nodes = 1;
    EXPECT_EQ(select_unasked(m, what, {&row, 1}).what, cell{});
}

TEST(select, counts_what_it_costs_to_ask) {
    machine m = infinitely_fast(slow_machine());
    m.calibrated_nodes = 4;
    const question what = ask(operation::allreduce, 400, 4);
    const cell row = fle(schedule_kind::recursive_doubling, payload_kind::homomorphic);
    const cell plain_row = raw(schedule_kind::recursive_doubling);
    add_timed(m, what.op, plain_row);
    m.stock[0].rows = 1;
    m.stock[0].bytes[0] = 1;
    const auto with_stock_at = [&](double seconds) {
        m.stock[0].factor[0] = seconds / estimate_classic(m, what).total_s;
        return m;
    };
    // A compressed row talks anyway: what it adds is the sample, which costs nothing on this machine.
    const double own = estimate(m, what, row).total_s, plain = estimate(m, what, plain_row).total_s;
    EXPECT_EQ(select(with_stock_at(own * 1.02), what, {&row, 1}).what, cell{});
    EXPECT_EQ(select(with_stock_at(own * 1.04), what, {&row, 1}).what, row);
    // Who can only take what travels as it is does not ask.
    EXPECT_EQ(select(with_stock_at(plain * 1.04), what, {&plain_row, 1}).what, plain_row);
    EXPECT_EQ(select(with_stock_at(plain * 1.02), what, {&plain_row, 1}).what, cell{});
    // Who could also compress has asked for nothing when it takes what travels as it is.
    const double asking = asking_s(m, what);
    ASSERT_GE(asking, 2 * m.inter.alpha_s);
    const cell both[]{fle(schedule_kind::ring, payload_kind::homomorphic), plain_row};
    ASSERT_GT(estimate(m, what, both[0]).total_s, plain + asking);
    EXPECT_EQ(select(with_stock_at((plain + asking) * 1.02), what, both).what, cell{});
    EXPECT_EQ(select(with_stock_at((plain + asking) * 1.04), what, both).what, plain_row);
    // Of alike calls few ask.
    const double seldom = asking / usual_calls_per_question;
    EXPECT_EQ(select(with_stock_at((plain + seldom) * 1.02), what, both, usual_calls_per_question).what, cell{});
    EXPECT_EQ(select(with_stock_at((plain + seldom) * 1.04), what, both, usual_calls_per_question).what, plain_row);
}

TEST(select, does_not_depend_on_the_rounding_mode) {
    spread cases;
    for (int i = 0; i < 200; ++i) {
        const machine m = cases.any_machine();
        const question what = cases.any_question();
        const auto rows = rows_of(what.op);
        const choice here = select(m, what, rows);
        std::fesetround(FE_UPWARD);
        const choice there = select(m, what, rows);
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(here.what, there.what);
        EXPECT_EQ(here.predicted_s, there.predicted_s);
    }
}

TEST(select, answers_stock_to_nonsense_and_to_nothing) {
    question what = ask(operation::allreduce, 1 << 20, 4);
    EXPECT_EQ(select(default_machine(), what, {}).what, cell{});
    what.ratio = 0;
    EXPECT_EQ(select(default_machine(), what, rows_of(what.op)).what, cell{});
    what = ask(operation::allreduce, 1 << 20, 1);
    EXPECT_EQ(select(default_machine(), what, rows_of(what.op)).what, cell{});
    what.bytes = 1024;
    EXPECT_EQ(select_unasked(default_machine(), what, rows_of(what.op)).what, cell{});
    EXPECT_EQ(select_as_auto(default_machine(), what, rows_of(what.op)).what, cell{});
    const auto rows = rows_of(operation::allreduce);
    question few = ask(operation::allreduce, 0, 1);
    EXPECT_EQ(smallest_interesting_bytes(default_machine(), few, rows), never);
    few.ranks = 4;
    few.nodes = 9;
    EXPECT_EQ(smallest_interesting_bytes(default_machine(), few, rows), never);
}

}  // namespace
}  // namespace laconic::model
