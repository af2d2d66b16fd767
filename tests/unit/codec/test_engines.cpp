// SPDX-License-Identifier: BSD-3-Clause
// Every engine writes the bytes and returns the values that the scalar engine does.
#include <gtest/gtest.h>

#include "codec/fle.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class engines : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(engines, types);

template <class T>
struct outcome {
    std::vector<std::byte> frame, sum, fused;
    std::vector<bits_of<T>> values, sum_values;
    bool operator==(const outcome&) const = default;
};

template <class T>
std::vector<bits_of<T>> patterns(const std::vector<T>& values) {
    std::vector<bits_of<T>> all;
    for (const T v : values) all.push_back(pattern(v));
    return all;
}

template <class T>
outcome<T> run(const std::vector<T>& x, const std::vector<T>& y, double e) {
    outcome<T> found;
    frame_options options;
    options.max_abs = 1e3;
    found.frame = compressed(x, bound::abs(e), options);
    found.sum = sum_of(found.frame, compressed(y, bound::abs(e), options));
    found.fused = sum_of(y, found.frame);
    found.values = patterns(decompressed<T>(found.frame));
    found.sum_values = patterns(decompressed<T>(found.sum));
    return found;
}

TYPED_TEST(engines, agree_on_every_byte_and_value) {
    for (const char* name : field_names) {
        for (const double e : {10.0, 1e-2, 1e-4, 1e-7, 1e-12, 0.0}) {
            for (const std::size_t n : {1U, 33U, 2048U, 6001U}) {
                const auto x = make_field<TypeParam>(name, n, 1);
                const auto y = make_field<TypeParam>(name, n, 2);
                outcome<TypeParam> expected;
                on_every_engine([&](const std::string& engine) {
                    const auto found = run(x, y, e);
                    if (engine == "scalar") expected = found;
                    EXPECT_TRUE(found == expected) << engine << " " << name << " e " << e << " n " << n;
                });
            }
        }
    }
}

TYPED_TEST(engines, agree_on_the_range) {
    for (const char* name : field_names) {
        for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 5000U}) {
            const auto x = make_field<TypeParam>(name, n);
            value_range<TypeParam> expected;
            on_every_engine([&](const std::string& engine) {
                const auto found = range_of<TypeParam>(x);
                if (engine == "scalar") expected = found;
                EXPECT_EQ(found.min, expected.min) << engine << " " << name << " " << n;
                EXPECT_EQ(found.max, expected.max) << engine << " " << name << " " << n;
                EXPECT_EQ(found.max_abs, expected.max_abs) << engine << " " << name << " " << n;
                EXPECT_EQ(found.nonfinite, expected.nonfinite) << engine << " " << name << " " << n;
            });
        }
    }
    const auto x = make_field<TypeParam>("special", 1000);
    std::uint64_t nonfinite = 0;
    for (const TypeParam v : x) nonfinite += !std::isfinite(v);
    EXPECT_EQ(range_of<TypeParam>(x).nonfinite, nonfinite);
}

TYPED_TEST(engines, agree_above_the_exact_integers_of_the_type) {
    // Sums of many contributions: |q| beyond 2^24, where float alone would round twice.
    using namespace codec;
    const auto x = make_field<TypeParam>("noise", 5000);
    const auto how = choose_step<TypeParam>(1e-6, 1).contribution;
    const std::uint64_t one = magnitude_of(how, 1.0);
    std::vector<std::byte> sum(bare_sum_bound(element_type_of<TypeParam>::value, x.size()));
    std::vector<std::byte> first(bare_bound(element_type_of<TypeParam>::value, x.size()));
    first.resize(encode<TypeParam>(x, how, first).bytes);
    std::vector<bits_of<TypeParam>> expected;
    on_every_engine([&](const std::string& engine) {
        std::copy(first.begin(), first.end(), sum.begin());
        std::size_t bytes = first.size();
        std::uint64_t magnitude = one;
        for (int k = 0; k < 100; ++k) {
            magnitude += one;
            bytes =
                add<TypeParam>(std::span<const std::byte>(sum).first(bytes), first, x.size(), how.step, magnitude, sum)
                    .value()
                    .bytes;
        }
        std::vector<TypeParam> y(x.size());
        ASSERT_TRUE(decode<TypeParam>(std::span<const std::byte>(sum).first(bytes), how.step, magnitude, y).ok());
        if (engine == "scalar") expected = patterns(y);
        EXPECT_EQ(patterns(y), expected) << engine;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto q = static_cast<double>(std::nearbyint(x[i] * how.inverse)) * 101;
            ASSERT_EQ(y[i], static_cast<TypeParam>(q * static_cast<double>(how.step))) << engine << " " << i;
        }
    });
}

TEST(engine_choice, names_what_it_refuses) {
    const status refused = use_engine("mmx");
    EXPECT_EQ(refused.code(), errc::unsupported);
    EXPECT_NE(refused.message().find("mmx"), std::string::npos);
    EXPECT_NE(refused.message().find("scalar"), std::string::npos);
    EXPECT_EQ(available_engines().front(), "scalar");
}

}  // namespace
}  // namespace laconic::testing
