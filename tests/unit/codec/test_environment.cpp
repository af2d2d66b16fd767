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
    on_every_engine([&](const std::string& engine) {
        for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            std::fesetround(mode);
            const auto frame = compressed(x, bound::abs(1e-4));
            const auto back = decompressed<float>(frame);
            const int after = std::fegetround();
            std::fesetround(FE_TONEAREST);
            EXPECT_EQ(after, mode) << engine;
            EXPECT_EQ(frame, expected) << engine << " mode " << mode;
            EXPECT_EQ(back, values) << engine << " mode " << mode;
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
    const unsigned during = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(during & 0x8040U, 0x8040U);
    EXPECT_EQ(frame, expected);
}
#endif

}  // namespace
}  // namespace laconic::testing
