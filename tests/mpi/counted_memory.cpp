// SPDX-License-Identifier: BSD-3-Clause
// The program's own operator new, which counts, and fails when it is told to.
#include "counted_memory.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0};
std::atomic<std::int64_t> live{0}, bytes_live{0}, peak{0};
std::atomic<std::int64_t> left{INT64_MAX};  // requests until one fails
std::atomic<bool> all_fail{false}, has_failed{false};

bool refused() noexcept {
    if (left.load(std::memory_order_relaxed) == INT64_MAX) return false;
    const std::int64_t before = left.fetch_sub(1, std::memory_order_relaxed);
    const bool fails = before == 0 || (before < 0 && all_fail);
    if (fails) has_failed = true;
    return fails;
}

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
    if (refused()) return nullptr;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
    if (memory == nullptr) return nullptr;
    live.fetch_add(1, std::memory_order_relaxed);
    const auto got = static_cast<std::int64_t>(malloc_usable_size(memory));
    const std::int64_t now = bytes_live.fetch_add(got, std::memory_order_relaxed) + got;
    std::int64_t most = peak.load(std::memory_order_relaxed);
    while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
    return memory;
}
void* counted_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = counted(bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void give_back(void* memory) noexcept {
    if (memory == nullptr) return;
    live.fetch_sub(1, std::memory_order_relaxed);
    bytes_live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
    std::free(memory);
}

}  // namespace

// Stand in for those of the library, in the whole program.
void* operator new(std::size_t bytes) { return counted_or_throw(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t a) { return counted_or_throw(bytes, std::size_t(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted(bytes, std::size_t(a));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

namespace laconic::test {

std::uint64_t allocations() noexcept { return count.load(); }
std::int64_t live_blocks() noexcept { return live.load(); }
std::int64_t live_bytes() noexcept { return bytes_live.load(); }
std::int64_t peak_bytes() noexcept { return peak.load(); }
void watch_peak() noexcept { peak = bytes_live.load(); }

void fail_one_after(std::int64_t granted) noexcept {
    has_failed = all_fail = false;
    left = granted;
}
void fail_all_after(std::int64_t granted) noexcept {
    fail_one_after(granted);
    all_fail = true;
}
bool grant_all() noexcept {
    left = INT64_MAX;
    return has_failed;
}

}  // namespace laconic::test
