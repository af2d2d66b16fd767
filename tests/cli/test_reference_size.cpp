// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose size in cuSZp's plain mode or in fZ-light was computed by hand flow in; reference_size and fz_light_size
// must agree.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "cli/reference_size.hpp"

namespace {

using laconic::cli::fz_light_size;
using laconic::cli::reference_size;

template <class T>
std::uint64_t size_of_block(std::vector<T> values, double e) {
    return reference_size(std::span<const T>(values), e);
}

// e = 0.5 everywhere: the integers are the values themselves.

TEST(reference_size, a_zero_block_is_its_rate_byte) {
    EXPECT_EQ(size_of_block<float>(std::vector<float>(32, 0.25F), 0.5), 1U);
}

TEST(reference_size, the_first_difference_is_taken_against_zero) {
    // Differences 5, 0, 0, ...: 3 bits. 1 rate byte + 4 of signs + 3 planes x 4.
    EXPECT_EQ(size_of_block<float>(std::vector<float>(32, 5.0F), 0.5), 1U + 4U + 12U);
}

TEST(reference_size, the_prediction_starts_again_in_every_block) {
    EXPECT_EQ(size_of_block<float>(std::vector<float>(64, 5.0F), 0.5), 2 * (1U + 4U + 12U));
}

TEST(reference_size, the_rate_is_that_of_the_largest_magnitude_without_its_sign) {
    std::vector<double> values(32, 0.0);
    values[3] = -4;  // differences -4 and +4: 3 bits
    EXPECT_EQ(size_of_block(values, 0.5), 17U);
    values[3] = -3;  // 2 bits
    EXPECT_EQ(size_of_block(values, 0.5), 13U);
    values[4] = 3;  // difference 6 from -3 to 3: 3 bits
    EXPECT_EQ(size_of_block(values, 0.5), 17U);
}

TEST(reference_size, a_ramp_costs_one_plane) {
    std::vector<float> ramp(32);
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i + 1);
    EXPECT_EQ(size_of_block(ramp, 0.5), 1U + 4U + 4U);
    EXPECT_EQ(size_of_block(ramp, 0.05), 1U + 4U + 16U);  // differences of 10: 4 bits
}

TEST(reference_size, rounds_to_nearest) {
    EXPECT_EQ(size_of_block<float>(std::vector<float>(32, 0.49F), 0.5), 1U);
    EXPECT_EQ(size_of_block<float>(std::vector<float>(32, 0.51F), 0.5), 9U);
}

TEST(reference_size, a_short_last_block_has_whole_planes) {
    EXPECT_EQ(size_of_block<float>({1.0F}, 0.5), 9U);
    EXPECT_EQ(size_of_block<float>(std::vector<float>(33, 1.0F), 0.5), 18U);
    EXPECT_EQ(size_of_block<float>({}, 0.5), 0U);
}

TEST(reference_size, what_the_scheme_cannot_hold_counts_as_raw) {
    std::vector<float> values(32, 0.0F);
    values[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(size_of_block(values, 0.5), 1U + 128U);
    values[7] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(size_of_block(values, 0.5), 1U + 128U);
    values[7] = 1e30F;
    EXPECT_EQ(size_of_block(values, 0.5), 1U + 128U);
    EXPECT_EQ(size_of_block<double>(std::vector<double>(32, 1e300), 0.5), 1U + 256U);
}

template <class T>
std::uint64_t fz_light(std::vector<T> values, double e) {
    return fz_light_size(std::span<const T>(values), e);
}

// e = 1 in most: the integers are the values themselves.

TEST(fz_light_size, cuts_towards_zero_with_a_step_of_one_bound) {
    EXPECT_EQ(fz_light<float>(std::vector<float>(32, 0.99F), 1), 1U);
    EXPECT_EQ(fz_light<float>(std::vector<float>(32, -0.99F), 1), 1U);
    EXPECT_EQ(fz_light<float>(std::vector<float>(32, 1.99F), 1), 1U + 4U + 4U);
    EXPECT_EQ(fz_light<float>(std::vector<float>(32, -1.99F), 1), 1U + 4U + 4U);
    EXPECT_EQ(fz_light<double>(std::vector<double>(32, 1.99), 0.5), 1U + 4U + 8U);  // 3: 2 bits
}

TEST(fz_light_size, predicts_along_the_whole_array) {
    EXPECT_EQ(fz_light<float>(std::vector<float>(96, 5.0F), 1), (1U + 4U + 12U) + 1U + 1U);
    std::vector<float> ramp(64);
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i + 1);
    EXPECT_EQ(fz_light(ramp, 1), 2 * (1U + 4U + 4U));
}

TEST(fz_light_size, the_rate_is_that_of_the_largest_magnitude_without_its_sign) {
    std::vector<double> values(32, 0.0);
    values[3] = -4;  // differences -4 and +4: 3 bits
    EXPECT_EQ(fz_light(values, 1), 17U);
    values[31] = 8;  // 4 bits; the next block begins with a difference of -8
    values.push_back(0);
    EXPECT_EQ(fz_light(values, 1), 21U + 21U);
}

TEST(fz_light_size, a_short_last_block_has_whole_planes) {
    EXPECT_EQ(fz_light<float>({1.0F}, 1), 9U);
    EXPECT_EQ(fz_light<float>({}, 1), 0U);
}

TEST(fz_light_size, what_the_scheme_cannot_hold_counts_as_raw) {
    std::vector<float> values(64, 3.0F);
    values[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(fz_light(values, 1), 1U + 128U + 1U);  // the second block goes on from 3
    values[7] = 1e30F;
    EXPECT_EQ(fz_light(values, 1), 1U + 128U + 1U);
    EXPECT_EQ(fz_light<double>(std::vector<double>(32, -std::numeric_limits<double>::infinity()), 1), 1U + 256U);
}

}  // namespace
