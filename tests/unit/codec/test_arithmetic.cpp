// SPDX-License-Identifier: BSD-3-Clause
// Differences, multiples, minima and maxima of frames, against the same on decompressed values.
#include <gtest/gtest.h>

#include <algorithm>

#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class arithmetic : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(arithmetic, types);

using bytes = std::vector<std::byte>;

template <class Operation>
bytes result_of(const bytes& like, Operation operation) {
    const frame_info info = inspect(like).value();
    bytes out(sum_bound(info.type, info.count));
    auto size = operation(std::span<std::byte>(out));
    if (!size) throw bad_result(size.error());
    out.resize(*size);
    out.shrink_to_fit();
    return out;
}
bytes difference_of(const bytes& a, const bytes& b) {
    return result_of(a, [&](auto out) { return subtract(std::span(a), std::span(b), out); });
}
bytes multiple_of(const bytes& a, std::int32_t factor) {
    return result_of(a, [&](auto out) { return scale(std::span(a), factor, out); });
}
bytes negated(const bytes& a) {
    return result_of(a, [&](auto out) { return negate(std::span(a), out); });
}
bytes extreme_of(const bytes& a, const bytes& b, bool larger) {
    return result_of(a, [&](auto out) {
        return larger ? maximum(std::span(a), std::span(b), out) : minimum(std::span(a), std::span(b), out);
    });
}

frame_options options_for(std::uint64_t row) {
    frame_options options;
    options.max_abs = 1000;
    options.row_length = row;
    return options;
}

template <class T>
std::vector<bits_of<T>> patterns(const std::vector<T>& values) {
    std::vector<bits_of<T>> all;
    for (const T v : values) all.push_back(v == v ? pattern(v) : bits_of<T>{0});
    return all;
}

constexpr std::array tame{"smooth", "noise", "minus_0", "midpoints", "zeros", "offset"};
constexpr std::array all_kinds{"smooth", "noise", "minus_0", "special", "spikes", "any_bits", "huge"};

TYPED_TEST(arithmetic, differences_are_sums_with_the_negative) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : all_kinds) {
            for (const std::uint64_t row : {0U, 70U}) {
                for (const double e : {1e-2, 1e-5}) {
                    const auto a = compressed(make_field<TypeParam>(name, 4200, 1), bound::abs(e), options_for(row));
                    const auto b = compressed(make_field<TypeParam>(name, 4200, 2), bound::abs(e), options_for(row));
                    const auto difference = difference_of(a, b);
                    EXPECT_TRUE(difference == sum_of(a, negated(b))) << engine << " " << name << row << " " << e;
                    EXPECT_EQ(inspect(difference)->contributions, 2U);
                }
            }
        }
    });
}

TYPED_TEST(arithmetic, differences_are_exact_in_the_integers) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : tame) {
            const auto a = compressed(make_field<TypeParam>(name, 3000, 1), bound::abs(1e-3), options_for(0));
            const auto b = compressed(make_field<TypeParam>(name, 3000, 2), bound::abs(1e-3), options_for(0));
            std::vector<std::int32_t> x(3000), y(3000);
            const double step = extract(a, x).value().step;
            ASSERT_TRUE(extract(b, y).ok());
            const auto z = decompressed<TypeParam>(difference_of(a, b));
            for (std::size_t i = 0; i < z.size(); ++i) {
                ASSERT_EQ(z[i], static_cast<TypeParam>((x[i] - y[i]) * step)) << engine << " " << name << " " << i;
                ASSERT_FALSE(z[i] == 0 && std::signbit(z[i]));
            }
            const auto none = difference_of(a, a);
            EXPECT_EQ(inspect(none)->zero_blocks, inspect(none)->blocks) << engine << " " << name;
        }
    });
}

TYPED_TEST(arithmetic, negating_twice_gives_the_frame_back) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : {"smooth", "noise", "integers", "spikes", "any_bits"}) {
            for (const std::uint64_t row : {0U, 70U}) {
                auto x = make_field<TypeParam>(name, 4200);
                for (TypeParam& v : x) v = v == 0 ? TypeParam{0} : v;
                const auto frame = compressed(x, bound::abs(1e-3), options_for(row));
                EXPECT_TRUE(negated(negated(frame)) == frame) << engine << " " << name << " " << row;
                const auto y = decompressed<TypeParam>(frame);
                const auto minus = decompressed<TypeParam>(negated(frame));
                for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(minus[i], -y[i]) << engine << " " << name << i;
            }
        }
    });
}

TYPED_TEST(arithmetic, multiples_are_repeated_sums) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : tame) {
            for (const std::uint64_t row : {0U, 70U}) {
                const auto frame = compressed(make_field<TypeParam>(name, 3000), bound::abs(1e-4), options_for(row));
                auto sum = frame;
                for (int k = 2; k <= 5; ++k) {
                    sum = sum_of(sum, frame);
                    EXPECT_TRUE(multiple_of(frame, k) == sum) << engine << " " << name << " row " << row << " x " << k;
                }
                EXPECT_TRUE(multiple_of(frame, 1) == frame) << engine << " " << name;
                const auto zero = multiple_of(frame, 0);
                EXPECT_EQ(inspect(zero)->zero_blocks, inspect(zero)->blocks) << engine << " " << name;
                EXPECT_EQ(inspect(multiple_of(frame, -3))->contributions, 3U);
            }
        }
    });
}

TYPED_TEST(arithmetic, multiples_never_wrap) {
    const auto x = make_field<TypeParam>("noise", 2100);
    const auto frame = compressed(x, bound::abs(1e-6), options_for(0));
    const auto y = decompressed<TypeParam>(frame);
    on_every_engine([&](const std::string& engine) {
        for (const std::int32_t factor : {1 << 30, -(1 << 30), std::numeric_limits<std::int32_t>::min()}) {
            const auto product = multiple_of(frame, factor);
            EXPECT_TRUE(inspect(product)->exact_sums) << engine;
            const auto z = decompressed<TypeParam>(product);
            for (std::size_t i = 0; i < z.size(); ++i)
                ASSERT_EQ(z[i], y[i] * static_cast<TypeParam>(factor)) << engine << " " << factor << " " << i;
        }
        // The number of contributions has 32 bits.
        bytes out(sum_bound(element_type_of<TypeParam>::value, x.size()));
        const auto large = multiple_of(frame, 1 << 30);
        EXPECT_EQ(scale(std::span<const std::byte>(large), 4, out).error().code(), errc::unsupported);
    });
}

TYPED_TEST(arithmetic, multiples_of_raw_values_follow_ieee) {
    std::vector<TypeParam> x(100, TypeParam{1});
    x[3] = std::numeric_limits<TypeParam>::infinity();
    x[40] = std::numeric_limits<TypeParam>::quiet_NaN();
    x[70] = TypeParam(1e30);
    const auto frame = compressed(x, bound::abs(1e-3), options_for(0));
    const auto y = decompressed<TypeParam>(multiple_of(frame, -2));
    EXPECT_EQ(y[3], -std::numeric_limits<TypeParam>::infinity());
    EXPECT_TRUE(std::isnan(y[40]));
    EXPECT_EQ(y[70], TypeParam(1e30) * -2);
    EXPECT_EQ(y[71], TypeParam(-2));
    EXPECT_TRUE(std::isnan(decompressed<TypeParam>(multiple_of(frame, 0))[3]));
}

TYPED_TEST(arithmetic, extremes_are_those_of_the_decoded_values) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : all_kinds) {
            for (const std::uint64_t row : {0U, 70U}) {
                for (const double e : {1e-2, 1e-6}) {
                    const auto a = compressed(make_field<TypeParam>(name, 4200, 1), bound::abs(e), options_for(row));
                    const auto b = compressed(make_field<TypeParam>(name, 4200, 2), bound::abs(e), options_for(row));
                    const auto x = decompressed<TypeParam>(a);
                    const auto y = decompressed<TypeParam>(b);
                    for (const bool larger : {false, true}) {
                        const auto frame = extreme_of(a, b, larger);
                        const auto z = decompressed<TypeParam>(frame);
                        for (std::size_t i = 0; i < z.size(); ++i) {
                            TypeParam expected = larger ? std::max(x[i], y[i]) : std::min(x[i], y[i]);
                            if (std::isnan(x[i]) || std::isnan(y[i])) {
                                ASSERT_TRUE(std::isnan(z[i])) << engine << " " << name << " " << i;
                                continue;
                            }
                            ASSERT_EQ(z[i], expected)
                                << engine << " " << name << " e " << e << " row " << row << " " << i;
                        }
                        EXPECT_EQ(inspect(frame)->contributions, 1U);
                        EXPECT_EQ(patterns(decompressed<TypeParam>(extreme_of(b, a, larger))), patterns(z))
                            << engine << " " << name;
                    }
                }
            }
        }
    });
}

TYPED_TEST(arithmetic, extremes_order_the_zeros) {
    std::vector<TypeParam> x(64, TypeParam(-0.0));
    std::vector<TypeParam> y(64, TypeParam(0));
    y[1] = TypeParam(-0.0);
    y[2] = 5;
    y[3] = -5;
    on_every_engine([&](const std::string& engine) {
        const auto a = compressed(x, bound::abs(1e-3), options_for(0));
        const auto b = compressed(y, bound::abs(1e-3), options_for(0));
        const auto least = decompressed<TypeParam>(extreme_of(a, b, false));
        const auto most = decompressed<TypeParam>(extreme_of(a, b, true));
        const auto sign = [](TypeParam v) { return v == 0 && std::signbit(v); };
        EXPECT_TRUE(sign(least[0]) && sign(least[1]) && sign(least[2])) << engine;
        EXPECT_EQ(least[3], decompressed<TypeParam>(b)[3]) << engine;
        EXPECT_TRUE(!sign(most[0]) && sign(most[1]) && !sign(most[2]) && sign(most[3])) << engine;
    });
}

TYPED_TEST(arithmetic, works_in_place) {
    const auto a = compressed(make_field<TypeParam>("noise", 9000, 1), bound::abs(1e-5), options_for(0));
    const auto b = compressed(make_field<TypeParam>("noise", 9000, 2), bound::abs(1e-5), options_for(0));
    const auto in_place = [&](auto operation) {
        bytes buffer(sum_bound(element_type_of<TypeParam>::value, 9000));
        std::copy(a.begin(), a.end(), buffer.begin());
        buffer.resize(operation(std::span<const std::byte>(buffer).first(a.size()), std::span(buffer)).value());
        return buffer;
    };
    const std::span<const std::byte> other(b);
    EXPECT_TRUE(in_place([&](auto x, auto out) { return subtract(x, other, out); }) == difference_of(a, b));
    EXPECT_TRUE(in_place([&](auto x, auto out) { return minimum(x, other, out); }) == extreme_of(a, b, false));
    EXPECT_TRUE(in_place([&](auto x, auto out) { return scale(x, 7, out); }) == multiple_of(a, 7));
}

TEST(arithmetic_of_other_codecs, is_refused_by_name) {
    frame_options options;
    options.codec = codec_id::raw;
    const auto raw = compressed(make_field<float>("smooth", 100), bound::abs(1e-3), options);
    bytes out(sum_bound(element_type::f32, 100));
    EXPECT_EQ(add(std::span<const std::byte>(raw), std::span<const std::byte>(raw), std::span(out)).error().code(),
              errc::unsupported);
    EXPECT_EQ(scale(std::span<const std::byte>(raw), 2, out).error().code(), errc::unsupported);
}

}  // namespace
}  // namespace laconic::testing
