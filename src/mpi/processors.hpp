// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a node flow in; how many of its processors are this rank's share flows out.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>

namespace laconic::mpi {

/// A bit for every processor that a process may run on.
using processor_set = std::array<std::uint64_t, 64>;

/// Of processors that `mine` may use, the share that is left when ranks that may use the same ones share them evenly;
/// at least 1. `all` contains `mine`.
[[nodiscard]] unsigned share_of(const processor_set& mine, std::span<const processor_set> all) noexcept;

/// Collective over the ranks of a node. returns MPI_SUCCESS, or MPI's code. May throw bad_alloc.
[[nodiscard]] int share_processors(MPI_Comm node, unsigned& processors);

}  // namespace laconic::mpi
