// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose size in the published SZx layout was computed by hand flow in; szx_reference_size must agree.
#include <gtest/gtest.h>

#include <vector>

#include "cli/szx_reference_size.hpp"

namespace {

template <class T>
std::uint64_t size_of_block(const std::vector<T>& values, double e) {
    return laconic::cli::szx_reference_block_size(std::span<const T>(values), e);
}

TEST(szx_reference_size, a_constant_block_is_its_mid_range_and_a_state_bit) {
    EXPECT_EQ(size_of_block(std::vector<float>(128, 3.0F), 1e-3), 4);
    EXPECT_EQ(laconic::cli::szx_reference_size(std::span<const float>(std::vector<float>(1024, 3.0F)), 1e-3),
              8 * 4 + 1);
    EXPECT_EQ(laconic::cli::szx_reference_size(std::span<const float>(std::vector<float>(1025, 3.0F)), 1e-3),
              9 * 4 + 2);
}

TEST(szx_reference_size, values_within_the_bound_of_the_mid_range_are_constant) {
    EXPECT_EQ(size_of_block<float>({1, 3}, 1.0), 4);
    EXPECT_GT(size_of_block<float>({1, 3}, 0.99), 4);
}

TEST(szx_reference_size, counts_the_bytes_that_differ_from_the_predecessor) {
    // Mid-range 0, radius 1 = 2^0, e = 2^-6: 9 + 1 + 6 = 16 bits, two bytes. +1 is 3F80, -1 is BF80: the predecessor of
    // the first is 0, so all have both bytes: 1 + 4 + 1 + 4 * 2.
    EXPECT_EQ(size_of_block<float>({1, -1, 1, -1}, 0x1p-6), 1 + 4 + 1 + 8);
    // Repeated values share all their bytes.
    EXPECT_EQ(size_of_block<float>({1, 1, -1, -1}, 0x1p-6), 1 + 4 + 1 + 4);
    // 1 and 1.25 are 3F80 and 3FA0, -1.25 is BFA0; mid-range 0: the second shares the first byte.
    EXPECT_EQ(size_of_block<float>({1, 1.25, -1.25, -1.25}, 0x1p-6), 1 + 4 + 1 + 2 + 1 + 2 + 0);
}

TEST(szx_reference_size, bits_beyond_whole_bytes_shift_the_residual) {
    // 9 + 1 + 7 = 17 bits: three bytes after a shift by 7, and the first byte holds one bit, the sign.
    EXPECT_EQ(size_of_block<float>({1, -1, -1, 1}, 0x1p-7), 1 + 4 + 1 + 2 + 3 + 0 + 3);
}

TEST(szx_reference_size, tiny_bounds_send_the_values_themselves) {
    // 9 + 1 + 40 bits do not fit: four bytes of the value instead, of which three at most are shared.
    EXPECT_EQ(size_of_block<float>({1, -1, 1, 1}, 0x1p-40), 1 + 4 + 1 + 4 + 4 + 4 + 1);
}

TEST(szx_reference_size, doubles_have_longer_heads) {
    // 12 + 1 + 3 = 16 bits of 3FF0 and BFF0.
    EXPECT_EQ(size_of_block<double>({1, -1, 1, -1}, 0x1p-3), 1 + 8 + 1 + 8);
    // 17 bits, shifted by 7: 00 7F E0 and 01 7F E0.
    EXPECT_EQ(size_of_block<double>({1, -1, 1, -1}, 0x1p-4), 1 + 8 + 1 + 2 + 3 + 3 + 3);
}

}  // namespace
