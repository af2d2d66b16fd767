// SPDX-License-Identifier: BSD-3-Clause
// Tables between and beyond their rows.
#include "model/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "machines.hpp"

namespace laconic::model {
namespace {

TEST(log2_piecewise, is_exact_at_powers_of_two_and_close_between) {
    for (int power = 0; power < 60; ++power) EXPECT_EQ(log2_piecewise(std::ldexp(1.0, power)), power);
    for (double x = 1; x < 1e9; x *= 1.013) EXPECT_NEAR(log2_piecewise(x), std::log2(x) - 0.043, 0.0441) << x;
    EXPECT_EQ(log2_piecewise(3), 1.5);
}

TEST(codec_rates, are_linear_in_the_compressed_share) {
    codec_rates table{};
    table.rows = 2;
    table.ratio = {2, 8};
    table.bytes_per_s[0] = {1e9, 4e9};
    EXPECT_EQ(table.seconds_per_byte(work_kind::compress, 0.5), 1e-9);
    EXPECT_EQ(table.seconds_per_byte(work_kind::compress, 1), 1e-9);
    EXPECT_DOUBLE_EQ(table.seconds_per_byte(work_kind::compress, 0.125), 0.25e-9);
    EXPECT_EQ(table.seconds_per_byte(work_kind::compress, 1e-9), 0.25e-9);
    EXPECT_DOUBLE_EQ(table.seconds_per_byte(work_kind::compress, (0.5 + 0.125) / 2), 0.625e-9);
    EXPECT_TRUE(std::isinf(table.seconds_per_byte(work_kind::add, 0.5)));
    EXPECT_TRUE(std::isinf(codec_rates{}.seconds_per_byte(work_kind::compress, 0.5)));
}

TEST(size_fit, is_linear_in_the_logarithm_of_the_size) {
    size_fit fit{};
    EXPECT_EQ(fit.at(100), 1);
    fit.rows = 3;
    fit.bytes = {1024, 4096, 65536};
    fit.factor = {2, 4, 1};
    EXPECT_EQ(fit.at(0), 2);
    EXPECT_EQ(fit.at(2048), 3);
    EXPECT_EQ(fit.at(4096), 4);
    EXPECT_EQ(fit.at(1e12), 1);
}

TEST(level, knows_steps_by_size_or_a_line) {
    level way;
    way.alpha_s = 1e-3;
    way.beta_s_per_byte = 1e-6;
    EXPECT_DOUBLE_EQ(way.step_s(2000), 3e-3);
    way.steps = {3, {8, 1000, 3000}, {2e-3, 2e-3, 6e-3}};
    EXPECT_EQ(way.step_s(0), 2e-3);
    EXPECT_EQ(way.step_s(1000), 2e-3);
    EXPECT_DOUBLE_EQ(way.step_s(2500), 5e-3);
    EXPECT_DOUBLE_EQ(way.step_s(3000), 6e-3);
    EXPECT_DOUBLE_EQ(way.step_s(4000), 7e-3);
}

TEST(machine, has_rates_of_all_codecs_but_raw) {
    const machine& m = default_machine();
    for (const codec_description& codec : codecs())
        EXPECT_EQ(m.rates_of(codec.id) != nullptr, codec.id != codec_id::raw) << codec.name;
    for (std::size_t i = 0; i < rated_codecs.size(); ++i) {
        EXPECT_EQ(m.rates_of(rated_codecs[i]), &m.codecs[i]);
        EXPECT_EQ(codec_named(rated_names[i]).value(), rated_codecs[i]);
    }
}

}  // namespace
}  // namespace laconic::model
