// SPDX-License-Identifier: BSD-3-Clause
// A collective as C calls it: MPI's arguments and an options struct flow in, something to run flows out. What laconic
// compresses becomes a collective_call, everything else MPI's own function.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "collective/execution.hpp"
#include "laconic/collective_options.hpp"
// Behind mpi.h, without which it shows no collectives.
#include "laconic/laconic.h"

namespace laconic::collective {

/// A buffer with its count, or counts and displacements, as MPI has them: in_place and insignificant ones included.
struct c_side {
    const void* data = nullptr;
    std::size_t count = 0;
    const std::size_t* counts = nullptr;
    const std::size_t* displacements = nullptr;
};

/// MPI's arguments. Reductions have their count, or counts, in `out`, and so has bcast its buffer.
struct c_call {
    operation op = operation::allreduce;
    bool varying = false;  ///< the v forms, and reduce_scatter
    c_side in, out;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op combine = MPI_OP_NULL;
    int root = 0;
    MPI_Comm comm = MPI_COMM_NULL;
};

/// Blocking, from beginning to end. Of calls like an earlier one those that laconic compresses allocate
/// nothing, but for names of more than 15 characters.
/// options   null: from the environment; of those of a call that is passed on `check` alone is looked at
[[nodiscard]] result<collective_report> run(const c_call& call, const laconic_collective_options* options);

/// For a call that this rank cannot make: tells the others, where they listen, and returns what all ranks return then;
/// else `why`, or what else is wrong with the call.
/// blocking  whether the call would have been
[[nodiscard]] result<collective_report> refuse(const c_call& call, const laconic_collective_options* options,
                                               status why, bool blocking);

/// options   as of run()
/// kept      takes copies of counts and displacements, which the task refers to
/// returns   the task; or, on this rank alone, why there is none. What is wrong with arguments of a call that laconic
///           compresses is a task, too: its outcome says so on all ranks.
[[nodiscard]] result<task> make_task(const c_call& call, const laconic_collective_options* options,
                                     std::vector<std::size_t>& kept);

}  // namespace laconic::collective
