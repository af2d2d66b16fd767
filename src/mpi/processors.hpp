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

struct processor_share {
    unsigned processors = 1;   ///< whole ones, at least 1
    bool takes_turns = false;  ///< less than one processor: ranks that wait for each other also wait for that
};

/// Of processors that `mine` may use, what is left when ranks that may use the same ones share them evenly. `all`
/// contains `mine`.
[[nodiscard]] processor_share share_of(const processor_set& mine, std::span<const processor_set> all) noexcept;

/// Collective over the ranks of a node.
/// masks    memory for one of each of them
/// returns  MPI_SUCCESS, or MPI's code
[[nodiscard]] int share_processors(MPI_Comm node, std::span<processor_set> masks, processor_share& share) noexcept;

}  // namespace laconic::mpi
