// SPDX-License-Identifier: BSD-3-Clause
// The element promise: every finite value within the bound, everything else bit for bit, on every engine.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class element_promise : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(element_promise, types);

template <class T>
void expect_promise(const std::vector<T>& x, bound limit, const std::string& what) {
    const auto frame = compressed(x, limit);
    EXPECT_LE(frame.size(), compress_bound(element_type_of<T>::value, x.size())) << what;
    const double e = inspect(frame).value().bound;
    const auto y = decompressed<T>(frame);
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_TRUE(keeps_promise(x[i], y[i], e))
            << what << " element " << i << ": " << x[i] << " came back as " << y[i] << " with bound " << e;
    }
}

constexpr std::array absolute_bounds{1e300, 1e30, 1.0, 0.0625, 1e-3, 1e-6, 1e-12, 1e-40, 1e-300, 5e-324, 0.0};
constexpr std::array relative_bounds{0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-16, 0.0};

TYPED_TEST(element_promise, holds_for_every_field_and_absolute_bound) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names)
            for (const double e : absolute_bounds)
                expect_promise(make_field<TypeParam>(name, 5000), bound::abs(e),
                               engine + " " + name + " abs " + std::to_string(e));
    });
}

TYPED_TEST(element_promise, holds_for_every_field_and_relative_bound) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names)
            for (const double lambda : relative_bounds)
                expect_promise(make_field<TypeParam>(name, 5000), bound::rel(lambda),
                               engine + " " + name + " rel " + std::to_string(lambda));
    });
}

TYPED_TEST(element_promise, holds_for_every_small_count) {
    on_every_engine([](const std::string& engine) {
        for (std::size_t n = 0; n < 70; ++n)
            for (const char* name : {"smooth", "special", "minus_0", "any_bits"})
                expect_promise(make_field<TypeParam>(name, n), bound::abs(1e-3),
                               engine + " " + name + " n " + std::to_string(n));
        for (const std::size_t n : {2047U, 2048U, 2049U, 4095U, 4097U})
            expect_promise(make_field<TypeParam>("special", n), bound::abs(1e-3), engine + " n " + std::to_string(n));
    });
}

TYPED_TEST(element_promise, holds_for_random_bits_and_random_bounds) {
    std::mt19937_64 random(42);
    on_every_engine([&](const std::string& engine) {
        for (int round = 0; round < 60; ++round) {
            const random_case<TypeParam> drawn(random, round, 3000);
            expect_promise(drawn.x, bound::abs(drawn.e), engine + " round " + std::to_string(round));
        }
    });
}

TYPED_TEST(element_promise, holds_when_the_bound_is_near_the_rounding_of_the_type) {
    // Bounds of 0.3 .. 64 ulp of the values: the region where reconstruction itself rounds.
    const double ulp = static_cast<double>(std::numeric_limits<TypeParam>::epsilon()) * 256;
    on_every_engine([&](const std::string& engine) {
        for (double ulps = 0.3; ulps < 64; ulps *= 1.17)
            expect_promise(make_field<TypeParam>("offset", 4096), bound::abs(ulps * ulp),
                           engine + " ulps " + std::to_string(ulps));
    });
}

TYPED_TEST(element_promise, lossless_gives_every_bit_back) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names) {
            const auto x = make_field<TypeParam>(name, 3000);
            const auto y = decompressed<TypeParam>(compressed(x, bound::lossless()));
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_EQ(pattern(x[i]), pattern(y[i])) << engine << " " << name << " " << i;
        }
    });
}

TYPED_TEST(element_promise, a_constant_field_is_lossless_and_small_under_a_relative_bound) {
    const std::vector<TypeParam> x(100000, TypeParam(-287.15));
    const auto frame = compressed(x, bound::rel(1e-3));
    EXPECT_EQ(x, decompressed<TypeParam>(frame));
    EXPECT_GT(static_cast<double>(x.size() * sizeof(TypeParam)) / static_cast<double>(frame.size()), 90);
}

TYPED_TEST(element_promise, quantisation_is_not_biased) {
    const auto x = make_field<TypeParam>("noise", 200000);
    const double e = 1e-3;
    const auto found = compare<TypeParam>(x, decompressed<TypeParam>(compressed(x, bound::abs(e)))).value();
    EXPECT_LE(std::abs(found.mean_error), 0.02 * e);
}

TYPED_TEST(element_promise, works_at_any_alignment) {
    const auto x = make_field<TypeParam>("special", 3001);
    const auto expected = compressed(x, bound::abs(1e-3));
    on_every_engine([&](const std::string& engine) {
        for (const std::size_t shift : {1U, 2U, 3U, 5U, 31U}) {
            std::vector<std::byte> in(x.size() * sizeof(TypeParam) + shift);
            std::memcpy(in.data() + shift, x.data(), x.size() * sizeof(TypeParam));
            std::vector<std::byte> out(compress_bound(element_type_of<TypeParam>::value, x.size()) + shift);
            const std::span values(reinterpret_cast<const TypeParam*>(in.data() + shift), x.size());
            const auto bytes = compress(values, bound::abs(1e-3), std::span(out).subspan(shift));
            ASSERT_EQ(*bytes, expected.size()) << engine << " shift " << shift;
            ASSERT_EQ(std::memcmp(out.data() + shift, expected.data(), *bytes), 0) << engine << " shift " << shift;
            std::vector<std::byte> back(in.size());
            const std::span restored(reinterpret_cast<TypeParam*>(back.data() + shift), x.size());
            ASSERT_TRUE(decompress(std::span<const std::byte>(out).subspan(shift, *bytes), restored).ok());
            for (std::size_t i = 0; i < x.size(); ++i) {
                TypeParam y;
                std::memcpy(&y, back.data() + shift + i * sizeof y, sizeof y);
                ASSERT_TRUE(keeps_promise(x[i], y, 1e-3)) << engine << " shift " << shift << " element " << i;
            }
        }
    });
}

TYPED_TEST(element_promise, refuses_bounds_that_are_none) {
    const std::vector<TypeParam> x(10, TypeParam{1});
    std::vector<std::byte> out(compress_bound(element_type_of<TypeParam>::value, x.size()));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double e : {-1.0, -1e-300, nan, HUGE_VAL, -HUGE_VAL}) {
        EXPECT_EQ(compress<TypeParam>(x, bound::abs(e), out).error().code(), errc::invalid_bound) << e;
        EXPECT_EQ(compress<TypeParam>(x, bound::rel(e), out).error().code(), errc::invalid_bound) << e;
    }
    out.pop_back();
    EXPECT_EQ(compress<TypeParam>(x, bound::abs(1), out).error().code(), errc::output_too_small);
}

}  // namespace
}  // namespace laconic::testing
