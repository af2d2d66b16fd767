// SPDX-License-Identifier: BSD-3-Clause
// Sums on the compressed form: as exact as their parts, the same in every order, never wrapping.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/fle.hpp"
#include "codec/layout.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class sums : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(sums, types);

/// |y - sum of x| <= total bound + half an ulp of y.
template <class T>
void expect_sum(const std::vector<std::vector<T>>& parts, const std::vector<std::byte>& frame,
                const std::string& what) {
    const auto y = decompressed<T>(frame);
    const double e = inspect(frame).value().bound;
    for (std::size_t i = 0; i < y.size(); ++i) {
        exact_real exact = 0;
        for (const auto& part : parts) exact += static_cast<exact_real>(part[i]);
        const exact_real difference = exact - static_cast<exact_real>(y[i]);
        const T next = std::nextafter(std::abs(y[i]), std::numeric_limits<T>::infinity());
        const exact_real half_ulp = (static_cast<exact_real>(next) - static_cast<exact_real>(std::abs(y[i]))) / 2;
        ASSERT_LE(static_cast<double>((difference < 0 ? -difference : difference) - half_ulp), e)
            << what << " element " << i;
    }
}

TYPED_TEST(sums, stay_within_the_sum_of_bounds) {
    frame_options options;
    options.max_abs = 1000;
    on_every_engine([&](const std::string& engine) {
        for (const char* name : {"smooth", "noise", "offset", "minus_0", "integers", "steps", "midpoints", "zeros"}) {
            for (const double e : {1.0, 1e-2, 1e-4, 1e-6, 1e-9}) {
                std::vector<std::vector<TypeParam>> parts;
                std::vector<std::byte> sum;
                std::vector<std::byte> fused;
                for (std::uint64_t k = 0; k < 7; ++k) {
                    parts.push_back(make_field<TypeParam>(name, 4100, k));
                    const auto frame = compressed(parts.back(), bound::abs(e), options);
                    sum = k == 0 ? frame : sum_of(sum, frame);
                    fused = k == 0 ? frame : sum_of(parts.back(), fused);
                }
                EXPECT_TRUE(sum == fused) << engine << " " << name << " " << e;
                EXPECT_EQ(inspect(sum).value().contributions, 7U);
                expect_sum(parts, sum, engine + " " + name + " e " + std::to_string(e));
            }
        }
    });
}

TYPED_TEST(sums, keep_the_bound_far_from_zero_without_a_known_magnitude) {
    // Integers so large that the rounding of the type is a good part of the bound.
    std::mt19937_64 random(11);
    const double largest = std::ldexp(1.0, std::numeric_limits<TypeParam>::digits);
    on_every_engine([&](const std::string& engine) {
        for (int round = 0; round < 300; ++round) {
            const double e =
                std::ldexp(1.0 + static_cast<double>(random() % 1024) / 1024, static_cast<int>(random() % 6) - 2);
            std::vector<std::vector<TypeParam>> parts(2, std::vector<TypeParam>(2500));
            for (auto& part : parts)
                for (std::size_t i = 0; i < 40; ++i)
                    part[i] = static_cast<TypeParam>((static_cast<double>(random() % 2001) / 1000 - 1) * largest *
                                                     (i % 2 == 0 ? 1.0 : 1e-2));
            const auto a = compressed(parts[0], bound::abs(e));
            const auto b = compressed(parts[1], bound::abs(e));
            if (inspect(a).value().step != inspect(b).value().step) continue;
            expect_sum(parts, sum_of(a, b), engine + " e " + std::to_string(e));
        }
    });
}

TYPED_TEST(sums, are_the_same_bytes_in_every_order) {
    frame_options options;
    options.max_abs = 1000;
    for (const char* name : {"smooth", "noise", "minus_0", "raw_too"}) {
        std::vector<std::vector<std::byte>> frames;
        for (std::uint64_t k = 0; k < 5; ++k) {
            auto x = make_field<TypeParam>(std::string(name) == "raw_too" ? "smooth" : name, 3000, k);
            // Raw blocks whose values lie close enough together for exact sums.
            if (std::string(name) == "raw_too") {
                for (TypeParam& v : x) v = std::round(v * 1024) / 1024;
                for (std::size_t i = k; i < x.size(); i += 97)
                    x[i] = static_cast<TypeParam>(std::ldexp(1.0, sizeof(TypeParam) == 4 ? 22 : 45));
            }
            frames.push_back(compressed(x, bound::abs(1e-3), options));
        }
        const auto forward = sum_of(sum_of(sum_of(sum_of(frames[0], frames[1]), frames[2]), frames[3]), frames[4]);
        const auto tree = sum_of(sum_of(frames[4], frames[2]), sum_of(frames[3], sum_of(frames[1], frames[0])));
        ASSERT_TRUE(inspect(forward).value().exact_sums) << name;
        EXPECT_EQ(inspect(forward).value().raw_blocks > 0, std::string(name) == "raw_too");
        EXPECT_TRUE(forward == tree) << name;
    }
}

TYPED_TEST(sums, in_place_gives_the_same_frame) {
    frame_options options;
    options.max_abs = 1000;
    on_every_engine([&](const std::string& engine) {
        for (const char* name : {"smooth", "noise", "special"}) {
            const auto a = compressed(make_field<TypeParam>(name, 9000, 1), bound::abs(1e-5), options);
            const auto b = compressed(make_field<TypeParam>(name, 9000, 2), bound::abs(1e-5), options);
            std::vector<std::byte> buffer(sum_bound(element_type_of<TypeParam>::value, 9000));
            std::copy(a.begin(), a.end(), buffer.begin());
            const auto bytes = add(std::span<const std::byte>(buffer).first(a.size()), std::span<const std::byte>(b),
                                   std::span<std::byte>(buffer));
            buffer.resize(bytes.ok() ? *bytes : 0);
            EXPECT_TRUE(buffer == sum_of(a, b)) << engine << " " << name;
        }
    });
}

TYPED_TEST(sums, cancel_to_exact_zero) {
    auto x = make_field<TypeParam>("smooth", 5000);
    const auto a = compressed(x, bound::abs(1e-3));
    for (TypeParam& v : x) v = -v;
    const auto sum = sum_of(a, compressed(x, bound::abs(1e-3)));
    EXPECT_EQ(inspect(sum).value().zero_blocks, inspect(sum).value().blocks);
    for (const TypeParam y : decompressed<TypeParam>(sum)) ASSERT_EQ(y, 0);
}

TYPED_TEST(sums, keep_minus_zero_only_where_all_parts_have_it) {
    std::vector<TypeParam> x(40, TypeParam(-0.0));
    std::vector<TypeParam> y = x;
    y[7] = 0;
    y[9] = 1;
    const auto z = decompressed<TypeParam>(sum_of(compressed(x, bound::abs(1e-3)), compressed(y, bound::abs(1e-3))));
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(std::signbit(z[i]), i != 7 && i != 9) << i;
}

TYPED_TEST(sums, never_wrap) {
    // A million contributions, as sums of sums: 2^20 copies of values near the largest quantised integer.
    using namespace codec;
    constexpr std::size_t n = 100;
    const auto how = choose_step<TypeParam>(1e-4, 100).contribution;
    std::vector<TypeParam> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<TypeParam>(i % 2 == 0 ? 100.0 : -99.0 + static_cast<double>(i) * 0.01);
    on_every_engine([&](const std::string& engine) {
        std::vector<std::byte> sum(bare_sum_bound(element_type_of<TypeParam>::value, n));
        std::size_t bytes = encode<TypeParam>(x, how, sum).bytes;
        std::uint64_t magnitude = magnitude_of(how, 100.0);
        for (int doubling = 0; doubling < 20; ++doubling) {
            const std::vector<std::byte> other(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(bytes));
            magnitude = std::min<std::uint64_t>(2 * magnitude, ~std::uint64_t{0} / 4);
            const auto report = add<TypeParam>(other, other, n, how.step, magnitude, sum);
            ASSERT_TRUE(report.ok()) << report.error().message();
            EXPECT_TRUE(report->exact);
            bytes = report->bytes;
        }
        std::vector<TypeParam> y(n);
        ASSERT_TRUE(decode<TypeParam>(std::span<const std::byte>(sum).first(bytes), how.step,
                                      static_cast<std::uint64_t>(integer_limits<TypeParam>::sum), y)
                        .ok());
        for (std::size_t i = 0; i < n; ++i) {
            const auto q = static_cast<exact_real>(std::nearbyint(x[i] * how.inverse));
            ASSERT_EQ(y[i], static_cast<TypeParam>(q * static_cast<exact_real>(how.step) * (1 << 20)))
                << engine << " " << i;
        }
    });
}

TYPED_TEST(sums, of_values_and_a_lossless_constant_are_exact) {
    // The frame's step is the constant; the multiples of it are, mostly, no numbers of the type.
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        const auto c = static_cast<TypeParam>(1 + static_cast<double>(random() >> 11) * 0x1p-53);
        std::vector<TypeParam> x(40);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<TypeParam>(i) * c;
        const auto frame = compressed(std::vector<TypeParam>(x.size(), c), bound::lossless());
        const std::vector<TypeParam> sum = decompressed<TypeParam>(sum_of(x, frame));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(sum[i], x[i] + c) << c << " times " << i;
    }
}

TYPED_TEST(sums, refuse_frames_that_do_not_belong_together) {
    const auto a = compressed(make_field<TypeParam>("smooth", 100), bound::abs(1e-3));
    const auto b = compressed(make_field<TypeParam>("smooth", 100), bound::abs(1e-4));
    const auto c = compressed(make_field<TypeParam>("smooth", 101), bound::abs(1e-3));
    std::vector<std::byte> out(sum_bound(element_type_of<TypeParam>::value, 200));
    const auto code = [&](const auto& l, const auto& r) {
        return add(std::span<const std::byte>(l), std::span<const std::byte>(r), std::span<std::byte>(out))
            .error()
            .code();
    };
    EXPECT_EQ(code(a, b), errc::mismatch);
    EXPECT_EQ(code(a, c), errc::mismatch);
    out.resize(100);
    EXPECT_EQ(code(a, a), errc::output_too_small);
    const auto f = make_field<TypeParam>("smooth", 99);
    EXPECT_EQ(
        add(std::span<const TypeParam>(f), std::span<const std::byte>(a), std::span<std::byte>(out)).error().code(),
        errc::mismatch);
}

}  // namespace
}  // namespace laconic::testing
