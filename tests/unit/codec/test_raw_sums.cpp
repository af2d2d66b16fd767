// SPDX-License-Identifier: BSD-3-Clause
// Sums in which some blocks are uncompressed: non-finite values, values out of reach of the bound, overflows.
#include <gtest/gtest.h>

#include <random>

#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class raw_sums : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(raw_sums, types);

TYPED_TEST(raw_sums, are_exact_where_a_wider_type_holds_them) {
    // Incompressible beside compressible, in every combination per block.
    constexpr std::size_t n = 32 * 8;
    std::vector<std::vector<TypeParam>> parts(3, make_field<TypeParam>("smooth", n));
    for (std::size_t k = 0; k < parts.size(); ++k)
        for (std::size_t block = 0; block < 8; ++block)
            if (((block >> k) & 1U) != 0)
                parts[k][block * 32 + 5 * k] = static_cast<TypeParam>(1.0e6 + static_cast<double>(k));
    std::vector<std::vector<std::byte>> frames;
    frame_options options;
    options.max_abs = 2;
    for (const auto& part : parts) frames.push_back(compressed(part, bound::abs(1e-6), options));
    on_every_engine([&](const std::string& engine) {
        const auto sum = sum_of(sum_of(frames[0], frames[1]), frames[2]);
        EXPECT_TRUE(sum == sum_of(frames[2], sum_of(frames[1], frames[0]))) << engine;
        EXPECT_TRUE(sum == sum_of(parts[0], sum_of(parts[1], frames[2]))) << engine;
        EXPECT_TRUE(inspect(sum).value().exact_sums) << engine;
        const auto y = decompressed<TypeParam>(sum);
        for (std::size_t i = 0; i < n; ++i) {
            exact_real exact = 0;
            for (const auto& part : parts) exact += static_cast<exact_real>(part[i]);
            const double half_ulp =
                (std::nextafter(std::abs(static_cast<double>(y[i])), HUGE_VAL) - std::abs(static_cast<double>(y[i]))) /
                2;
            const double float_half_ulp =
                static_cast<double>(std::nextafter(std::abs(y[i]), std::numeric_limits<TypeParam>::infinity()) -
                                    std::abs(y[i])) /
                2;
            const auto error = static_cast<double>(exact - static_cast<exact_real>(y[i]));
            ASSERT_LE(std::abs(error), 3e-6 + std::max(half_ulp, float_half_ulp)) << engine << " " << i;
        }
    });
}

TYPED_TEST(raw_sums, follow_ieee_for_non_finite_values) {
    const TypeParam inf = std::numeric_limits<TypeParam>::infinity();
    const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
    const std::vector<TypeParam> x{inf, inf, -inf, nan, 1, 0, -0.0F};
    const std::vector<TypeParam> y{1, -inf, -inf, inf, nan, -0.0F, -0.0F};
    on_every_engine([&](const std::string& engine) {
        const auto z =
            decompressed<TypeParam>(sum_of(compressed(x, bound::abs(1e-3)), compressed(y, bound::abs(1e-3))));
        EXPECT_EQ(z[0], inf) << engine;
        EXPECT_TRUE(std::isnan(z[1])) << engine;
        EXPECT_EQ(z[2], -inf) << engine;
        EXPECT_TRUE(std::isnan(z[3])) << engine;
        EXPECT_TRUE(std::isnan(z[4])) << engine;
        EXPECT_FALSE(std::signbit(z[5])) << engine;
        EXPECT_TRUE(std::signbit(z[6])) << engine;
    });
}

TYPED_TEST(raw_sums, with_compressed_blocks_keep_the_bound) {
    frame_options options;
    options.max_abs = 1000;
    on_every_engine([&](const std::string& engine) {
        for (const double e : {1e-2, 1e-5}) {
            const auto x = make_field<TypeParam>("special", 4000, 1);
            const auto y = make_field<TypeParam>("smooth", 4000, 2);
            const auto frame = sum_of(compressed(x, bound::abs(e), options), compressed(y, bound::abs(e), options));
            EXPECT_TRUE(frame == sum_of(x, compressed(y, bound::abs(e), options))) << engine;
            EXPECT_TRUE(frame == sum_of(y, compressed(x, bound::abs(e), options))) << engine;
            const auto z = decompressed<TypeParam>(frame);
            for (std::size_t i = 0; i < z.size(); ++i) {
                const TypeParam exact = x[i] + y[i];
                if (!std::isfinite(exact)) {
                    ASSERT_TRUE(std::isnan(exact) ? std::isnan(z[i]) : z[i] == exact) << engine << " " << i;
                } else {
                    const double slack = 2 * e + std::abs(static_cast<double>(exact)) *
                                                     static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
                    ASSERT_LE(std::abs(static_cast<double>(z[i]) - static_cast<double>(exact)), slack)
                        << engine << " " << i;
                }
            }
        }
    });
}

TYPED_TEST(raw_sums, decode_with_one_rounding) {
    // q * step is half way between two values; a tiny raw part decides.
    const TypeParam step = 1;
    const auto half = static_cast<TypeParam>(std::ldexp(1.0, std::numeric_limits<TypeParam>::digits));
    const TypeParam tiny = std::numeric_limits<TypeParam>::min();
    for (const TypeParam sign : {TypeParam{1}, TypeParam{-1}}) {
        // half + 1 is a tie between half and half + 2: to even without, away from it with the tiny part.
        std::vector<TypeParam> x(32, sign * half);
        std::vector<TypeParam> y(32, sign * step);
        std::vector<TypeParam> z(32, sign * tiny);
        x[5] = y[5] = z[5] = std::numeric_limits<TypeParam>::infinity();  // makes the block raw
        const auto sum = sum_of(sum_of(compressed(x, bound::lossless()), compressed(y, bound::lossless())),
                                compressed(z, bound::lossless()));
        const auto decoded = decompressed<TypeParam>(sum);
        if (inspect(sum).value().exact_sums) {
            EXPECT_EQ(decoded[0], sign * (half + 2));
        }
        const auto pair = sum_of(compressed(x, bound::lossless()), compressed(y, bound::lossless()));
        EXPECT_TRUE(inspect(pair).value().exact_sums);
        EXPECT_EQ(decompressed<TypeParam>(pair)[0], sign * half);
        // An integer part and a raw part.
        std::vector<TypeParam> ones(32, sign);
        const auto mixed = sum_of(compressed(ones, bound::lossless()), compressed(x, bound::lossless()));
        EXPECT_EQ(decompressed<TypeParam>(mixed)[0], sign * half);
    }
}

TEST(raw_sums_of_float, decode_ties_by_what_lies_far_below) {
    // 1 + 2^-24 + 2^-100: a tie in float but for the last part.
    std::vector<float> one(32, 1.0F);
    std::vector<float> half_ulp(32, 0x1p-24F);
    std::vector<float> tiny(32, 0x1p-70F);
    tiny[0] = half_ulp[0] = HUGE_VALF;  // raw blocks; `one` stays an integer
    const auto a = compressed(one, bound::lossless());
    const auto raw = sum_of(compressed(half_ulp, bound::lossless()), compressed(tiny, bound::lossless()));
    ASSERT_TRUE(inspect(raw).value().exact_sums);
    EXPECT_EQ(decompressed<float>(sum_of(a, raw))[1], std::nextafter(1.0F, 2.0F));
    EXPECT_EQ(decompressed<float>(sum_of(a, compressed(half_ulp, bound::lossless())))[1], 1.0F);
}

TEST(raw_sums_of_float, are_rounded_once_beside_and_between_ties) {
    // Integers, halves that make ties of their sums, and what lies far below and decides.
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t end) { return static_cast<int>(random() % end); };
    const auto sign = [&] { return below(2) == 0 ? 1.0F : -1.0F; };
    std::size_t ties = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<std::vector<float>> parts(4, std::vector<float>(32));
        for (std::size_t i = 1; i < 32; ++i) {
            const int bits = 20 + below(5);
            parts[0][i] = sign() * static_cast<float>(below(1ULL << bits));
            parts[1][i] = below(2) == 0 ? 0 : sign() * static_cast<float>(below(1ULL << bits));
            parts[2][i] = sign() * std::ldexp(static_cast<float>(below(8)), -below(5));
            parts[3][i] = below(2) == 0 ? 0 : sign() * std::ldexp(1.0F, -20 - below(30));
        }
        parts[2][0] = parts[3][0] = HUGE_VALF;  // raw; the others are integers
        std::vector<std::byte> sum = compressed(parts[0], bound::lossless());
        for (std::size_t k = 1; k < parts.size(); ++k) sum = sum_of(sum, compressed(parts[k], bound::lossless()));
        ASSERT_TRUE(inspect(sum)->exact_sums);
        on_every_engine([&](const std::string& engine) {
            const auto y = decompressed<float>(sum);
            for (std::size_t i = 1; i < 32; ++i) {
                exact_real exact = 0;
                for (const auto& part : parts) exact += static_cast<exact_real>(part[i]);
                ASSERT_EQ(y[i], static_cast<float>(exact)) << engine << " round " << round << " lane " << i;
                const float next = std::nextafter(y[i], exact > static_cast<exact_real>(y[i]) ? HUGE_VALF : -HUGE_VALF);
                ties += static_cast<exact_real>(y[i]) + static_cast<exact_real>(next) == 2 * exact ? 1U : 0U;
            }
        });
    }
    EXPECT_GT(ties, 100U);
}

TEST(raw_sums_of_float, are_rounded_once_beside_products) {
    // The step has 24 bits, as the raw parts have; some of these nearly cancel the product.
    constexpr double e = 1.2345e-5;
    frame_options options;
    options.max_abs = 50;
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> unit(0.5, 1);
    const double step = inspect(compressed(std::vector<float>(32, 1.0F), bound::abs(e), options))->step;
    for (int round = 0; round < 10; ++round) {
        std::vector<exact_real> products(32);
        std::vector<float> raw(32);
        std::vector<std::byte> sum;
        for (int part = 0; part < 100; ++part) {
            std::vector<float> far(32);
            for (std::size_t i = 0; i < 32; ++i) {
                const double q = std::nearbyint(1e5 * unit(random));
                far[i] = static_cast<float>(q * step);
                products[i] += static_cast<exact_real>(q) * static_cast<exact_real>(step);
            }
            const auto frame = compressed(far, bound::abs(e), options);
            sum = part == 0 ? frame : sum_of(sum, frame);
        }
        ASSERT_EQ(inspect(sum)->step, step);
        ASSERT_EQ(inspect(sum)->raw_blocks, 0U);
        for (std::size_t i = 0; i < 32; ++i)
            raw[i] = i % 4 == 0 ? -static_cast<float>(products[i])
                                : static_cast<float>(std::ldexp(unit(random), static_cast<int>(i) - 20));
        raw[31] = 0x1p-140F;
        raw[1] = HUGE_VALF;
        sum = sum_of(sum, compressed(raw, bound::abs(e), options));
        ASSERT_TRUE(inspect(sum)->exact_sums);
        on_every_engine([&](const std::string& engine) {
            const auto y = decompressed<float>(sum);
            for (std::size_t i = 0; i < 32; ++i) {
                if (i == 1) continue;
                ASSERT_EQ(y[i], static_cast<float>(products[i] + static_cast<exact_real>(raw[i])))
                    << engine << " round " << round << " lane " << i;
            }
        });
    }
}

TEST(raw_sums_of_float, announce_when_the_order_matters) {
    // 1e30 + 1 - 1e30 has no exact double: the frame must say so.
    const std::vector<float> big(32, 1e30F);
    const std::vector<float> one(32, 1.1F);
    const auto a = compressed(big, bound::lossless());
    const auto b = compressed(one, bound::lossless());
    EXPECT_TRUE(inspect(sum_of(a, a)).value().exact_sums);
    const auto sum = sum_of(a, b);
    EXPECT_FALSE(inspect(sum).value().exact_sums);
    EXPECT_FALSE(inspect(sum_of(sum, b)).value().exact_sums);
}

TEST(raw_sums_of_float, cost_at_most_the_documented_bound) {
    const auto x = make_field<float>("any_bits", 100000, 3);
    const auto a = compressed(x, bound::abs(1e-30));
    EXPECT_LE(a.size(), x.size() * sizeof(float) * 101 / 100 + 8192);
    auto sum = a;
    for (int k = 0; k < 4; ++k) sum = sum_of(sum, a);
    EXPECT_LE(sum.size(), x.size() * 8 * 103 / 100 + 8192);
}

TEST(raw_sums_of_double, do_not_depend_on_which_operand_is_first_even_when_they_are_rounded) {
    // 1e30 + x needs more bits than two doubles have; sums of sums lose some of them.
    std::vector<std::vector<std::byte>> frames;
    for (std::size_t k = 0; k < 4; ++k) {
        std::vector<double> x = make_field<double>("noise", 640, k + 1);
        for (std::size_t i = k; i < x.size(); i += 4) x[i] = i % 8 < 4 ? 1e30 : -1e30;
        x[64 * k] = std::numeric_limits<double>::quiet_NaN();
        frames.push_back(compressed(x, bound::lossless()));
    }
    on_every_engine([&](const std::string& engine) {
        const auto left = sum_of(frames[0], frames[1]), right = sum_of(frames[2], frames[3]);
        const auto sum = sum_of(left, right);
        EXPECT_FALSE(inspect(sum)->exact_sums) << engine;
        EXPECT_TRUE(sum == sum_of(right, left)) << engine;
        EXPECT_TRUE(sum_of(sum, left) == sum_of(left, sum)) << engine;
    });
}

TEST(raw_sums_of_double, that_leave_the_range_are_not_exact) {
    const double most = std::numeric_limits<double>::max();
    const double tie = std::ldexp(1.0, 969);
    const auto frame = [](double v) {
        return compressed(std::vector<double>{v, std::numeric_limits<double>::infinity()}, bound::lossless());
    };
    const auto sum = sum_of(sum_of(sum_of(frame(most), frame(tie)), frame(tie)), frame(-tie));
    EXPECT_FALSE(inspect(sum)->exact_sums);
}

}  // namespace
}  // namespace laconic::testing
