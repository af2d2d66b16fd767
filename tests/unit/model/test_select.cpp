// SPDX-License-Identifier: BSD-3-Clause
// Decisions: never one that is predicted to be slower than stock, the same whatever the environment, and sizes below
// which nothing can win.
#include "model/select.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

#include "collective/registry.hpp"
#include "machines.hpp"

namespace laconic::model {
namespace {

using namespace tests;

std::vector<cell> rows_of(operation op) {
    std::vector<cell> rows;
    for (const collective::algorithm& row : collective::algorithms())
        if (static_cast<int>(row.op) == static_cast<int>(op) && row.what.schedule != collective::schedule_kind::chosen)
            rows.push_back(row.what);
    return rows;
}

/// Random machines and questions, from shared memory to the slowest network.
class spread {
public:
    machine any_machine() {
        machine m = default_machine();
        m.calibrated_nodes = whole(0, 2);
        m.inter = {between(1e-7, 1e-3), 1 / between(1e7, 1e11), between(1e-8, 1e-6), between(1, 2)};
        m.intra = {between(1e-7, 1e-5), 1 / between(1e9, 1e11), between(1e-8, 1e-6), between(1, 2)};
        m.host_beta_s_per_byte = m.inter.beta_s_per_byte * between(0.1, 1);
        m.cores = whole(0, 64);
        m.thread_gain = between(0.1, 1);
        for (size_fit& fit : m.stock) fit.factor[0] = between(0.9, 4);
        for (std::size_t op = 0; op < operation_count; ++op)
            for (const cell& row : rows_of(static_cast<operation>(op)))
                if (row.payload == payload_kind::raw && row.schedule != schedule_kind::stock && whole(0, 3) > 0)
                    add_timed(m, static_cast<operation>(op), row, between(0.8, 1.2));
        return m;
    }
    question any_question() {
        question what;
        what.op = static_cast<operation>(whole(0, operation_count - 1));
        what.bytes = static_cast<std::uint64_t>(between(1, 1e9));
        what.ranks = whole(2, 600);
        what.nodes = whole(1, what.ranks);
        what.ratio = between(1, 100);
        what.growth_bits = between(0.01, 1);
        what.threads = static_cast<unsigned>(whole(1, 8));
        what.segment_bytes = std::uint64_t{1} << whole(12, 22);
        return what;
    }

private:
    double between(double low, double high) {
        return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random_));
    }
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    std::mt19937 random_{7};
};

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
        if (i % 30 == 0 && what.bytes < smallest_interesting_bytes(m, what.op, what.ranks, what.nodes, rows)) {
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
    EXPECT_EQ(smallest_interesting_bytes(default_machine(), operation::allreduce, 1, 1, rows), never);
    EXPECT_EQ(smallest_interesting_bytes(default_machine(), operation::allreduce, 4, 9, rows), never);
}

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
        const bool is_short = what.bytes < smallest_interesting_bytes(m, what.op, what.ranks, what.nodes, rows,
                                                                      what.segment_bytes, what.threads);
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
        const std::uint64_t interesting = smallest_interesting_bytes(m, what.op, 8, 8, rows);
        EXPECT_LE(interesting, bytes);
        EXPECT_GT(interesting, 0u);
    }
}

}  // namespace
}  // namespace laconic::model
