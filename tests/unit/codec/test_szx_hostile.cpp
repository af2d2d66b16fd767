// SPDX-License-Identifier: BSD-3-Clause
// The codec szx against damaged and malicious payloads, and what it tells its caller on the way.
#include "szx_payloads.hpp"

namespace laconic::testing {
namespace {

template <class T>
class szx_hostile : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(szx_hostile, types);

/// Decodes a payload in memory of exactly its size, into values of exactly their count; returns the code.
template <class T>
errc attempt(const std::vector<std::byte>& payload, std::size_t count) {
    const std::vector<std::byte> tight(payload);
    std::vector<T> y(count);
    const auto got = szx_decode<T>(std::span<const std::byte>(tight), std::span<T>(y));
    const errc code = got.error().code();
    EXPECT_TRUE(code == errc::ok || code == errc::truncated || code == errc::corrupt) << got.error().message();
    return code;
}

TYPED_TEST(szx_hostile, refuses_every_truncation_and_every_extension) {
    on_every_engine([](const std::string& engine) {
        for (const std::size_t n : {1U, 40U, 5200U}) {
            auto payload = encoded(make_field<TypeParam>("special", n), 1e-3).payload;
            payload.push_back(std::byte{0});
            EXPECT_NE(attempt<TypeParam>(payload, n), errc::ok) << engine;
            payload.pop_back();
            EXPECT_EQ(attempt<TypeParam>(payload, n), errc::ok) << engine;
            for (std::size_t step = 1; !payload.empty(); step = payload.size() > 800 ? 97 : 1) {
                payload.resize(payload.size() - std::min(step, payload.size()));
                ASSERT_EQ(attempt<TypeParam>(payload, n), errc::truncated) << engine << " " << payload.size();
            }
        }
    });
}

TYPED_TEST(szx_hostile, survives_every_flipped_byte_and_noise) {
    std::mt19937_64 random(3);
    on_every_engine([&](const std::string& engine) {
        std::size_t refused = 0;
        for (const char* name : {"special", "minus_0", "steps", "smooth", "any_bits"}) {
            const std::size_t n = 5120 + 75;
            const auto sound = encoded(make_field<TypeParam>(name, n), 1e-3).payload;
            for (int round = 0; round < 300; ++round) {
                auto payload = sound;
                for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
                    // Half of them into tables and heads, where they do most harm.
                    const std::size_t range =
                        round % 2 == 0 ? std::min<std::size_t>(payload.size(), 180) : payload.size();
                    payload[random() % range] ^= static_cast<std::byte>(1 + random() % 255);
                }
                refused += attempt<TypeParam>(payload, n) != errc::ok;
            }
        }
        EXPECT_GT(refused, 400U) << engine;
        for (int round = 0; round < 500; ++round) {
            // One chunk with a true table entry and arbitrary heads and blocks.
            const std::size_t n = 1 + random() % 400;
            std::vector<std::byte> payload(4 + sizeof(TypeParam) + n / 32 + 1 + random() % (n * sizeof(TypeParam)));
            for (std::byte& b : payload) b = static_cast<std::byte>(random());
            const auto size = static_cast<std::uint32_t>(payload.size() - 4);
            std::memcpy(payload.data(), &size, 4);
            const TypeParam step = TypeParam(0.25);
            std::memcpy(payload.data() + 4, &step, sizeof step);
            attempt<TypeParam>(payload, n);
        }
    });
}

TYPED_TEST(szx_hostile, refuses_what_the_page_forbids) {
    // One block: table, step, head, mid-range and planes.
    const auto x = make_field<TypeParam>("noise", 32);
    const auto sound = encoded(x, 1e-3).payload;
    const std::size_t head = 4 + sizeof(TypeParam);
    const auto with = [&](std::size_t at, unsigned value) {
        auto payload = sound;
        payload[at] = static_cast<std::byte>(value);
        return attempt<TypeParam>(payload, x.size());
    };
    ASSERT_EQ(with(head, std::to_integer<unsigned>(sound[head])), errc::ok);
    on_every_engine([&](const std::string& engine) {
        EXPECT_EQ(with(head, 0xE0), errc::corrupt) << engine;  // an escape that has no meaning
        EXPECT_EQ(with(head, 31), errc::corrupt) << engine;    // a width that no writer uses
        EXPECT_NE(with(0, 1), errc::ok) << engine;             // a chunk that cannot be so small
        EXPECT_NE(with(3, 0xFF), errc::ok) << engine;          // nor so large
        // A table entry that the payload could satisfy, but no chunk of 32 values.
        for (const std::size_t size : {sizeof(TypeParam), sound.size() + 100000}) {
            auto payload = sound;
            payload.resize(4 + size);
            const auto entry = static_cast<std::uint32_t>(size);
            std::memcpy(payload.data(), &entry, 4);
            EXPECT_EQ(attempt<TypeParam>(payload, x.size()), errc::corrupt) << engine << " " << size;
        }
        for (const double step : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
            auto payload = sound;
            const auto bad = static_cast<TypeParam>(step);
            std::memcpy(payload.data() + 4, &bad, sizeof bad);
            EXPECT_EQ(attempt<TypeParam>(payload, x.size()), errc::corrupt) << engine << " " << step;
        }
    });
}

TYPED_TEST(szx_hostile, refuses_blocks_that_end_elsewhere_and_widths_that_no_writer_uses) {
    const auto code_of = [](unsigned head, std::size_t planes_bytes) {
        std::vector<std::byte> payload(4 + sizeof(TypeParam) + 1 + planes_bytes);
        const auto size = static_cast<std::uint32_t>(payload.size() - 4);
        const TypeParam step = 1;
        std::memcpy(payload.data(), &size, 4);
        std::memcpy(payload.data() + 4, &step, sizeof step);
        payload[4 + sizeof step] = static_cast<std::byte>(head);
        return attempt<TypeParam>(payload, 32);
    };
    on_every_engine([&](const std::string& engine) {
        EXPECT_EQ(code_of(30, 120), errc::ok) << engine;
        EXPECT_EQ(code_of(30, 119), errc::corrupt) << engine;
        EXPECT_EQ(code_of(30, 121), errc::corrupt) << engine;
        EXPECT_EQ(code_of(31, 124), errc::corrupt) << engine;
    });
}

struct watcher {
    std::vector<std::array<std::uint64_t, 3>> calls;
    std::size_t stop_after = SIZE_MAX;
    static bool call(void* context, std::uint64_t done, std::uint64_t all, std::uint64_t bytes) {
        auto& self = *static_cast<watcher*>(context);
        self.calls.push_back({done, all, bytes});
        return self.calls.size() < self.stop_after;
    }
};

TYPED_TEST(szx_hostile, tells_progress_between_chunks_and_stops_when_told) {
    const std::size_t n = 3 * 5120 + 1;
    const auto x = make_field<TypeParam>("smooth", n);
    const auto sent = encoded(x, 1e-3);
    std::vector<std::byte> out(szx_bound(element_type_of<TypeParam>::value, n));
    std::vector<TypeParam> y(n);
    std::uint32_t sizes[4];
    std::memcpy(sizes, sent.payload.data(), sizeof sizes);
    std::vector<std::array<std::uint64_t, 3>> expected;
    std::uint64_t bytes = sizeof sizes;
    for (std::uint64_t chunk = 0; chunk < 3; ++chunk)
        expected.push_back({5120 * (chunk + 1), n, bytes += sizes[chunk]});

    watcher coding;
    EXPECT_FALSE(szx_encode<TypeParam>(x, 1e-3, out, {watcher::call, &coding})->cancelled);
    EXPECT_EQ(coding.calls, expected);
    watcher decoding;
    EXPECT_FALSE(szx_decode<TypeParam>(sent.payload, y, {watcher::call, &decoding})->cancelled);
    EXPECT_EQ(decoding.calls, expected);

    for (const std::size_t stop : {1U, 2U, 3U}) {
        watcher coding_stopped{{}, stop};
        const auto stopped = szx_encode<TypeParam>(x, 1e-3, out, {watcher::call, &coding_stopped});
        EXPECT_TRUE(stopped->cancelled);
        EXPECT_EQ(stopped->bytes, expected[stop - 1][2]);
        EXPECT_EQ(coding_stopped.calls.size(), stop);
        watcher decoding_stopped{{}, stop};
        EXPECT_TRUE(szx_decode<TypeParam>(sent.payload, y, {watcher::call, &decoding_stopped})->cancelled);
        EXPECT_EQ(decoding_stopped.calls.size(), stop);
    }
}

}  // namespace
}  // namespace laconic::testing
