// SPDX-License-Identifier: BSD-3-Clause
// Operations of the program's own (reduction::custom): an MPI_Op flows in, what applies it to values flows out.
#pragma once

#include <mpi.h>

#include "collective/arrays.hpp"
#include "laconic/status.hpp"

namespace laconic::collective {

/// Whether it is one of MPI's own.
[[nodiscard]] bool is_predefined(MPI_Op op) noexcept;

/// returns invalid_argument for MPI_OP_NULL, and where MPI does not apply the operation to T, which is tried on zeros;
///         MPI's own are taken for float and double, and only sum, product, minimum and maximum.
///         unsupported when it does not commute
template <class T>
[[nodiscard]] status check_own_operation(MPI_Op op);

/// Precondition: op lives as long as the result, and check_own_operation<T>(*op) was ok.
template <class T>
[[nodiscard]] custom_operation own_operation(const MPI_Op* op) noexcept;

}  // namespace laconic::collective
