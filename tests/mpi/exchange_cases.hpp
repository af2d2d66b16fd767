// SPDX-License-Identifier: BSD-3-Clause
// The groups of checks of exchanges; each is collective over MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <vector>

#include "laconic/exchange.hpp"

namespace laconic::test {

/// MPICH 4.0, up to the second pre-release of 4.1, mixes up sources and destinations of MPI_Neighbor_alltoallw.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100200
inline constexpr bool neighbor_is_mended = false;
#else
inline constexpr bool neighbor_is_mended = true;
#endif

/// The engines that this MPI has.
[[nodiscard]] inline std::vector<exchange_engine> engines_here() {
    using enum exchange_engine;
    std::vector all{automatic, shared, batched, per_rank, per_patch, alltoallw};
    if (neighbor_is_mended) all.push_back(neighbor);
    if (MPI_VERSION >= 4) all.push_back(partitioned);
    return all;
}

/// Takes pairs of ranks for nodes from now on; false where ranks are on several nodes in truth, or too few.
bool pretend_small_nodes(MPI_Comm comm);

void elements_arrive();
void exchange_arguments_are_checked();
void refused_exchanges_move_nothing();
void exchanges_do_not_allocate();
void missing_memory_is_told_everywhere();
void exchanges_keep_moving();
void compressed_exchanges_keep_their_bound();
void exchanges_work_from_c();
void fields_with_strides_arrive_from_c();
void c_calls_fail_on_all_ranks();

}  // namespace laconic::test
