// SPDX-License-Identifier: BSD-3-Clause
// What readers find while a writer changes it: the value of the key that they asked for, or nothing.
#include "mpi/recent_pair.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace laconic::mpi {
namespace {

TEST(recent_pair, finds_what_was_kept_last) {
    recent_pair<int, const char*> recent;
    EXPECT_EQ(recent.find(3), nullptr);
    const char* const three = "three";
    recent.keep(3, three);
    EXPECT_EQ(recent.find(3), three);
    EXPECT_TRUE(recent.holds(three));
    EXPECT_EQ(recent.find(4), nullptr);
    recent.keep(4, "four");
    EXPECT_EQ(recent.find(3), nullptr);
    recent.forget();
    EXPECT_EQ(recent.find(4), nullptr);
}

TEST(recent_pair, parallel_readers_never_find_the_value_of_another_key) {
    constexpr std::uint64_t keys = 5, rounds = 200'000, enough = 1000;
    recent_pair<std::uint64_t, std::uint64_t> recent;
    std::atomic<bool> ends = false;
    std::atomic<std::uint64_t> wrong = 0, found = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&] {
            while (!ends)
                for (std::uint64_t key = 1; key <= keys; ++key) {
                    const std::uint64_t value = recent.find(key);
                    if (value == 0) continue;
                    ++found;
                    if (value % keys != key % keys) ++wrong;
                }
        });
    // Until readers have found some of it meanwhile; on one processor they do between the writer's slices.
    for (std::uint64_t i = 1; i <= rounds || found < enough; ++i) recent.keep(1 + (i - 1) % keys, i);
    ends = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace laconic::mpi
