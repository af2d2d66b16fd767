// SPDX-License-Identifier: BSD-3-Clause
// Counting and printing failures.
#include "check.hpp"

#include <array>
#include <cstdio>

namespace laconic::test {
namespace {

std::uint64_t failures = 0;

}  // namespace

void check(bool ok, const std::string& what) {
    if (ok) return;
    constexpr std::uint64_t most_printed = 3;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (++failures <= most_printed) {
        std::printf("FAILED on rank %d: %s\n", rank, what.c_str());
        std::fflush(stdout);
    }
}

std::uint64_t failures_of_all_ranks() {
    std::uint64_t all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

std::uint64_t hash(std::span<const std::byte> bytes) noexcept {
    std::uint64_t h = 0xcbf29ce484222325U;  // FNV-1a
    for (const std::byte b : bytes) h = (h ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3U;
    return h;
}

void check_same_bytes(std::span<const std::byte> bytes, MPI_Comm comm, const std::string& what) {
    const std::uint64_t mine = hash(bytes);
    const std::array<std::uint64_t, 2> both{mine, ~mine};
    std::array<std::uint64_t, 2> largest{};
    MPI_Allreduce(both.data(), largest.data(), 2, MPI_UINT64_T, MPI_MAX, comm);
    check(largest[0] == ~largest[1], what + ": the ranks hold different bits");
}

}  // namespace laconic::test
