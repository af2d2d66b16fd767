// SPDX-License-Identifier: BSD-3-Clause
// The judge of the stacking example: stacks with a known fault flow in, its verdict is compared.
#include "judge.hpp"

#include <gtest/gtest.h>

namespace stacking {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

std::uint64_t violations(double exact, float stack, double bound = 0.5) {
    return judge<float>({exact, 1.0}, {stack, 1.0F}, 2, bound).violations;
}

TEST(judge, counts_what_is_no_longer_finite) {
    EXPECT_EQ(violations(3, nan), 1U);
    EXPECT_EQ(violations(3, infinity), 1U);
    EXPECT_EQ(violations(3, nan, 0), 1U);
}

TEST(judge, leaves_sums_alone_that_are_not_finite_themselves) {
    EXPECT_EQ(violations(nan, nan), 0U);
    EXPECT_EQ(violations(infinity, infinity), 0U);
    EXPECT_EQ(violations(1e300, infinity), 0U);
}

TEST(judge, allows_the_bound_and_the_rounding_of_the_result) {
    EXPECT_EQ(violations(3, 3.5F), 0U);
    EXPECT_EQ(violations(3, std::nextafter(3.5F, 4.0F)), 1U);
    const verdict error = judge<double>({1.0L, 2.0L}, {1.0, 2.25}, 1, 0.125);
    EXPECT_EQ(error.violations, 1U);
    EXPECT_EQ(error.max, 0.25);
    EXPECT_DOUBLE_EQ(error.nrmse, 0.25 / std::sqrt(2.0));
    EXPECT_EQ(judge<double>({1.0L, 1.0L}, {1.0, 1.25}, 0, 0.125).nrmse, infinity);
}

}  // namespace
}  // namespace stacking
