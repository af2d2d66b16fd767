// SPDX-License-Identifier: BSD-3-Clause
// How often calls ask after answers that were stock, what compressed ones presume and when that falls, which of several
// rows is taken after all had their tries, and that others are not touched by any of it.
#include "model/recollection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace laconic::model {
namespace {

using advice = recollection::advice;

const call_likeness call{7, 1000};
const cell stock;
const cell raw_ring{schedule_kind::ring, payload_kind::raw, codec_id::raw};
const cell ring{schedule_kind::ring, payload_kind::fused, codec_id::fle};
const cell doubling{schedule_kind::recursive_doubling, payload_kind::fused, codec_id::fle};
const cell halving{schedule_kind::rabenseifner, payload_kind::fused, codec_id::fle};

void learn(recollection& memory, const call_likeness& what, std::vector<cell> rivals, double ratio = 4) {
    memory.learn(what, ratio, rivals);
}

TEST(recollection, asks_less_and_less_while_the_answer_is_the_same_and_needs_no_asking) {
    for (const cell& answer : {stock, raw_ring}) {
        recollection memory;
        unsigned asked = 0, longest = 0, silent = 0;
        for (int i = 0; i < 1000; ++i) {
            const bool peeked = memory.settled(call) != nullptr;
            const auto known = memory.recall(call);
            EXPECT_EQ(peeked, known.todo == advice::settled);
            if (known.todo == advice::settled) {
                EXPECT_EQ(known.what, answer);
                longest = std::max(longest, ++silent);
                continue;
            }
            ASSERT_EQ(known.todo, advice::ask);
            silent = 0;
            ++asked;
            memory.learn(call, answer);
        }
        // 1 + 2 + 4 + ... + 64, and then one in 64.
        EXPECT_EQ(longest, recollection::longest_silence - 1);
        EXPECT_GT(asked, 15u);
        EXPECT_LT(asked, 25u);
    }
}

TEST(recollection, another_answer_ends_the_silence) {
    recollection memory;
    for (int i = 0; i < 200; ++i)
        if (memory.recall(call).todo == advice::ask) memory.learn(call, stock);
    while (memory.recall(call).todo == advice::settled) {
    }
    memory.learn(call, raw_ring);
    EXPECT_EQ(memory.recall(call).todo, advice::settled);
    EXPECT_EQ(memory.recall(call).todo, advice::ask);
}

TEST(recollection, what_no_ratio_changes_is_kept) {
    recollection memory;
    memory.keep(call, raw_ring);
    for (int i = 0; i < 200; ++i) {
        const auto known = memory.recall(call);
        ASSERT_EQ(known.todo, advice::settled);
        ASSERT_EQ(known.what, raw_ring);
    }
}

TEST(recollection, a_compressed_row_is_presumed_while_the_ratio_is_about_the_same) {
    recollection memory;
    learn(memory, call, {ring}, 4);
    for (const double ratio : {4.0, 4.9, 3.3, 4.0}) {
        EXPECT_EQ(memory.recall(call).todo, advice::presume);
        EXPECT_EQ(memory.settled(call), nullptr);
        EXPECT_TRUE(memory.settle(call, ratio, 0));
    }
    for (const double ratio : {5.1, 3.1, 1.0, 0.0}) EXPECT_FALSE(memory.settle(call, ratio, 0));
    EXPECT_EQ(memory.recall({7, 1001}).todo, advice::ask);
    EXPECT_EQ(memory.recall({8, 1000}).todo, advice::ask);
    EXPECT_FALSE(memory.settle({8, 1000}, 4, 0));
}

TEST(recollection, what_was_won_pays_for_asking) {
    recollection memory;
    learn(memory, call, {ring}, 4);
    // No more than was won, and no more than is worth remembering.
    memory.earn(call, 3.5, 10);
    for (int i = 0; i < 4; ++i) {
        EXPECT_NE(memory.recall(call).todo, advice::settled);
        memory.learn(call, stock, 1);
    }
    EXPECT_EQ(memory.recall(call).todo, advice::settled);
    EXPECT_EQ(memory.recall(call).todo, advice::ask);
    learn(memory, call, {ring}, 4);
    memory.earn(call, 1000, 2.5);
    for (int i = 0; i < 2; ++i) {
        memory.learn(call, stock, 1);
        EXPECT_EQ(memory.recall(call).todo, advice::ask);
    }
    memory.learn(call, stock, 1);
    EXPECT_EQ(memory.recall(call).todo, advice::settled);
    // Losses are no debts, and others have no credit.
    learn(memory, call, {ring}, 4);
    memory.earn(call, -5, 10);
    memory.earn(call, 1.5, 10);
    memory.learn(call, stock, 1);
    EXPECT_EQ(memory.recall(call).todo, advice::ask);
    memory.earn({8, 1000}, 5, 10);
    memory.learn({8, 1000}, stock, 1);
    EXPECT_EQ(memory.recall({8, 1000}).todo, advice::settled);
}

/// The rows that `calls` calls run when each row takes as long as `seconds` says.
template <class Seconds>
std::vector<cell> run(recollection& memory, int calls, Seconds seconds) {
    std::vector<cell> ran;
    for (int i = 0; i < calls; ++i) {
        const cell what = memory.recall(call).what;
        const double before_s = memory.last_s(call);
        EXPECT_TRUE(memory.settle(call, 4, before_s));
        ran.push_back(what);
        memory.ran(call, seconds(what));
    }
    return ran;
}

TEST(recollection, every_rival_is_tried_and_the_fastest_stays) {
    recollection memory;
    learn(memory, call, {ring, doubling, halving});
    const auto seconds = [](const cell& what) { return what == doubling ? 1.0 : what == ring ? 1.5 : 1.2; };
    const std::vector<cell> ran = run(memory, 50, seconds);
    for (const cell& one : {ring, doubling, halving})
        EXPECT_GE(std::count(ran.begin(), ran.begin() + 12, one), recollection::tries);
    EXPECT_EQ(std::count(ran.begin() + 12, ran.end(), doubling), 38);
}

TEST(recollection, the_predicted_row_stays_where_others_are_hardly_faster) {
    recollection memory;
    learn(memory, call, {ring, doubling, halving});
    int calls = 0;
    const auto seconds = [&](const cell& what) {
        // 1 % about 1.
        return (what == doubling ? 0.99 : 1.0) + (++calls % 3 - 1) * 0.01;
    };
    const std::vector<cell> ran = run(memory, 200, seconds);
    EXPECT_EQ(std::count(ran.begin() + 12, ran.end(), ring), 188);
}

TEST(recollection, single_disturbed_calls_decide_nothing) {
    // In a row's first run, in its second, and in the midst of many.
    for (const int disturbed : {1, 4, 40}) {
        recollection memory;
        learn(memory, call, {ring, doubling, halving});
        int calls = 0;
        const auto seconds = [&](const cell& what) {
            const double usual = what == ring ? 1.0 : 1.05;
            return ++calls == disturbed ? 3 * usual : usual;
        };
        const std::vector<cell> ran = run(memory, 200, seconds);
        EXPECT_EQ(std::count(ran.begin() + 12, ran.end(), ring), 188) << disturbed;
    }
}

TEST(recollection, a_row_that_becomes_slow_is_left) {
    recollection memory;
    learn(memory, call, {ring, doubling});
    EXPECT_EQ(run(memory, 30, [](const cell& what) { return what == ring ? 1.0 : 1.1; }).back(), ring);
    EXPECT_EQ(run(memory, 30, [](const cell& what) { return what == ring ? 2.0 : 1.1; }).back(), doubling);
}

TEST(recollection, without_times_the_first_row_stays) {
    recollection memory;
    learn(memory, call, {ring, doubling});
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(memory.recall(call).what, ring);
        EXPECT_TRUE(memory.settle(call, 4, 0));
    }
}

TEST(recollection, forgets_the_oldest) {
    recollection memory;
    for (std::uint64_t i = 1; i <= recollection::most + 1; ++i) memory.learn({1, i}, stock);
    EXPECT_EQ(memory.recall({1, 1}).todo, advice::ask);
    EXPECT_EQ(memory.recall({1, 2}).todo, advice::settled);
    EXPECT_EQ(memory.recall({1, recollection::most + 1}).todo, advice::settled);
}

}  // namespace
}  // namespace laconic::model
