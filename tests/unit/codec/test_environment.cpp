// SPDX-License-Identifier: BSD-3-Clause
// The promises hold in programs that flush denormals (-ffast-math) or round otherwise.
#include <gtest/gtest.h>

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "fields.hpp"

namespace laconic::testing {
namespace {

TEST(environment, rounding_mode_changes_no_byte) {
    const auto x = make_field<float>("noise", 5000);
    const auto expected = compressed(x, bound::abs(1e-4));
    const auto values = decompressed<float>(expected);
    const auto sum = sum_of(expected, expected);
    const double bound_of_sum = inspect(sum).value().bound;
    on_every_engine([&](const std::string& engine) {
        for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            std::fesetround(mode);
            const auto frame = compressed(x, bound::abs(1e-4));
            const auto back = decompressed<float>(frame);
            const auto fused = sum_of(x, expected);
            const auto added = sum_of(expected, expected);
            const double bound_found = inspect(added).value().bound;
            const int after = std::fegetround();
            std::fesetround(FE_TONEAREST);
            EXPECT_EQ(after, mode) << engine;
            EXPECT_EQ(frame, expected) << engine << " mode " << mode;
            EXPECT_EQ(back, values) << engine << " mode " << mode;
            EXPECT_TRUE(fused == sum) << engine << " mode " << mode;
            EXPECT_TRUE(added == sum) << engine << " mode " << mode;
            EXPECT_EQ(bound_found, bound_of_sum) << engine << " mode " << mode;
        }
    });
}

#if defined(__x86_64__)
TEST(environment, flushing_denormals_changes_no_byte) {
    const auto x = make_field<float>("denormal", 5000);
    const double e = 1e-42;
    const auto expected = compressed(x, bound::abs(e));
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    const auto frame = compressed(x, bound::abs(e));
    const auto values = decompressed<float>(frame);
    const double range = compare<float>(x, x).value().range;
    std::vector<std::byte> out(compress_bound(element_type::f32, x.size()));
    const auto refused = compress<float>(x, bound::abs(-5e-324), out).error().code();
    const unsigned during = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(during & 0x8040U, 0x8040U);
    EXPECT_EQ(frame, expected);
    EXPECT_EQ(values, decompressed<float>(expected));
    EXPECT_EQ(range, compare<float>(x, x).value().range);
    EXPECT_GT(range, 0);
    EXPECT_EQ(refused, errc::invalid_bound);
}
#endif

}  // namespace
}  // namespace laconic::testing
