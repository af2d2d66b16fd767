// SPDX-License-Identifier: BSD-3-Clause
// What the times of single calls take while a program is recorded: bytes in use before and after flow in, bounds are
// held against them. Sanitizers have allocators of their own, which tell nothing.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>

#include "trace/timing.hpp"

namespace laconic::trace {
namespace {

std::size_t bytes_in_use() {
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

/// Bytes that a writer takes before the first call, and after so many.
std::pair<std::size_t, std::size_t> bytes_of(timing_mode mode, std::uint64_t calls) {
    const std::size_t before = bytes_in_use();
    const auto writer = std::make_unique<timing_writer>(timing_options{mode, timing_method::position, 0.1});
    const std::size_t empty = bytes_in_use() - before;
    for (std::uint64_t i = 0; i < calls; ++i) writer->add(static_cast<std::uint32_t>(i % 7), 1000 * i, 400 + i % 13);
    return {empty, bytes_in_use() - before};
}

TEST(timing_memory, lossless_takes_its_numbers_and_no_contexts) {
    // A power of two: vectors that double have no spare room then.
    constexpr std::uint64_t calls = 1U << 16;
    const auto [empty, full] = bytes_of(timing_mode::lossless, calls);
    RecordProperty("bytes_empty", static_cast<int>(empty));
    RecordProperty("bytes_full", static_cast<int>(full));
    EXPECT_LT(empty, 4096U);
    EXPECT_LT(full, calls * 17);
}

TEST(timing_memory, lossy_takes_contexts_and_bits) {
    constexpr std::uint64_t calls = 1U << 16;
    const auto [empty, full] = bytes_of(timing_mode::lossy, calls);
    RecordProperty("bytes_empty", static_cast<int>(empty));
    EXPECT_LT(empty, 3'000'000U);
    EXPECT_LT(full - empty, calls * 2);
}

}  // namespace
}  // namespace laconic::trace
