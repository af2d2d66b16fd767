// SPDX-License-Identifier: BSD-3-Clause
// Test, a few times back to back, then with a yield in between.
#include "mpi/wait.hpp"

#include <sched.h>

namespace laconic::mpi {

int wait(MPI_Request& request, MPI_Status* done) {
    // Long enough for a message that is nearly there, short against a time slice.
    constexpr int eager_tests = 64;
    for (int tests = 0;; ++tests) {
        int complete = 0;
        if (const int code = MPI_Test(&request, &complete, done); code != MPI_SUCCESS) return code;
        if (complete != 0) return MPI_SUCCESS;
        if (tests >= eager_tests) sched_yield();
    }
}

}  // namespace laconic::mpi
