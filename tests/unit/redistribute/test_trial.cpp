// SPDX-License-Identifier: BSD-3-Clause
// The trial of an exchange's first runs: every way has its turns, and the one with the shortest of them stays.
#include <gtest/gtest.h>

#include <map>

#include "redistribute/exchange/trial.hpp"

namespace laconic::redistribute {
namespace {

TEST(trial, tries_every_way_equally_often_and_keeps_the_fastest) {
    trial trying(3);
    // The second way is slow once, and fastest otherwise.
    const auto time_of = [](std::size_t way, int run) { return way == 1 ? (run < 3 ? 900 : 10) : way == 0 ? 20 : 30; };
    std::map<std::size_t, int> turns;
    std::int64_t last = 1;  // of a run before the first: counts for nothing
    for (int run = 0; run < 9; ++run) {
        ASSERT_FALSE(trying.over());
        const std::size_t way = trying.next(last);
        ++turns[way];
        last = time_of(way, run);
    }
    EXPECT_EQ(turns, (std::map<std::size_t, int>{{0, 3}, {1, 3}, {2, 3}}));
    EXPECT_FALSE(trying.over());
    EXPECT_EQ(trying.next(last), 1U);
    EXPECT_TRUE(trying.over());
}

TEST(trial, one_way_needs_no_trial) { EXPECT_TRUE(trial(1).over()); }

}  // namespace
}  // namespace laconic::redistribute
