// SPDX-License-Identifier: BSD-3-Clause
// The groups of checks of exchanges; each is collective over MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <array>
#include <span>

#include "laconic/exchange.hpp"

namespace laconic::test {

/// The engines that this MPI has.
[[nodiscard]] inline std::span<const exchange_engine> engines_here() {
    using enum exchange_engine;
#ifdef MPICH_VERSION
    static constexpr std::array all{automatic, shared, batched, per_rank, per_patch, alltoallw, partitioned};
#else
    static constexpr std::array all{automatic, shared, batched, per_rank, per_patch, alltoallw, neighbor};
#endif
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
