// SPDX-License-Identifier: BSD-3-Clause
// Times of calibration: a round flows in, seconds of the slowest rank flow out, the same on all ranks.
#pragma once

#include <mpi.h>

#include <algorithm>

namespace laconic::cli {

/// Collective.
[[nodiscard]] inline double slowest_of(MPI_Comm comm, double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return std::max(all, 1e-9);
}

/// Collective; the ranks begin the round together.
template <class Round>
[[nodiscard]] double time_together(MPI_Comm comm, const Round& round) {
    MPI_Barrier(comm);
    const double begun = MPI_Wtime();
    round();
    return slowest_of(comm, MPI_Wtime() - begun);
}

}  // namespace laconic::cli
