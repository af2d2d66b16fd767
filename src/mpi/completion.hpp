// SPDX-License-Identifier: BSD-3-Clause
// A request flows in; whether it is done flows out.
#pragma once

#include <mpi.h>

namespace laconic::mpi {

/// MPI_Test, of which MPICH makes progress before it looks at the request: where many messages have come already, every
/// one of them costs a system call that finds nothing, and where such calls give the processor away, a pause.
/// MPI_Request_get_status looks first; MPI_Wait then only frees what is done.
/// returns as MPI_Test
[[nodiscard]] inline int test(MPI_Request& request, bool& done, MPI_Status* came = MPI_STATUS_IGNORE) noexcept {
    int over = 0;
    const int code = MPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
    done = code == MPI_SUCCESS && over != 0;
    return done ? MPI_Wait(&request, came) : code;
}

/// Nobody waits for it any more. What is being sent may still be read, until MPI is done with it.
inline void drop_receive(MPI_Request& request) noexcept {
    if (request == MPI_REQUEST_NULL) return;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
}
inline void drop_send(MPI_Request& request) noexcept {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

}  // namespace laconic::mpi
