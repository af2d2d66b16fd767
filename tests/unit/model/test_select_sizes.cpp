// SPDX-License-Identifier: BSD-3-Clause
// Sizes below which nothing can win, what runs there unasked, and the order of predictions.
#include "model/select.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "machines.hpp"
#include "select_cases.hpp"

namespace laconic::model {
namespace {

using namespace tests;

TEST(select_unasked, takes_rows_without_compression_that_are_far_ahead_all_over_a_class_of_sizes) {
    spread cases;
    int own = 0;
    for (int i = 0; i < 3000; ++i) {
        const machine m = cases.any_machine();
        question what = cases.any_question();
        what.bytes = 1 + what.bytes % (1 << 22);
        const auto may_run = [&](const cell& row) {
            const cell ran = as_run(row, what.bytes);
            return ran.payload == payload_kind::raw && m.has_timed(what.op, ran, what.nodes);
        };
        const auto rows = rows_of(what.op);
        const cell taken = select_unasked(m, what, rows).what;
        question low = what, high = what;
        const size_class sizes = size_class_of(what.bytes);
        ASSERT_TRUE(sizes.first <= what.bytes && what.bytes <= sizes.last && sizes.last <= sizes.first * 5 / 4);
        ASSERT_EQ(size_class_of(sizes.first).number, size_class_of(sizes.last).number);
        ASSERT_NE(size_class_of(sizes.last).number, size_class_of(sizes.last + 1).number);
        low.bytes = sizes.first;
        high.bytes = sizes.last;
        low.element_bytes = high.element_bytes = 4;
        question wider = what;
        wider.element_bytes = 8;
        EXPECT_EQ(select_unasked(m, wider, rows).what, taken);
        EXPECT_EQ(select_unasked(m, low, rows).what, taken);
        EXPECT_EQ(select_unasked(m, high, rows).what, taken);
        const auto margin_of = [&](const cell& row) {
            return m.has_timed_such(what.op, as_run(row, what.bytes), what.nodes, static_cast<double>(sizes.last))
                       ? unasked_margin
                       : distant_margin;
        };
        const auto share = [&](const cell& row) {
            return std::max(estimate(m, low, row).total_s / estimate_stock(m, low).total_s,
                            estimate(m, high, row).total_s / estimate_stock(m, high).total_s);
        };
        if (taken.schedule != schedule_kind::stock) {
            ++own;
            ASSERT_TRUE(may_run(taken));
            ASSERT_LT(share(taken) * (margin_of(taken) - 1e-4), 1);
        }
        for (const cell& row : rows) {
            if (row.schedule == schedule_kind::stock || !may_run(row)) continue;
            if (!(share(row) * (margin_of(row) + 1e-4) < 1)) continue;
            ASSERT_NE(taken.schedule, schedule_kind::stock);
            ASSERT_GE(share(row), share(taken));
        }
    }
    EXPECT_GT(own, 100);
    EXPECT_LT(own, 2900);
}

TEST(select_as_auto, asks_from_the_size_on_that_is_worth_it) {
    spread cases;
    int unasked = 0, asked = 0;
    for (int i = 0; i < 100; ++i) {
        const machine m = cases.any_machine();
        const question what = cases.any_question();
        const auto rows = rows_of(what.op);
        const bool is_short = what.bytes < smallest_interesting_bytes(m, what, rows);
        ++(is_short ? unasked : asked);
        const choice want = is_short ? select_unasked(m, what, rows) : select(m, what, rows, usual_calls_per_question);
        EXPECT_EQ(select_as_auto(m, what, rows).what, want.what);
    }
    EXPECT_GT(unasked, 5);
    EXPECT_GT(asked, 5);
}

TEST(ranking, is_ordered_and_has_every_possible_row) {
    const question what = ask(operation::allreduce, 64 << 20, 8);
    auto rows = rows_of(what.op);
    const std::size_t possible = rows.size();
    rows.push_back(fle(schedule_kind::pairwise, payload_kind::fused));
    const auto ranked = ranking(default_machine(), what, rows);
    ASSERT_EQ(ranked.size(), possible);
    double stock_s = 0;
    for (std::size_t i = 1; i < ranked.size(); ++i) EXPECT_LE(ranked[i - 1].time.total_s, ranked[i].time.total_s);
    for (const prediction& row : ranked)
        if (row.what.schedule == schedule_kind::stock) stock_s = row.time.total_s;
    for (const prediction& row : ranked) EXPECT_NEAR(row.speedup * row.time.total_s, stock_s, 1e-12);
}

TEST(smallest_win, is_where_the_decision_changes) {
    machine m = default_machine();
    m.inter = {30e-6, 1 / 0.117e9, 5e-6, 1};
    m.host_beta_s_per_byte = m.inter.beta_s_per_byte;
    for (int i = 0; i < operation_count; ++i) {
        question what = ask(static_cast<operation>(i), 0, 8);
        what.segment_bytes = 131072;
        what.ratio = 8;
        const auto rows = rows_of(what.op);
        const std::uint64_t bytes = smallest_win(m, what, rows);
        ASSERT_NE(bytes, never) << i;
        ASSERT_GT(bytes, 1u);
        what.bytes = bytes;
        EXPECT_NE(select(m, what, rows).what, cell{});
        what.bytes = bytes - 1;
        EXPECT_EQ(select(m, what, rows).what, cell{});
        const std::uint64_t interesting = smallest_interesting_bytes(m, what, rows);
        EXPECT_LE(interesting, bytes);
        EXPECT_GT(interesting, 0u);
    }
}

}  // namespace
}  // namespace laconic::model
