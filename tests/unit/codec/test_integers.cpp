// SPDX-License-Identifier: BSD-3-Clause
// The split form: quantise up front, encode or add later. The bytes are those of compress() and of the fused sum.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class integers : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(integers, types);

using bytes = std::vector<std::byte>;
constexpr std::array quantisable{"smooth", "noise", "offset", "zeros", "midpoints"};

frame_options options_for(std::uint64_t row) {
    frame_options options;
    options.max_abs = 1000;
    options.row_length = row;
    return options;
}

TYPED_TEST(integers, encode_to_the_bytes_of_compress) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : quantisable) {
            for (const std::uint64_t row : {0U, 99U}) {
                for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 2049U, 5000U}) {
                    const auto x = make_field<TypeParam>(name, n);
                    std::vector<std::int32_t> q(n);
                    const auto array = quantise<TypeParam>(x, bound::abs(1e-3), q, options_for(row));
                    ASSERT_TRUE(array.ok()) << array.error().message();
                    bytes frame(compress_bound(element_type_of<TypeParam>::value, n));
                    frame.resize(encode(*array, q, frame).value());
                    EXPECT_TRUE(frame == compressed(x, bound::abs(1e-3), options_for(row)))
                        << engine << " " << name << " row " << row << " n " << n;
                    std::vector<std::int32_t> back(n);
                    const auto found = extract(frame, back);
                    ASSERT_TRUE(found.ok()) << found.error().message();
                    EXPECT_EQ(back, q) << engine << " " << name << " row " << row << " n " << n;
                    EXPECT_EQ(found->step, array->step);
                    EXPECT_EQ(found->magnitude, array->magnitude);
                }
            }
        }
    });
}

TYPED_TEST(integers, add_to_the_bytes_of_the_fused_sum) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : {"smooth", "noise", "integers", "spikes", "special"}) {
            for (const std::uint64_t row : {0U, 99U}) {
                const auto x = make_field<TypeParam>("smooth", 5000, 1);
                const auto frame = compressed(make_field<TypeParam>(name, 5000, 2), bound::abs(1e-3), options_for(row));
                std::vector<std::int32_t> q(x.size());
                const auto array = quantise<TypeParam>(x, bound::abs(1e-3), q, options_for(row)).value();
                bytes sum(sum_bound(element_type_of<TypeParam>::value, x.size()));
                const auto size = add(array, q, frame, sum);
                ASSERT_TRUE(size.ok()) << size.error().message();
                sum.resize(*size);
                EXPECT_TRUE(sum == sum_of(x, frame)) << engine << " " << name << " row " << row;
            }
        }
    });
}

TYPED_TEST(integers, get_the_step_that_compress_chooses_far_from_zero) {
    auto x = make_field<TypeParam>("smooth", 5000);
    const double offset = std::ldexp(1.0, std::numeric_limits<TypeParam>::digits - 13);
    for (TypeParam& v : x) v += static_cast<TypeParam>(offset);
    std::vector<std::int32_t> q(x.size());
    const auto array = quantise<TypeParam>(x, bound::abs(0.01), q);
    const auto frame = compressed(x, bound::abs(0.01));
    ASSERT_EQ(inspect(frame)->raw_blocks, 0U);
    if (sizeof(TypeParam) == 8) {
        // Beyond 32 bits: refused, and never encoded to something else.
        EXPECT_EQ(array.error().code(), errc::unrepresentable);
        return;
    }
    ASSERT_TRUE(array.ok()) << array.error().message();
    EXPECT_EQ(array->step, inspect(frame)->step);
}

TYPED_TEST(integers, keep_count_of_the_contributions) {
    const auto x = make_field<TypeParam>("smooth", 3000);
    const auto frame = compressed(x, bound::abs(0.1), options_for(0));
    bytes scaled(sum_bound(element_type_of<TypeParam>::value, x.size()));
    scaled.resize(scale(std::span<const std::byte>(frame), 5, scaled).value());
    std::vector<std::int32_t> q(x.size());
    const auto array = extract(scaled, q).value();
    bytes again(scaled.size() + 100000);
    again.resize(encode(array, q, again).value());
    EXPECT_TRUE(again == scaled);
    bytes sum(sum_bound(element_type_of<TypeParam>::value, x.size()));
    sum.resize(add(array, q, frame, sum).value());
    EXPECT_EQ(inspect(sum)->contributions, 6U);
    EXPECT_DOUBLE_EQ(inspect(sum)->bound, 0.6);
}

TYPED_TEST(integers, are_refused_where_there_are_none) {
    auto x = make_field<TypeParam>("smooth", 100);
    std::vector<std::int32_t> q(100);
    x[50] = std::numeric_limits<TypeParam>::quiet_NaN();
    EXPECT_EQ(quantise<TypeParam>(x, bound::abs(1e-3), q).error().code(), errc::unrepresentable);
    x[50] = TypeParam(1e30);
    EXPECT_EQ(quantise<TypeParam>(x, bound::abs(1e-3), q).error().code(), errc::unrepresentable);
    EXPECT_EQ(extract(compressed(x, bound::abs(1e-3)), q).error().code(), errc::unrepresentable);
    x[50] = 0;
    const auto array = quantise<TypeParam>(x, bound::abs(1e-3), q).value();
    EXPECT_EQ(quantise<TypeParam>(x, bound::abs(-1), q).error().code(), errc::invalid_bound);
    std::vector<std::int32_t> few(99);
    EXPECT_EQ(quantise<TypeParam>(x, bound::abs(1e-3), few).error().code(), errc::mismatch);

    bytes out(sum_bound(element_type_of<TypeParam>::value, 100));
    auto beyond = array;
    q[0] = 1 << 28;
    beyond.magnitude = 1 << 28;
    EXPECT_EQ(encode(beyond, q, out).error().code(), errc::unrepresentable);
    q[0] = static_cast<std::int32_t>(array.magnitude) + 1;
    EXPECT_EQ(encode(array, q, out).error().code(), errc::mismatch);
    q[0] = 0;
    EXPECT_EQ(add(array, q, compressed(x, bound::abs(1e-2)), out).error().code(), errc::mismatch);
    EXPECT_EQ(encode(array, q, std::span(out).first(10)).error().code(), errc::output_too_small);
}

}  // namespace
}  // namespace laconic::testing
