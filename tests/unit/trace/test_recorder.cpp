// SPDX-License-Identifier: BSD-3-Clause
// Recording with files and times: what a crash leaves is readable, memory is bounded, times come back as exactly as was
// promised.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dice.hpp"
#include "laconic/trace.hpp"
#include "programs.hpp"
#include "trace/container.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"

namespace laconic::trace {
namespace {

class recorder_test : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/laconic-trace-XXXXXX";
        ASSERT_NE(::mkdtemp(name), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::filesystem::path folder_;
};

void expect_calls(const trace_file& file, std::uint32_t rank, const calls& expected) {
    auto at = file.calls_of(rank);
    ASSERT_TRUE(at.ok()) << at.error().message();
    ASSERT_EQ(at->count(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_FALSE(at->at_end()) << i;
        const auto call = at->next();
        ASSERT_TRUE(call.ok()) << call.error().message();
        ASSERT_TRUE(std::equal(call->signature.begin(), call->signature.end(), expected[i].begin(), expected[i].end()))
            << "rank " << rank << ", call " << i;
    }
    ASSERT_TRUE(at->at_end());
}

std::unique_ptr<recorder> made(recorder_options options) {
    auto one = recorder::make(std::move(options));
    EXPECT_TRUE(one.ok()) << one.error().message();
    return one ? std::move(*one) : nullptr;
}

TEST_F(recorder_test, what_was_recorded_is_readable_at_any_moment) {
    const std::vector<calls> of{stencil(0, {2, 2}, false, 300), stencil(1, {2, 2}, false, 300)};
    std::vector<std::unique_ptr<recorder>> running;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        recorder_options options;
        options.rank = rank;
        options.ranks = 4;
        options.part_path = path("rank-0000" + std::to_string(rank));
        running.push_back(made(options));
        ASSERT_NE(running.back(), nullptr);
    }
    std::size_t written = 0;
    for (const std::size_t until : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{500}, of[0].size()}) {
        for (; written < until; ++written)
            for (std::size_t rank = 0; rank < 2; ++rank) running[rank]->call(of[rank][written], 0, 100);
        // As after SIGKILL: nobody closes anything.
        const auto file = trace_file::open(folder_.string());
        ASSERT_TRUE(file.ok()) << file.error().message();
        EXPECT_FALSE(file->facts().complete);
        EXPECT_EQ(file->facts().ranks, 4U);
        EXPECT_EQ(file->facts().ranks_there, 2U);
        EXPECT_EQ(file->facts().calls, 2 * until);
        for (std::uint32_t rank = 0; rank < 2; ++rank)
            expect_calls(*file, rank, calls(of[rank].begin(), of[rank].begin() + static_cast<std::ptrdiff_t>(until)));
    }
    running[0]->remove_parts();
    running[1]->remove_parts();
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(recorder_test, a_small_memory_bound_is_kept_by_parts) {
    recorder_options options;
    options.ranks = 3;
    options.rank = 2;
    options.memory_bytes = std::size_t{1} << 20;
    options.timing.mode = timing_mode::lossless;
    options.part_path = path("rank-00002");
    const auto one = made(options);
    ASSERT_NE(one, nullptr);
    dice random(1);
    calls all;
    for (int i = 0; i < 60000; ++i) {
        all.push_back(written_call(2, f_send).number(i % 3 == 0 ? static_cast<int>(random(1U << 30)) : 7).rank(1));
        one->call(all.back(), 1000 * static_cast<std::uint64_t>(i), 10 + random(50));
        ASSERT_LE(one->bytes_used(), std::size_t{3} << 19);
    }
    ASSERT_TRUE(one->state().ok()) << one->state().message();
    std::size_t parts = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) parts += each.path().extension() == ".part";
    EXPECT_GE(parts, 3U);
    const auto crashed = trace_file::open(folder_.string());
    ASSERT_TRUE(crashed.ok()) << crashed.error().message();
    expect_calls(*crashed, 2, all);

    const auto done = one->finish();
    ASSERT_TRUE(done.ok()) << done.error().message();
    auto file = file_of(done->core, {{"program", "./app"}});
    ASSERT_TRUE(file.ok());
    put_bytes(*file, timing_section(2, done->timing));
    put_bytes(*file, end_section());
    const auto whole = trace_file::parse(*file);
    ASSERT_TRUE(whole.ok()) << whole.error().message();
    EXPECT_TRUE(whole->facts().complete);
    EXPECT_EQ(whole->facts().texts.at(0).second, "./app");
    EXPECT_EQ(whole->facts().timing, "lossless");
    expect_calls(*whole, 2, all);
}

TEST_F(recorder_test, statistics_of_all_ranks_add_up) {
    bytes parts[2];
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        recorder_options options;
        options.rank = rank;
        options.ranks = 2;
        const auto one = made(options);
        for (const bytes& each : root_fan(static_cast<int>(rank), 2, 10)) one->call(each, 0, rank == 0 ? 3 : 900);
        parts[rank] = one->finish().value().core;
    }
    const auto core = merge(parts[0], parts[1]);
    ASSERT_TRUE(core.ok());
    const auto file = trace_file::parse(file_of(*core, {}).value());
    ASSERT_TRUE(file.ok()) << file.error().message();
    EXPECT_EQ(file->facts().timing, "mean");
    std::uint64_t sum = 0;
    for (const function_summary& each : file->functions()) {
        EXPECT_EQ(each.durations.count, each.calls) << each.function;
        sum += each.durations.sum_ns;
        if (each.function != f_init) continue;
        EXPECT_EQ(each.durations.min_ns, 3U);
        EXPECT_EQ(each.durations.max_ns, 900U);
        EXPECT_EQ(each.durations.histogram.at(2), 1U);   // 2 to 3 ns
        EXPECT_EQ(each.durations.histogram.at(10), 1U);  // 512 to 1023 ns
    }
    EXPECT_EQ(sum, 14U * 3 + 14U * 900);
}

struct method_case {
    timing_mode mode;
    timing_method method;
};

std::string text_of(const method_case& of) {
    return of.mode == timing_mode::lossless ? "lossless" : std::string(name_of(of.method));
}

/// What tests print, and their list.
void PrintTo(const method_case& of, std::ostream* out) { *out << text_of(of); }

class timing_test : public testing::TestWithParam<method_case> {};

TEST_P(timing_test, times_come_back_within_the_error) {
    for (const double relative : {0.001, 0.1, 0.5}) {
        timing_options options{GetParam().mode, GetParam().method, relative};
        const status possible = options.check();
        if (possible.code() == errc::unsupported) GTEST_SKIP() << possible.message();
        timing_writer to(options);
        dice random(21);
        struct one_call {
            bytes signature;
            std::uint64_t start, duration, gap;
        };
        std::vector<one_call> all;
        std::uint64_t now = 123456789;
        std::uint64_t end = now;
        signature_table table;
        for (int i = 0; i < 4000; ++i) {
            if (i == 2500) {
                to.begin_part();
                table = signature_table();
            }
            one_call call;
            call.signature = written_call(0, 1 + static_cast<unsigned>(i % 5)).number(i % 7 == 0 ? i : 0);
            const std::uint64_t usual = 1000U << (i % 5);
            call.duration = random(40) == 0 ? random(1U << 30) : random(20) == 0 ? random(12) : usual + random(300);
            call.gap = i == 0 ? 0 : random(30) == 0 ? 0 : 500 + random(100) + (random(50) == 0 ? 1U << 25 : 0);
            call.start = end + call.gap;
            end = call.start + call.duration;
            to.add(table.number_of(call.signature), call.start, call.duration);
            all.push_back(std::move(call));
        }
        const auto block = to.finish();
        ASSERT_TRUE(block.ok()) << block.error().message();
        auto from = timing_reader::open(*block);
        ASSERT_TRUE(from.ok()) << from.error().message();
        ASSERT_EQ(from->calls(), all.size());
        std::uint64_t last_end = 0;
        // libzfp knows absolute errors only.
        const bool bounded =
            GetParam().method != timing_method::zfp && GetParam().method != timing_method::zfp_clustered;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto time = from->next(all[i].signature);
            ASSERT_TRUE(time.ok()) << time.error().message();
            if (GetParam().mode == timing_mode::lossless) {
                ASSERT_EQ(time->duration_ns, all[i].duration);
                ASSERT_EQ(time->start_ns, all[i].start);
                continue;
            }
            const auto off = [](std::uint64_t a, std::uint64_t b) {
                return static_cast<double>(a > b ? a - b : b - a);
            };
            if (bounded) {
                ASSERT_LE(off(time->duration_ns, all[i].duration),
                          relative * static_cast<double>(all[i].duration) * (1 + 1e-12))
                    << i;
                if (i > 0) {
                    ASSERT_LE(off(time->start_ns - last_end, all[i].gap),
                              relative * static_cast<double>(all[i].gap) * (1 + 1e-12))
                        << i;
                }
            }
            last_end = time->start_ns + time->duration_ns;
        }
        EXPECT_EQ(from->next(all[0].signature).error().code(), errc::corrupt);
        for (std::size_t cut = 0; cut < block->size(); cut += 1 + block->size() / 50) {
            auto damaged = timing_reader::open(view(*block).first(cut));
            EXPECT_FALSE(damaged.ok()) << cut;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(methods, timing_test,
                         testing::Values(method_case{timing_mode::lossless, timing_method::position},
                                         method_case{timing_mode::lossy, timing_method::position},
                                         method_case{timing_mode::lossy, timing_method::cfg},
                                         method_case{timing_mode::lossy, timing_method::hist},
                                         method_case{timing_mode::lossy, timing_method::sz},
                                         method_case{timing_mode::lossy, timing_method::zfp},
                                         method_case{timing_mode::lossy, timing_method::sz_clustered},
                                         method_case{timing_mode::lossy, timing_method::zfp_clustered}),
                         [](const auto& of) { return text_of(of.param); });

TEST(trace_difference, says_where_traces_part) {
    const auto file = [](int iterations, int tag) {
        bytes parts[2];
        for (int me = 0; me < 2; ++me) {
            program p(me, 2);
            for (int i = 0; i < iterations; ++i) me == 0 ? p.send(1, i == 5 ? tag : 3, 2) : p.receive(0, 3, 2);
            recorder_options options;
            options.rank = static_cast<std::uint32_t>(me);
            options.ranks = 2;
            const auto one = made(options);
            for (const bytes& each : p.end()) one->call(each, 0, static_cast<std::uint64_t>(tag));
            parts[me] = one->finish().value().core;
        }
        return trace_file::parse(file_of(merge(parts[0], parts[1]).value(), {}).value()).value();
    };
    EXPECT_TRUE(difference(file(9, 3), file(9, 3)).value().equal);
    const auto other_tag = difference(file(9, 3), file(9, 4)).value();
    EXPECT_FALSE(other_tag.equal);
    EXPECT_EQ(other_tag.rank, 0U);
    EXPECT_EQ(other_tag.call, 3U + 5U);
    EXPECT_EQ(difference(file(9, 3), file(10, 3)).value().call, 3U + 9U);
}

TEST(container, notices_every_damaged_byte) {
    recorder_options options;
    const auto one = made(options);
    for (const bytes& each : root_fan(0, 1, 3)) one->call(each, 0, 5);
    bytes whole = file_of(one->finish().value().core, {{"a", "b"}}).value();
    put_bytes(whole, end_section());
    ASSERT_TRUE(trace_file::parse(whole).ok());
    for (std::size_t at = 0; at < whole.size(); ++at) {
        bytes bad = whole;
        bad[at] ^= std::byte{0x10};
        // A section that claims to be longer than the file looks like one that was cut short, and is said to be.
        const auto read = trace_file::parse(bad);
        EXPECT_TRUE(!read.ok() || !read->facts().complete) << at;
    }
    const auto version = [&](unsigned number) {
        bytes other = whole;
        other[4] = static_cast<std::byte>(number);
        return trace_file::parse(other).error().code();
    };
    EXPECT_EQ(version(2), errc::unsupported);
    EXPECT_EQ(trace_file::parse(view(whole).first(20)).error().code(), errc::truncated);
}

}  // namespace
}  // namespace laconic::trace
