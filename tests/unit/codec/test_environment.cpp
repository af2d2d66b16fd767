// SPDX-License-Identifier: BSD-3-Clause
// The promises hold in programs that flush denormals (-ffast-math), round or convert otherwise.
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

#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
constexpr std::uint64_t unusual = 0x8040;  // denormals: those that come in and those that go out become 0
std::uint64_t read_control() { return _mm_getcsr(); }
void write_control(std::uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#else
constexpr std::uint64_t unusual = 7ULL << 24;  // denormals become 0, NaNs all alike, binary16 has no infinity
std::uint64_t read_control() {
    std::uint64_t bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits) : : "memory");
    return bits;
}
void write_control(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits) : "memory"); }
#endif

TEST(environment, flushing_denormals_changes_no_byte) {
    const auto x = make_field<float>("denormal", 5000);
    const double e = 1e-42;
    std::vector<half> h;
    for (const float v : make_field<float>("special", 5000)) h.emplace_back(v);
    on_every_engine([&](const std::string& engine) {
        const auto expected = compressed(x, bound::abs(e));
        const auto expected_half = compressed(h, bound::abs(1e-3));
        const std::uint64_t before = read_control();
        write_control(before | unusual);
        const auto frame = compressed(x, bound::abs(e));
        const auto frame_half = compressed(h, bound::abs(1e-3));
        const auto values = decompressed<float>(frame);
        const double range = compare<float>(x, x).value().range;
        std::vector<std::byte> out(compress_bound(element_type::f32, x.size()));
        const auto refused = compress<float>(x, bound::abs(-5e-324), out).error().code();
        const std::uint64_t during = read_control();
        write_control(before);
        EXPECT_EQ(during & unusual, unusual) << engine;
        EXPECT_EQ(frame, expected) << engine;
        EXPECT_EQ(frame_half, expected_half) << engine;
        EXPECT_EQ(values, decompressed<float>(expected)) << engine;
        EXPECT_EQ(range, compare<float>(x, x).value().range) << engine;
        EXPECT_GT(range, 0) << engine;
        EXPECT_EQ(refused, errc::invalid_bound) << engine;
    });
}
#endif

}  // namespace
}  // namespace laconic::testing
