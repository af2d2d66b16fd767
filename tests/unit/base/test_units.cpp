// SPDX-License-Identifier: BSD-3-Clause
// Byte sizes and bounds as people type them: what is read, what is refused, and that formatting is the way back.
#include "base/units.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace laconic::base {
namespace {

std::uint64_t bytes(std::string_view text) {
    auto parsed = parse_bytes(text);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    return parsed.ok() ? *parsed : 0;
}

TEST(parse_bytes, reads_numbers_with_binary_suffixes) {
    EXPECT_EQ(bytes("0"), 0u);
    EXPECT_EQ(bytes("1000"), 1000u);
    EXPECT_EQ(bytes("17B"), 17u);
    EXPECT_EQ(bytes("256K"), 256u << 10);
    EXPECT_EQ(bytes("256k"), 256u << 10);
    EXPECT_EQ(bytes("64M"), 64u << 20);
    EXPECT_EQ(bytes("64MiB"), 64u << 20);
    EXPECT_EQ(bytes("1G"), 1u << 30);
    EXPECT_EQ(bytes("3T"), 3ull << 40);
    EXPECT_EQ(bytes("9223372036854775807"), 9223372036854775807ull);
}

TEST(parse_bytes, refuses_everything_else_and_says_what_to_write) {
    for (const char* text : {"", "M", "-1", "+1", " 1", "1 ", "1.5G", "64MB", "64Mi", "64MM", "0x10", "1e6", "1P",
                             "9223372036854775808", "18446744073709551616", "8388608T"}) {
        const auto parsed = parse_bytes(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_NE(parsed.error().context().find("'" + std::string(text) + "'"), std::string::npos);
        EXPECT_NE(parsed.error().context().find("64M"), std::string::npos);
    }
}

TEST(format_bytes, is_read_back_as_the_same_number) {
    for (const std::uint64_t n :
         {0ull, 1ull, 1023ull, 1024ull, 1025ull, 262144ull, 67108864ull, 1ull << 40, 1ull << 50, (1ull << 50) + 1024})
        EXPECT_EQ(bytes(format_bytes(n)), n) << format_bytes(n);
    EXPECT_EQ(format_bytes(64u << 20), "64M");
    EXPECT_EQ(format_bytes(1000), "1000");
}

TEST(human_bytes, keeps_three_digits) {
    EXPECT_EQ(human_bytes(0), "0 B");
    EXPECT_EQ(human_bytes(1023), "1023 B");
    EXPECT_EQ(human_bytes(1024), "1.00 KiB");
    EXPECT_EQ(human_bytes(67108864), "64.0 MiB");
    EXPECT_EQ(human_bytes(123456789), "118 MiB");
    EXPECT_EQ(human_bytes((1u << 20) - 1), "1.00 MiB");
    EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "16777216 TiB");
}

TEST(parse_bound, reads_finite_numbers_from_zero_up) {
    EXPECT_EQ(*parse_bound("0"), 0.0);
    EXPECT_EQ(*parse_bound("1e-3"), 1e-3);
    EXPECT_EQ(*parse_bound("0.25"), 0.25);
    EXPECT_EQ(*parse_bound(".5"), 0.5);
    EXPECT_EQ(*parse_bound("1e300"), 1e300);
}

TEST(parse_bound, refuses_what_is_no_bound) {
    for (const char* text : {"", "-1", "-0", "nan", "inf", "-inf", "1e400", "1e-400", "1e-3x", " 1", "0x1p3", "1,5"}) {
        const auto parsed = parse_bound(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().code(), errc::invalid_bound);
        EXPECT_NE(parsed.error().context().find("'" + std::string(text) + "'"), std::string::npos);
    }
}

TEST(parse_rate, reads_bytes_and_bits_per_second) {
    EXPECT_EQ(*parse_rate("12.5GB/s"), 12.5e9);
    EXPECT_EQ(*parse_rate("100Gbit/s"), 12.5e9);
    EXPECT_EQ(*parse_rate("1e9B/s"), 1e9);
    EXPECT_EQ(*parse_rate("8bit/s"), 1);
    EXPECT_EQ(*parse_rate("800MiB/s"), 800.0 * 1024 * 1024);
    EXPECT_EQ(*parse_rate("1kB/s"), 1000);
    EXPECT_EQ(*parse_rate("1KB/s"), 1000);
    EXPECT_EQ(*parse_rate("2TB/s"), 2e12);
    EXPECT_EQ(*parse_rate(".5Tibit/s"), 0.5 * 1024 * 1024 * 1024 * 128.0);
}

TEST(parse_rate, refuses_everything_else_and_says_what_to_write) {
    for (const char* text :
         {"", "12.5", "GB/s", "0GB/s", "-1GB/s", "1Gb/s", "1gbps", "1mB/s", "1 GB/s", "1GB", "1GB/S", "1XB/s", "1GGB/s",
          "1GiiB/s", "nanB/s", "infB/s", "1e308TB/s", "1e-320bit/s", "1e999B/s"}) {
        const auto parsed = parse_rate(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_NE(parsed.error().context().find("'" + std::string(text) + "'"), std::string::npos);
        EXPECT_NE(parsed.error().context().find("100Gbit/s"), std::string::npos);
    }
}

TEST(parse_time, reads_seconds_and_parts_of_them) {
    EXPECT_EQ(*parse_time("2s"), 2.0);
    EXPECT_EQ(*parse_time("0us"), 0.0);
    EXPECT_DOUBLE_EQ(*parse_time("1.5us"), 1.5e-6);
    EXPECT_DOUBLE_EQ(*parse_time("30ms"), 0.03);
    EXPECT_DOUBLE_EQ(*parse_time("1e3ns"), 1e-6);
}

TEST(parse_time, refuses_everything_else_and_says_what_to_write) {
    for (const char* text : {"", "1", "us", "-1us", "1 us", "1min", "1uss", "nans", "infs", "1e999s"}) {
        const auto parsed = parse_time(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_NE(parsed.error().context().find("'" + std::string(text) + "'"), std::string::npos);
        EXPECT_NE(parsed.error().context().find("1.5us"), std::string::npos);
    }
}

TEST(human_time, keeps_three_digits) {
    EXPECT_EQ(human_time(0), "0 s");
    EXPECT_EQ(human_time(1.5e-6), "1.50 us");
    EXPECT_EQ(human_time(9.995e-10), "1.00 ns");
    EXPECT_EQ(human_time(999.4e-9), "999 ns");
    EXPECT_EQ(human_time(999.6e-9), "1.00 us");
    EXPECT_EQ(human_time(0.0123), "12.3 ms");
    EXPECT_EQ(human_time(45.6), "45.6 s");
}

TEST(format_real, is_read_back_exactly) {
    for (const double x : {0.1, 1e-3, 1.0 / 3.0, 1e300, std::numeric_limits<double>::denorm_min()})
        EXPECT_EQ(*parse_bound(format_real(x)), x);
}

}  // namespace
}  // namespace laconic::base
