// SPDX-License-Identifier: BSD-3-Clause
// A test listener for programs of several ranks: conditions flow in on every rank, one verdict for all flows out.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace laconic::test {

/// Sanitizers take ten times the time: what they would find elsewhere, too, is left to other builds.
#if defined(LACONIC_SANITIZED)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// Remembers a failure of this rank; the first few are printed with the rank.
void check(bool ok, const std::string& what);

/// Collective over MPI_COMM_WORLD: the failures of all ranks since the start.
[[nodiscard]] std::uint64_t failures_of_all_ranks();

/// Collective: a failure unless the bytes are the same on all ranks of comm.
void check_same_bytes(std::span<const std::byte> bytes, MPI_Comm comm, const std::string& what);

[[nodiscard]] std::uint64_t hash(std::span<const std::byte> bytes) noexcept;

}  // namespace laconic::test
