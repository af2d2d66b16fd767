// SPDX-License-Identifier: BSD-3-Clause
// The metrics against values worked out by hand.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

TEST(metrics, match_hand_computed_values) {
    const std::vector<float> x{0, 1, 2, 4};
    const std::vector<float> y{0.5F, 1, 1.5F, 4};
    const auto found = compare<float>(x, y).value();
    EXPECT_EQ(found.n, 4U);
    EXPECT_EQ(found.max_abs_error, 0.5);
    EXPECT_EQ(found.mean_error, 0.0);
    EXPECT_EQ(found.range, 4.0);
    EXPECT_NEAR(found.nrmse, std::sqrt(0.125) / 4, 1e-15);
    EXPECT_NEAR(found.psnr, 20 * std::log10(4 / std::sqrt(0.125)), 1e-12);
    EXPECT_EQ(found.nonfinite_mismatches, 0U);
}

TEST(metrics, count_non_finite_differences_apart) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto found =
        compare<float>(std::vector<float>{inf, -inf, nan, nan, 1, 2}, std::vector<float>{inf, inf, nan, 0, nan, 2})
            .value();
    EXPECT_EQ(found.nonfinite_mismatches, 3U);
    EXPECT_EQ(found.max_abs_error, 0.0);
}

TEST(metrics, of_identical_data_are_perfect) {
    const auto x = make_field<double>("noise", 1000);
    const auto found = compare<double>(x, x).value();
    EXPECT_EQ(found.max_abs_error, 0);
    EXPECT_EQ(found.nrmse, 0);
    EXPECT_EQ(found.psnr, HUGE_VAL);
}

TEST(metrics, know_ranges_beyond_a_double) {
    const std::vector<double> x{1.7e308, -1.7e308, 1, 2};
    const auto found = compare<double>(x, std::vector<double>{1.7e308, -1.7e308, 1e300, 2}).value();
    EXPECT_NEAR(found.nrmse, 0.5e300 / 1.7e308 / 2, 1e-12);
    EXPECT_NEAR(found.psnr, -20 * std::log10(0.5e-8 / 3.4), 1e-6);
}

TEST(metrics, refuse_different_sizes) {
    EXPECT_EQ(compare<float>(std::vector<float>(3), std::vector<float>(4)).error().code(), errc::mismatch);
}

}  // namespace
}  // namespace laconic::testing
