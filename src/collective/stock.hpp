// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allreduce for any count: arrays flow in and out, in pieces that an int can count.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace laconic::collective {

/// MPI_Allreduce with a 64-bit count. `in` may be MPI_IN_PLACE or equal to `out` (then in place).
/// returns MPI's code.
[[nodiscard]] int stock_allreduce(const void* in, void* out, std::size_t count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm);

}  // namespace laconic::collective
