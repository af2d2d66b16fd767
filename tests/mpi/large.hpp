// SPDX-License-Identifier: BSD-3-Clause
// Arrays of more bytes than an int counts: whether there is memory for them, and what is looked at in them.
#pragma once

#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "run.hpp"

namespace laconic::test {

/// Collectives of more elements than an int counts, on two ranks.
void large_collectives();

inline constexpr std::size_t spare_bytes = std::size_t{1} << 30;

/// The number in the first line of a file that has one in this form; `otherwise` where there is none.
inline std::size_t number_in(const char* file, const char* form, std::size_t otherwise) {
    std::FILE* const about = std::fopen(file, "r");
    std::size_t number = 0;
    bool found = false;
    char line[256];
    while (about != nullptr && !found && std::fgets(line, sizeof line, about) != nullptr)
        found = std::sscanf(line, form, &number) == 1;
    if (about != nullptr) std::fclose(about);
    return found ? number : otherwise;
}

/// Of the machine, and of a container that has less.
inline std::size_t available_bytes() {
    const std::size_t there = number_in("/proc/meminfo", "MemAvailable: %zu", 0) << 10;
    const std::size_t most = number_in("/sys/fs/cgroup/memory.max", "%zu", SIZE_MAX);
    const std::size_t used = number_in("/sys/fs/cgroup/memory.current", "%zu", 0);
    return std::min(there, most > used ? most - used : 0);
}

/// Collective: whether there is so much memory for all ranks together; else says so. "skipped" is what CTest looks for.
[[nodiscard]] inline bool have_memory(std::size_t bytes, const std::string& what, const char* otherwise) {
    const int rank = rank_in(MPI_COMM_WORLD);
    std::size_t available = rank == 0 ? available_bytes() : 0;
    MPI_Bcast(&available, sizeof available, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (available >= bytes + spare_bytes) return true;
    if (rank == 0)
        std::printf("%s: %s needs %zu MB, there are %zu\n", otherwise, what.c_str(), bytes >> 20, available >> 20);
    return false;
}

/// Zero until it is written, and then as much of it as is.
class pages {
public:
    explicit pages(std::size_t bytes) : bytes_(bytes) {
        if (bytes == 0) return;
        void* const got =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        check(got != MAP_FAILED, "memory for an array");
        memory_ = static_cast<std::byte*>(got);
    }
    /// Of 2 MB each, where there are such: all of them are going to be written, and a fault for each 4 KB takes
    /// minutes.
    void fill_soon() const noexcept { madvise(memory_, bytes_, MADV_HUGEPAGE); }
    pages(const pages&) = delete;
    pages& operator=(const pages&) = delete;
    ~pages() {
        if (bytes_ > 0) munmap(memory_, bytes_);
    }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {memory_, bytes_}; }

private:
    std::size_t bytes_;
    std::byte* memory_ = nullptr;
};

/// Where bytes are looked at: all over the array, and around what 31, 32 and fewer bits count.
[[nodiscard]] inline std::vector<std::size_t> places(std::size_t bytes) {
    std::vector<std::size_t> made;
    for (std::size_t at = 0; at < bytes; at += (1 << 20) + 4099) made.push_back(at);
    for (const int bits : {30, 31, 32})
        for (std::size_t at = (std::size_t{1} << bits) - 9; at < (std::size_t{1} << bits) + 9; ++at) made.push_back(at);
    for (std::size_t back = 1; back < 20; ++back) made.push_back(bytes - back);
    std::erase_if(made, [&](std::size_t at) { return at >= bytes; });
    return made;
}

/// Never 0, as memory is at first, and another one in every run: what an earlier run left is not taken for this one's.
[[nodiscard]] inline std::byte value_at(std::size_t at, unsigned run) {
    return static_cast<std::byte>(((at * 0x9e3779b97f4a7c15U >> 57) + run) | 0x80U);
}

}  // namespace laconic::test
