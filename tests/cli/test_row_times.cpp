// SPDX-License-Identifier: BSD-3-Clause
// Rows on machines in one state and in two: medians, and leads that have to hold in both.
#include "cli/row_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace laconic::cli {
namespace {

/// So many calls while processors are awake, the others while they have to be woken.
std::vector<double> times(int awake, double awake_s, double woken_s) {
    std::vector<double> all(10, woken_s);
    std::fill_n(all.begin(), awake, awake_s);
    return all;
}

TEST(row_times, quantiles) {
    EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0.5), 3);
    EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0), 1);
    EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 1), 5);
    EXPECT_EQ(quantile({7}, 0.75), 7);
    // Between two of them.
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.25), 12.5);
    EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(row_times, a_lead_has_to_hold_in_both_states) {
    // Recursive doubling of 64 KB between two emulated hosts, in us.
    const std::vector<double> stock = times(4, 50, 125), row = times(4, 58, 83);
    EXPECT_EQ(time_of(row, stock, false), 83);
    EXPECT_DOUBLE_EQ(time_of(row, stock, true), 125 * 58 / 50.0);
    // Ahead in both, and less so while processors are awake.
    EXPECT_DOUBLE_EQ(time_of(times(4, 40, 83), stock, true), 125 * 40 / 50.0);
    EXPECT_EQ(time_of(times(4, 20, 83), stock, true), 83);
}

TEST(row_times, in_one_state_it_is_the_median) {
    const std::vector<double> stock = times(4, 100, 120), row = times(4, 100, 90);
    EXPECT_EQ(time_of(row, stock, true), 90);
}

}  // namespace
}  // namespace laconic::cli
