// SPDX-License-Identifier: BSD-3-Clause
// Arrays with a known largest error flow in; measure_error must find it, also where double would round it away.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "cli/exact_error.hpp"

namespace {

using laconic::cli::measure_error;

template <class T>
laconic::cli::exact_error measured(std::vector<T> x, std::vector<T> y, double limit) {
    return measure_error(std::span<const T>(x), std::span<const T>(y), limit);
}

TEST(exact_error, finds_the_largest_error_and_counts_violations) {
    const auto found = measured<float>({0, 1, 2, 3}, {0.5F, 1, 2, 1}, 1.0);
    EXPECT_EQ(found.max, 2.0);
    EXPECT_EQ(found.violations, 1U);
}

TEST(exact_error, an_error_equal_to_the_bound_is_no_violation) {
    EXPECT_EQ(measured<float>({0}, {0.5F}, 0.5).violations, 0U);
    EXPECT_EQ(measured<double>({0}, {-0.1}, 0.1).violations, 0U);
    EXPECT_EQ(measured<double>({0}, {0.1}, std::nextafter(0.1, 0.0)).violations, 1U);
}

TEST(exact_error, sees_what_a_difference_in_double_rounds_away) {
    // Exactly 1 + 2^-60, which double rounds to 1.
    const auto found = measured<double>({1.0}, {-0x1p-60}, 1.0);
    EXPECT_EQ(1.0 + 0x1p-60, 1.0);
    EXPECT_EQ(found.violations, 1U);
}

TEST(exact_error, counts_every_violation_below_the_largest_error_too) {
    EXPECT_EQ(measured<double>({0, 0, 0}, {10, 1, -0x1.0000000000001p-1}, 0.5).violations, 3U);
}

TEST(exact_error, a_changed_non_finite_value_is_a_violation) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(measured<float>({nan, inf, -inf}, {nan, inf, -inf}, 1.0).violations, 0U);
    EXPECT_EQ(measured<float>({nan, inf, -inf, 0}, {0, -inf, 0, nan}, 1.0).violations, 4U);
    EXPECT_EQ(measured<float>({nan, inf}, {nan, inf}, 1.0).max, 0.0);
}

}  // namespace
