// SPDX-License-Identifier: BSD-3-Clause
// Frames as hostile input: every truncation and every flipped byte gives a status, never an access out of bounds.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

/// Decodes as its header says; returns whether all readers agree that the frame is good.
bool readable(const std::vector<std::byte>& frame) {
    const std::span<const std::byte> bytes(frame);
    const auto info = inspect(bytes);
    if (!info) return false;
    if (info->count > 1 << 20) return false;
    status outcome;
    if (info->type == element_type::f32) {
        std::vector<float> y(info->count);
        outcome = decompress(bytes, std::span<float>(y));
    } else {
        std::vector<double> y(info->count);
        outcome = decompress(bytes, std::span<double>(y));
    }
    std::vector<std::byte> out(sum_bound(info->type, info->count));
    const auto sum = add(bytes, bytes, std::span<std::byte>(out));
    if (info->type == element_type::f32) {
        const std::vector<float> x(info->count, 0.5F);
        (void)add(std::span<const float>(x), bytes, std::span<std::byte>(out)).ok();
    }
    return outcome.ok() && sum.ok();
}

template <class T>
std::vector<std::byte> sample(const char* name, bool checksum) {
    frame_options options;
    options.checksum = checksum;
    return compressed(make_field<T>(name, 2300), bound::abs(1e-3), options);
}

TEST(frames, report_every_truncation) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : {"smooth", "special", "minus_0"}) {
            const auto whole = sample<float>(name, false);
            ASSERT_TRUE(readable(whole));
            for (std::size_t size = 0; size < whole.size(); ++size) {
                // A copy of exactly this size: sanitizers see what lies behind it.
                const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
                ASSERT_FALSE(readable(cut)) << engine << " " << name << " cut to " << size;
            }
        }
    });
}

TEST(frames, survive_flipped_bytes) {
    std::mt19937_64 random(7);
    on_every_engine([&](const std::string&) {
        for (const char* name : {"smooth", "special", "minus_0"}) {
            const auto f32 = sample<float>(name, false);
            const auto f64 = sample<double>(name, false);
            const auto sum = sum_of(f32, f32);
            for (const auto* whole : {&f32, &f64, &sum}) {
                for (int round = 0; round < 1500; ++round) {
                    auto damaged = *whole;
                    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
                        damaged[random() % (round % 2 == 0 ? 512 : damaged.size())] = static_cast<std::byte>(random());
                    (void)readable(damaged);
                }
            }
        }
    });
}

TEST(frames, with_a_checksum_report_every_flipped_byte) {
    const auto whole = sample<float>("smooth", true);
    ASSERT_TRUE(readable(whole));
    EXPECT_TRUE(inspect(whole).value().checksummed);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto damaged = whole;
        damaged[at] ^= std::byte{0x10};
        ASSERT_FALSE(readable(damaged)) << "byte " << at;
    }
}

TEST(frames, reject_a_wrong_chunk_table) {
    auto frame = compressed(make_field<float>("smooth", 5000), bound::abs(1e-3));
    frame[64 + 4] ^= std::byte{1};
    std::vector<float> y(5000);
    EXPECT_EQ(decompress(std::span<const std::byte>(frame), std::span<float>(y)).code(), errc::corrupt);
    EXPECT_EQ(inspect(frame).error().code(), errc::corrupt);
}

TEST(frames, reject_set_reserved_bits_and_unknown_numbers) {
    const auto whole = sample<float>("smooth", false);
    const auto code_with = [&](std::size_t at, int value) {
        auto changed = whole;
        changed[at] = static_cast<std::byte>(value);
        return inspect(changed).error().code();
    };
    EXPECT_EQ(code_with(0, 'x'), errc::corrupt);
    EXPECT_EQ(code_with(4, 2), errc::unsupported);
    EXPECT_EQ(code_with(5, 9), errc::unsupported);
    EXPECT_EQ(code_with(6, 3), errc::unsupported);
    EXPECT_EQ(code_with(7, 4), errc::corrupt);
    EXPECT_EQ(code_with(44, 1), errc::corrupt);
}

TEST(frames, name_the_mismatch) {
    const auto frame = sample<float>("smooth", false);
    std::vector<float> few(10);
    std::vector<double> wrong(2300);
    const status count = decompress(std::span<const std::byte>(frame), std::span<float>(few));
    EXPECT_EQ(count.code(), errc::mismatch);
    EXPECT_NE(count.message().find("2300"), std::string::npos) << count.message();
    EXPECT_NE(count.message().find("10"), std::string::npos) << count.message();
    EXPECT_EQ(decompress(std::span<const std::byte>(frame), std::span<double>(wrong)).code(), errc::mismatch);
}

TEST(frames, describe_themselves) {
    const auto x = make_field<double>("special", 5000);
    const auto info = inspect(compressed(x, bound::abs(1e-3))).value();
    EXPECT_EQ(info.type, element_type::f64);
    EXPECT_EQ(info.count, 5000U);
    EXPECT_EQ(info.blocks, (5000U + 31) / 32);
    EXPECT_EQ(info.bound, 1e-3);
    EXPECT_EQ(info.contributions, 1U);
    std::uint64_t raw = 0;
    for (std::size_t first = 0; first < x.size(); first += 32) {
        bool finite = true;
        for (std::size_t i = first; i < std::min(first + 32, x.size()); ++i)
            finite &= std::isfinite(x[i]) && std::abs(x[i]) < 1e300;
        raw += !finite;
    }
    EXPECT_EQ(info.raw_blocks, raw);
}

}  // namespace
}  // namespace laconic::testing
