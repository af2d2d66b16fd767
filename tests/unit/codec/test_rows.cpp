// SPDX-License-Identifier: BSD-3-Clause
// Row prediction: the same promises, fewer bytes on fields with rows, and sums that still need no decompression.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class rows : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(rows, types);

frame_options with_row(std::uint64_t length) {
    frame_options options;
    options.row_length = length;
    options.max_abs = 1000;
    return options;
}

/// Noise along the rows that repeats from row to row: only a look at the row before predicts it.
template <class T>
std::vector<T> striped(std::size_t row, std::size_t n, std::uint64_t seed) {
    const auto line = make_field<T>("noise", row, seed);
    auto x = make_field<T>("smooth", n, seed);
    for (std::size_t i = 0; i < n; ++i) x[i] = x[i] * T(0.01) + line[i % row];
    return x;
}

TYPED_TEST(rows, keep_the_element_promise) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names) {
            for (const double e : {1.0, 1e-3, 1e-6, 0.0}) {
                for (const std::size_t n : {1U, 33U, 2047U, 6001U}) {
                    for (const std::uint64_t row : {32U, 33U, 100U, 1000U, 2047U}) {
                        const auto x = make_field<TypeParam>(name, n);
                        const auto frame = compressed(x, bound::abs(e), with_row(row));
                        ASSERT_EQ(inspect(frame)->row_length, row);
                        const auto y = decompressed<TypeParam>(frame);
                        for (std::size_t i = 0; i < n; ++i)
                            ASSERT_TRUE(keeps_promise(x[i], y[i], e))
                                << engine << " " << name << " e " << e << " n " << n << " row " << row << " at " << i;
                    }
                }
            }
        }
    });
}

TYPED_TEST(rows, out_of_range_mean_no_rows) {
    const auto x = make_field<TypeParam>("smooth", 3000);
    const auto plain = compressed(x, bound::abs(1e-3), with_row(0));
    for (const std::uint64_t row : {1ULL, 31ULL, 2048ULL, 1ULL << 40})
        EXPECT_TRUE(compressed(x, bound::abs(1e-3), with_row(row)) == plain) << row;
}

TYPED_TEST(rows, change_the_bytes_but_not_the_values) {
    const auto x = striped<TypeParam>(125, 8000, 1);
    const auto with = compressed(x, bound::abs(1e-3), with_row(125));
    const auto without = compressed(x, bound::abs(1e-3), with_row(0));
    EXPECT_TRUE(decompressed<TypeParam>(with) == decompressed<TypeParam>(without));
    EXPECT_LT(static_cast<double>(with.size()), 0.8 * static_cast<double>(without.size()));
}

TYPED_TEST(rows, have_the_same_bytes_on_every_engine_and_in_every_order) {
    for (const char* name : {"smooth", "noise", "minus_0", "special", "spikes", "integers"}) {
        for (const double e : {1e-2, 1e-6}) {
            std::vector<std::byte> first;
            on_every_engine([&](const std::string& engine) {
                std::vector<std::vector<std::byte>> frames;
                std::vector<std::vector<TypeParam>> parts;
                for (std::uint64_t k = 0; k < 3; ++k) {
                    parts.push_back(make_field<TypeParam>(name, 4500, k));
                    frames.push_back(compressed(parts.back(), bound::abs(e), with_row(75)));
                }
                const auto sum = sum_of(sum_of(frames[0], frames[1]), frames[2]);
                if (engine == "scalar") first = sum;
                EXPECT_TRUE(sum == first) << engine << " " << name << " " << e;
                EXPECT_TRUE(sum_of(parts[2], sum_of(parts[1], frames[0])) == sum) << engine << " " << name << " " << e;
                if (!inspect(sum)->exact_sums || std::string(name) == "special") return;
                EXPECT_TRUE(sum_of(frames[2], sum_of(frames[1], frames[0])) == sum) << engine << " " << name << e;
            });
        }
    }
}

TYPED_TEST(rows, sums_decode_to_the_sum_of_the_integers) {
    // As many doublings as take the integers beyond what 32 bits hold.
    const auto x = striped<TypeParam>(60, 3000, 4);
    const auto one = compressed(x, bound::abs(1e-5), with_row(60));
    const auto y = decompressed<TypeParam>(one);
    on_every_engine([&](const std::string& engine) {
        auto sum = one;
        for (int doubling = 1; doubling <= 16; ++doubling) {
            sum = sum_of(sum, sum);
            const auto total = decompressed<TypeParam>(sum);
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_EQ(total[i], std::ldexp(y[i], doubling)) << engine << " doubling " << doubling << " at " << i;
        }
    });
}

TYPED_TEST(rows, must_agree_in_sums) {
    const auto x = make_field<TypeParam>("smooth", 3000);
    const auto a = compressed(x, bound::abs(1e-3), with_row(100));
    const auto b = compressed(x, bound::abs(1e-3), with_row(50));
    std::vector<std::byte> out(sum_bound(element_type_of<TypeParam>::value, x.size()));
    const auto sum = add(std::span<const std::byte>(a), std::span<const std::byte>(b), std::span<std::byte>(out));
    EXPECT_EQ(sum.error().code(), errc::mismatch);
    EXPECT_NE(sum.error().message().find("100 and 50"), std::string::npos) << sum.error().message();
}

}  // namespace
}  // namespace laconic::testing
