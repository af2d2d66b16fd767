// SPDX-License-Identifier: BSD-3-Clause
// The map from addresses to segments: allocations of all sizes flow in, and what the map says is compared with a plain
// search.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "record/memory_map.hpp"
#include "record/next_allocator.hpp"

namespace laconic::record {

void* next_allocator::resize(void* old, std::size_t bytes) noexcept { return std::realloc(old, bytes); }
void next_allocator::give_back(void* memory) noexcept { std::free(memory); }

namespace {

const char* at(std::uintptr_t address) { return reinterpret_cast<const char*>(address); }

struct segment {
    std::uintptr_t base;
    std::size_t bytes;
};

TEST(memory_map, names_segments_by_first_use_and_reuses_their_ids) {
    auto map = std::make_unique<memory_map>();
    map->allocated(at(0x10000), 100);
    map->allocated(at(0x20000), 100);
    EXPECT_EQ(map->find(at(0x20010), false).segment, 0U);
    EXPECT_EQ(map->find(at(0x20010), false).displacement, 0x10);
    EXPECT_EQ(map->find(at(0x10000), false).segment, 1U);
    map->released(at(0x20000));
    map->allocated(at(0x30000), 8);
    EXPECT_EQ(map->find(at(0x30007), false).segment, 0U);
    EXPECT_EQ(map->find(at(0x30007), false).where, space::heap);
    EXPECT_EQ(map->find(at(0x30008), false).where, space::stack) << "one past the end is no part of it";
}

TEST(memory_map, memory_of_a_device_is_found_within_the_mapping_that_holds_it) {
    auto map = std::make_unique<memory_map>();
    map->allocated(at(0x1000000), 1 << 24);
    map->allocated_by_cuda(0x1400000, 256, space::managed, 0);
    map->allocated_by_cuda(0x7000000000, 512, space::device, 3);
    map->allocated_by_cuda(0x7000000200, 512, space::device, 1);
    const location managed = map->find(at(0x1400010), false);
    EXPECT_EQ(managed.where, space::managed);
    EXPECT_EQ(managed.displacement, 0x10);
    for (int again = 0; again < 2; ++again) {
        const location device = map->find(at(0x7000000210), false);
        EXPECT_EQ(device.where, space::device);
        EXPECT_EQ(device.device, 1) << "asked for the first time, and out of the cache";
        EXPECT_EQ(device.segment, 0U);
    }
    EXPECT_EQ(map->find(at(0x7000000000), false).device, 3);
    map->released(0x1400000);
    EXPECT_EQ(map->find(at(0x1400010), false).where, space::heap);
    map->released(0x7000000200);
    EXPECT_EQ(map->find(at(0x7000000210), false).where, space::stack);
}

TEST(memory_map, a_freed_segment_is_forgotten_though_it_was_just_used) {
    auto map = std::make_unique<memory_map>();
    map->allocated(at(0x10000), 64);
    EXPECT_EQ(map->find(at(0x10020), false).where, space::heap);
    map->released(at(0x10000));
    EXPECT_EQ(map->find(at(0x10020), false).where, space::stack);
}

TEST(memory_map, strays_keep_their_ids) {
    auto map = std::make_unique<memory_map>();
    const location first = map->find(at(0x500000), true), second = map->find(at(0x500008), true);
    EXPECT_EQ(first.segment, 0U);
    EXPECT_EQ(second.segment, 1U);
    EXPECT_EQ(map->find(at(0x500000), true).segment, first.segment);
}

TEST(memory_map, agrees_with_a_plain_search) {
    auto map = std::make_unique<memory_map>();
    std::mt19937_64 random(7);
    std::vector<segment> live;
    std::uintptr_t next = 0x10000000;
    for (int step = 0; step < 20000; ++step) {
        if (live.size() < 300 || random() % 2 == 0) {
            const bool large = random() % 20 == 0;
            const std::size_t bytes = 1 + random() % (large ? 1U << 20 : 60000);
            live.push_back({next, bytes});
            map->allocated(at(next), bytes);
            next += bytes + random() % 300;
        } else {
            const std::size_t victim = random() % live.size();
            map->released(at(live[victim].base));
            live[victim] = live.back();
            live.pop_back();
        }
        const segment& wanted = live[random() % live.size()];
        const std::size_t inside = random() % wanted.bytes;
        const location found = map->find(at(wanted.base + inside), false);
        ASSERT_EQ(found.where, space::heap);
        ASSERT_EQ(found.displacement, static_cast<std::int64_t>(inside));
        ASSERT_LT(found.segment, live.size() + 1) << "ids of freed segments come back";
    }
}

TEST(memory_map, unmapping_forgets_what_begins_in_the_range) {
    auto map = std::make_unique<memory_map>();
    map->allocated(at(0x40000000), 1U << 20);
    map->allocated(at(0x50000000), 1U << 20);
    map->unmapped(at(0x40000000), 1U << 20);
    location found;
    EXPECT_FALSE(map->find_known(0x40000010, found));
    EXPECT_TRUE(map->find_known(0x50000010, found));
    EXPECT_EQ(found.displacement, 0x10);
}

}  // namespace
}  // namespace laconic::record
