// SPDX-License-Identifier: BSD-3-Clause
// Frames as hostile input: every truncation and every flipped byte gives a status, never an access out of bounds.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

/// What each reader says of a frame that should hold `count` elements of T.
struct verdicts {
    bool inspected, decompressed, added, added_in_place, fused;
    [[nodiscard]] bool none() const { return !inspected && !decompressed && !added && !added_in_place && !fused; }
    [[nodiscard]] bool all() const { return inspected && decompressed && added && added_in_place && fused; }
};

template <class T>
verdicts read_everywhere(const std::vector<std::byte>& frame, std::size_t count) {
    const std::span<const std::byte> bytes(frame);
    verdicts found{};
    found.inspected = inspect(bytes).ok();
    std::vector<T> values(count, T{0.5});
    // Buffers of exactly the documented size: sanitizers see what lies behind them.
    std::vector<std::byte> out(sum_bound(element_type_of<T>::value, count));
    found.fused = add(std::span<const T>(values), bytes, std::span<std::byte>(out)).ok();
    found.added = add(bytes, bytes, std::span<std::byte>(out)).ok();
    if (frame.size() <= out.size()) {
        std::copy(frame.begin(), frame.end(), out.begin());
        found.added_in_place =
            add(std::span<const std::byte>(out).first(frame.size()), bytes, std::span<std::byte>(out)).ok();
    }
    found.decompressed = decompress(bytes, std::span<T>(values)).ok();
    return found;
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
            ASSERT_TRUE(read_everywhere<float>(whole, 2300).all());
            for (std::size_t size = 0; size < whole.size(); ++size) {
                const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
                ASSERT_TRUE(read_everywhere<float>(cut, 2300).none()) << engine << " " << name << " cut to " << size;
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
                    if (whole == &f64)
                        (void)read_everywhere<double>(damaged, 2300);
                    else
                        (void)read_everywhere<float>(damaged, 2300);
                }
            }
        }
    });
}

TEST(frames, with_a_checksum_report_every_flipped_byte) {
    const auto whole = sample<float>("smooth", true);
    ASSERT_TRUE(read_everywhere<float>(whole, 2300).all());
    EXPECT_TRUE(inspect(whole).value().checksummed);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto damaged = whole;
        damaged[at] ^= std::byte{0x10};
        ASSERT_TRUE(read_everywhere<float>(damaged, 2300).none()) << "byte " << at;
    }
}

TEST(frames, are_refused_by_every_reader_alike) {
    on_every_engine([](const std::string& engine) {
        // Header 64, table 3 * 4; three chunks, the last of 904 elements: 29 codes and 3 that are not used.
        const auto plain = compressed(make_field<float>("smooth", 5000), bound::abs(1e-3));
        auto table = plain;
        table[64 + 4] ^= std::byte{1};
        EXPECT_TRUE(read_everywhere<float>(table, 5000).none()) << engine;
        std::uint32_t last = 0;
        std::memcpy(&last, plain.data() + 64 + 8, sizeof last);
        auto unused = plain;
        unused[64 + 12 + std::size_t{last} * 4 + 4 + 14] |= std::byte{0x10};
        EXPECT_TRUE(read_everywhere<float>(unused, 5000).none()) << engine;

        // One mixed block: table entry 4, base 4, codes 4, rate byte and padding 4, planes, flag word.
        std::vector<float> spike(32, 1.0F);
        spike[3] = HUGE_VALF;
        const auto mixed =
            sum_of(compressed(spike, bound::abs(1e-3)), compressed(std::vector<float>(32, 1.0F), bound::abs(1e-3)));
        ASSERT_TRUE(read_everywhere<float>(mixed, 32).all());
        const std::size_t codes = 64 + 4 + 4;
        const std::size_t rates = codes + 4;
        ASSERT_EQ(mixed[codes], std::byte{15});
        const unsigned rate = std::to_integer<unsigned>(mixed[rates]);
        ASSERT_EQ(rate & 0xC0U, 0xC0U);
        auto padding = mixed;
        padding[rates + 1] = std::byte{1};
        EXPECT_TRUE(read_everywhere<float>(padding, 32).none()) << engine;
        const std::size_t flags = rates + 4 + std::size_t{4} * (rate & 0x3FU);
        auto unknown = mixed;
        unknown[flags] |= std::byte{4};
        EXPECT_TRUE(read_everywhere<float>(unknown, 32).none()) << engine;
        const auto held = sum_of(compressed(spike, bound::abs(1e-3)), compressed(spike, bound::abs(1e-3)));
        ASSERT_TRUE(read_everywhere<float>(held, 32).all());
        auto planes = held;
        planes[rates] |= std::byte{1};
        EXPECT_TRUE(read_everywhere<float>(planes, 32).none()) << engine;

        // A rate byte that a code alone could say, and a raw one.
        const auto wide = compressed(std::vector<float>{0.0F, 20.0F}, bound::abs(1e-3));
        ASSERT_EQ(wide[codes], std::byte{15});
        for (const unsigned bad : {13U, 0x80U, 0x81U, 33U}) {
            auto changed = wide;
            changed[rates] = static_cast<std::byte>(bad);
            EXPECT_TRUE(read_everywhere<float>(changed, 2).none()) << engine << " " << bad;
        }
    });
}

TEST(frames, with_more_payload_than_their_count_can_take_are_refused) {
    // One element and a megabyte: an in-place sum must not move that into a buffer sized for one element.
    auto frame = compressed(std::vector<float>{1.0F}, bound::abs(1e-3));
    frame.resize(1 << 20);
    const std::uint64_t payload = frame.size() - 68;
    std::memcpy(frame.data() + 48, &payload, sizeof payload);
    EXPECT_EQ(inspect(frame).error().code(), errc::corrupt);
    std::vector<std::byte> out(sum_bound(element_type::f32, 1));
    const auto ours = compressed(std::vector<float>{1.0F}, bound::abs(1e-3));
    EXPECT_EQ(add(std::span<const std::byte>(frame), std::span<const std::byte>(ours), std::span<std::byte>(out))
                  .error()
                  .code(),
              errc::corrupt);
    std::vector<std::byte> whole = frame;
    EXPECT_EQ(add(std::span<const std::byte>(whole), std::span<const std::byte>(ours), std::span<std::byte>(whole))
                  .error()
                  .code(),
              errc::corrupt);
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
    EXPECT_EQ(code_with(6, 5), errc::unsupported);
    EXPECT_EQ(code_with(7, 4), errc::corrupt);
    // Row lengths below a block or beyond a chunk.
    EXPECT_EQ(code_with(44, 1), errc::corrupt);
    EXPECT_EQ(code_with(44, 31), errc::corrupt);
    EXPECT_EQ(code_with(45, 8), errc::corrupt);
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
