// SPDX-License-Identifier: BSD-3-Clause
// What double precision may decide about sums that are rounded to float once.
#include "codec/rounding.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

namespace laconic::testing {
namespace {

using codec::is_surely_rounded;
using codec::quad;

float rounded_once(std::int64_t q, float step, double raw) {
    const quad product = static_cast<quad>(q) * static_cast<quad>(step);
    return codec::narrowed<float>(codec::sum_to_odd(product, static_cast<quad>(raw), -quad{0}));
}

TEST(rounding, in_double_precision_is_sure_only_where_it_is_right) {
    // Products have up to 55 bits, two more than a double.
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> unit(0.5, 1);
    const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    std::array<std::size_t, 4> sure{};
    constexpr std::size_t rounds = 100'000;
    for (std::size_t round = 0; round < rounds; ++round) {
        const auto q = static_cast<std::int32_t>(random());
        const auto step = static_cast<float>(std::ldexp(unit(random), between(-60, 30)));
        const double product = static_cast<double>(q) * static_cast<double>(step);
        const double near = product * std::ldexp(unit(random), between(-3, 3));
        const auto lower = static_cast<float>(near);
        const double middle = (static_cast<double>(lower) + static_cast<double>(std::nextafter(lower, HUGE_VALF))) / 2;
        const std::array<double, 4> raw = {
            -product * (1 + 0x1p-52 * between(-4, 4)),  // little is left
            middle - product,                           // at the middle of two floats, or as good as
            product * std::ldexp(unit(random), between(-70, 70)),
            -0.0,
        };
        for (std::size_t kind = 0; kind < raw.size(); ++kind) {
            float y = 0;
            if (!is_surely_rounded(q, step, raw[kind], y)) continue;
            ++sure[kind];
            ASSERT_EQ(y, rounded_once(q, step, raw[kind])) << q << " * " << step << " + " << raw[kind];
        }
    }
    EXPECT_GT(sure[0], rounds / 10);
    EXPECT_LT(sure[1], rounds / 10);
    for (const std::size_t kind : {2U, 3U}) EXPECT_GT(sure[kind], rounds / 10 * 9) << kind;
}

TEST(rounding, in_double_precision_leaves_the_rest_to_quad_precision) {
    float y = 0;
    EXPECT_FALSE(is_surely_rounded(std::int64_t{1} << 31, 1.0F, 0.0, y));
    EXPECT_FALSE(is_surely_rounded(1, 1.0F, -1.0, y));  // the sign of zero
    EXPECT_FALSE(is_surely_rounded(1, 1.0F, HUGE_VAL, y));
    EXPECT_FALSE(is_surely_rounded(1, 1.0F, std::nan(""), y));
    EXPECT_FALSE(is_surely_rounded(INT32_MAX, 0x1p127F, 0.0, y));
    EXPECT_FALSE(is_surely_rounded(1, 1.0F, 0x1p-24, y));  // a tie
    EXPECT_TRUE(is_surely_rounded(3, 0.1F, 0x1p-60, y));
}

}  // namespace
}  // namespace laconic::testing
