// SPDX-License-Identifier: BSD-3-Clause
// A pending request flows in; control comes back when it is complete. Waiting tests and then yields the processor:
// MPI libraries spin inside MPI_Wait, which starves the working ranks where ranks outnumber cores.
#pragma once

#include <mpi.h>

namespace laconic::mpi {

/// Like MPI_Wait. `done` may be MPI_STATUS_IGNORE.
/// returns MPI's code.
[[nodiscard]] int wait(MPI_Request& request, MPI_Status* done);

}  // namespace laconic::mpi
