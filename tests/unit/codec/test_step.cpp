// SPDX-License-Identifier: BSD-3-Clause
// The choice of a step: its promises about exactness, and that rounding near the bound does not send blocks raw.
#include <gtest/gtest.h>

#include "codec/fle.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

using namespace codec;

template <class T>
class step : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(step, types);

TYPED_TEST(step, is_below_twice_the_bound_and_divides_exactly) {
    for (const double e : {1e-30, 1e-7, 1e-3, 0.5, 7.0, 1e20}) {
        for (const std::uint32_t divisor : {1U, 2U, 3U, 5U, 7U, 64U, 1000U, 65536U}) {
            const auto choice = choose_step<TypeParam>(e, e * 1000, divisor);
            EXPECT_LT(choice.contribution.step, 2 * e);
            EXPECT_GT(choice.contribution.step, (divisor > 1000 ? 1.9 : 1.98) * e) << e << " " << divisor;
            const auto exact = static_cast<exact_real>(choice.result_step) * static_cast<exact_real>(divisor);
            EXPECT_EQ(static_cast<exact_real>(choice.contribution.step), exact) << e << " " << divisor;
            EXPECT_LT(choice.contribution.limit, e);
        }
    }
}

TYPED_TEST(step, leaves_room_for_the_rounding_of_the_type) {
    // An offset of 20 ranges and a bound of 1e-4 of the range: without the margin a tenth of the blocks goes raw.
    std::vector<TypeParam> x = make_field<TypeParam>("noise", 500000);
    for (TypeParam& v : x) v = static_cast<TypeParam>(290 + 6.5 * static_cast<double>(v));
    for (const bound limit : {bound::rel(1e-4), bound::abs(13e-4)}) {
        const auto info = inspect(compressed(x, limit)).value();
        EXPECT_LT(static_cast<double>(info.raw_blocks), 0.001 * static_cast<double>(info.blocks));
    }
}

TYPED_TEST(step, is_shared_by_arrays_that_name_a_common_magnitude) {
    frame_options options;
    options.max_abs = 1e4;
    const auto small = inspect(compressed(make_field<TypeParam>("smooth", 100), bound::abs(1e-2), options)).value();
    std::vector<TypeParam> large = make_field<TypeParam>("smooth", 100);
    for (TypeParam& v : large) v *= 9000;
    EXPECT_EQ(small.step, inspect(compressed(large, bound::abs(1e-2), options)).value().step);
}

TYPED_TEST(step, magnitude_bounds_every_integer) {
    for (const double e : {1e-6, 1e-3, 0.3}) {
        for (const double max_abs : {0.0, 1e-9, 1.0, 77.7, 1e5}) {
            const auto how = choose_step<TypeParam>(e, max_abs).contribution;
            const std::vector<TypeParam> x{static_cast<TypeParam>(max_abs), static_cast<TypeParam>(-max_abs)};
            std::vector<std::byte> out(bare_bound(element_type_of<TypeParam>::value, x.size()));
            EXPECT_LE(encode<TypeParam>(x, how, out).magnitude, magnitude_of(how, max_abs)) << e << " " << max_abs;
        }
    }
}

TYPED_TEST(step, of_a_lossless_average_makes_exact_products) {
    // Whole numbers whose quotients have as many digits as the type: a product of one digit more is rounded to another
    // whole number.
    constexpr int digits = std::numeric_limits<TypeParam>::digits;
    std::mt19937_64 random(11);
    for (const std::uint32_t divisor : {2U, 3U, 5U, 6U, 7U, 9U, 17U, 64U, 1000U}) {
        const auto choice = choose_step<TypeParam>(0, std::ldexp(divisor, digits), divisor);
        for (int round = 0; round < 3000; ++round) {
            const double spread = static_cast<double>(random() >> 11) * 0x1p-53;
            const std::vector<TypeParam> x{static_cast<TypeParam>(std::ldexp(spread * divisor, digits))};
            std::vector<std::byte> out(bare_bound(element_type_of<TypeParam>::value, 1));
            const auto seen = encode<TypeParam>(x, choice.contribution, out);
            std::vector<TypeParam> average(1);
            ASSERT_TRUE(decode<TypeParam>(std::span(out).first(seen.bytes), choice.result_step, seen.magnitude,
                                          std::span(average), divisor)
                            .ok());
            const auto want = static_cast<TypeParam>(static_cast<exact_real>(x[0]) / static_cast<exact_real>(divisor));
            ASSERT_EQ(average[0], want) << divisor << " " << x[0];
        }
    }
}

TEST(relative_bound, never_exceeds_the_exact_product) {
    // Neighbouring large numbers: lambda * max - lambda * min would round by more than the range.
    std::mt19937_64 random(3);
    for (int round = 0; round < 2000; ++round) {
        const double min = 1e15 + static_cast<double>(random() % 1000);
        const double max = min + 0.125 * static_cast<double>(random() % 400);
        const double lambda = std::ldexp(static_cast<double>(random() >> 11), -60);
        const double e = resolve_bound(bound::rel(lambda), min, max);
        const exact_real exact =
            static_cast<exact_real>(lambda) * (static_cast<exact_real>(max) - static_cast<exact_real>(min));
        ASSERT_LE(static_cast<exact_real>(e), exact);
        ASSERT_GE(static_cast<exact_real>(std::nextafter(e, HUGE_VAL)), exact);
    }
    const double most = std::numeric_limits<double>::max();
    EXPECT_EQ(resolve_bound(bound::rel(0), -most, most), 0);
    EXPECT_EQ(resolve_bound(bound::rel(1), -most, most), most);
    EXPECT_EQ(resolve_bound(bound::abs(0.25), 0, 1), 0.25);
}

}  // namespace
}  // namespace laconic::testing
