// SPDX-License-Identifier: BSD-3-Clause
// Worst cases and best cases of the size.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

TEST(ratio, of_incompressible_data_costs_less_than_one_percent) {
    std::mt19937_64 random(5);
    std::vector<float> x(1 << 20);
    for (float& v : x) v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const std::size_t raw = x.size() * sizeof(float);
    EXPECT_LE(compress_bound(element_type::f32, x.size()), raw + raw / 100 + 8192);
    EXPECT_LE(compressed(x, bound::abs(1e-30)).size(), raw + raw / 100 + 8192);
}

TEST(ratio, of_alternating_raw_and_wide_blocks_stays_within_the_bound) {
    // Every second block is raw and the others jump as far as integers may.
    std::vector<float> x(1 << 16);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i / 32 % 2 == 0 ? HUGE_VALF : (i % 2 == 0 ? 1000.0F : -1000.0F);
    const auto frame = compressed(x, bound::abs(1e-3));
    EXPECT_LE(frame.size(), compress_bound(element_type::f32, x.size()));
    EXPECT_EQ(inspect(frame).value().raw_blocks, x.size() / 64);
}

TEST(ratio, of_signed_blocks_with_integers_out_of_reach_stays_within_the_bound) {
    // 32 planes and a mask would be more than a raw block; the buffer has exactly the documented size.
    for (const double e : {0.5, 0.0}) {
        on_every_engine([&](const std::string& engine) {
            std::vector<float> x(2048);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 32 == 7 ? -0.0F : (i % 2 == 0 ? 0x1p29F : -0x1p29F);
            const auto frame = compressed(x, bound::abs(e));
            EXPECT_LE(frame.size(), compress_bound(element_type::f32, x.size())) << engine;
            const auto y = decompressed<float>(frame);
            for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(keeps_promise(x[i], y[i], e)) << engine << " " << i;
        });
    }
}

TEST(ratio, of_tiny_arrays_is_bounded_by_header_and_padding) {
    for (std::size_t n = 0; n < 40; ++n)
        EXPECT_LE(compressed(make_field<float>("any_bits", n), bound::abs(1e-30)).size(),
                  64 + 4 + 4 + 4 + n * sizeof(float) + 4)
            << n;
}

TEST(ratio, of_zeros_is_one_byte_per_block) {
    const std::size_t n = 1 << 20;
    const auto frame = compressed(std::vector<float>(n), bound::abs(1e-3));
    EXPECT_LE(frame.size(), n / 32 + n / 2048 * 8 + 64);
}

}  // namespace
}  // namespace laconic::testing
