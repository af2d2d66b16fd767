// SPDX-License-Identifier: BSD-3-Clause
// Threads and progress: neither changes a byte.
#include <gtest/gtest.h>

#include <thread>

#include "codec/spans.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

using bytes = std::vector<std::byte>;
constexpr std::size_t long_enough = 3 * codec::span_values + 4321;

struct outcome {
    bytes frame, sum, difference, multiple, least, fused, in_place;
    std::vector<std::uint32_t> values;
    bool operator==(const outcome&) const = default;
};

outcome run_all(const std::vector<float>& x, const std::vector<float>& y, const run_options& run, std::uint64_t row) {
    frame_options options;
    options.max_abs = 100;
    options.row_length = row;
    const auto other = compressed(y, bound::abs(1e-3), options);
    options.run = run;
    outcome found;
    found.frame = compressed(x, bound::abs(1e-3), options);
    const std::span<const std::byte> a(found.frame), b(other);
    const auto result = [&](auto operation) {
        bytes out(sum_bound(element_type::f32, x.size()));
        out.resize(operation(std::span(out)).value());
        return out;
    };
    found.sum = result([&](auto out) { return add(a, b, out, run); });
    found.difference = result([&](auto out) { return subtract(a, b, out, run); });
    found.multiple = result([&](auto out) { return scale(a, -3, out, run); });
    found.least = result([&](auto out) { return minimum(a, b, out, run); });
    found.fused = result([&](auto out) { return add(std::span<const float>(y), a, out, run); });
    found.in_place = result([&](auto out) {
        std::copy(a.begin(), a.end(), out.begin());
        return add(std::span<const std::byte>(out).first(a.size()), b, out, run);
    });
    std::vector<float> values(x.size());
    EXPECT_TRUE(decompress(a, std::span(values), run).ok());
    for (const float v : values) found.values.push_back(pattern(v));
    return found;
}

bool count_call(void* user, const progress_info& now) {
    auto& seen = *static_cast<std::vector<progress_info>*>(user);
    EXPECT_TRUE(seen.empty() || seen.back().values < now.values);
    seen.push_back(now);
    return true;
}

TEST(parallel, threads_and_progress_change_no_byte) {
    for (const char* name : {"smooth", "spikes"}) {
        for (const std::uint64_t row : {0U, 500U}) {
            const auto x = make_field<float>(name, long_enough, 1);
            const auto y = make_field<float>(name, long_enough, 2);
            const auto alone = run_all(x, y, {}, row);
            EXPECT_TRUE(alone.sum == alone.in_place);
            for (const unsigned threads : {1U, 2U, 3U, 200U, 0U}) {
                run_options run;
                run.threads = threads;
                EXPECT_TRUE(run_all(x, y, run, row) == alone) << name << " " << threads << " threads";
                std::vector<progress_info> seen;
                run.progress = count_call;
                run.progress_user = &seen;
                const auto frame = [&] {
                    frame_options options;
                    options.max_abs = 100;
                    options.row_length = row;
                    options.run = run;
                    return compressed(x, bound::abs(1e-3), options);
                }();
                EXPECT_TRUE(frame == alone.frame) << name << " " << threads << " threads and progress";
                ASSERT_FALSE(seen.empty());
                EXPECT_EQ(seen.back().values, x.size());
                EXPECT_EQ(seen.back().total, x.size());
                EXPECT_EQ(seen.size(), threads == 1 ? 4U : seen.size());
            }
        }
    }
}

TEST(parallel, progress_comes_from_the_calling_thread_and_can_stop) {
    const auto x = make_field<float>("smooth", long_enough);
    for (const unsigned threads : {1U, 3U}) {
        struct state {
            std::thread::id caller = std::this_thread::get_id();
            int left = 1;
            bool elsewhere = false;
        } now;
        // Of several threads the calling one may have had but one span.
        if (threads == 1) now.left = 2;
        frame_options options;
        options.run.threads = threads;
        options.run.progress_user = &now;
        options.run.progress = [](void* user, const progress_info&) {
            auto& s = *static_cast<state*>(user);
            s.elsewhere |= std::this_thread::get_id() != s.caller;
            return --s.left > 0;
        };
        bytes out(compress_bound(element_type::f32, x.size()));
        EXPECT_EQ(compress<float>(x, bound::abs(1e-3), out, options).error().code(), errc::cancelled);
        EXPECT_FALSE(now.elsewhere);
        const auto frame = compressed(x, bound::abs(1e-3));
        std::vector<float> y(x.size());
        now.left = 1;
        EXPECT_EQ(decompress(std::span<const std::byte>(frame), std::span(y), options.run).code(), errc::cancelled);
        EXPECT_FALSE(now.elsewhere);
    }
}

TEST(parallel, damaged_tables_are_reported) {
    const auto x = make_field<float>("smooth", long_enough);
    const auto frame = compressed(x, bound::abs(1e-3));
    std::vector<float> y(x.size());
    run_options run;
    run.threads = 3;
    std::mt19937_64 random(9);
    const std::size_t entries = (x.size() + 2047) / 2048;
    for (std::size_t entry = 0; entry < entries; ++entry) {
        auto damaged = frame;
        damaged[64 + 4 * entry + random() % 4] ^= static_cast<std::byte>(1 + random() % 255);
        const status found = decompress(std::span<const std::byte>(damaged), std::span(y), run);
        ASSERT_FALSE(found.ok()) << entry;
        ASSERT_FALSE(decompress(std::span<const std::byte>(damaged), std::span(y)).ok()) << entry;
    }
}

}  // namespace
}  // namespace laconic::testing
