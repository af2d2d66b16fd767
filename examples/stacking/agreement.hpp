// SPDX-License-Identifier: BSD-3-Clause
// Failing together: one status per rank flows in, the same status flows out on all of them, so that no rank waits in
// MPI for one that has given up.
#pragma once

#include <mpi.h>

#include <string>

#include "laconic/status.hpp"

namespace stacking {

/// ok when all ranks are; else the status of the lowest rank that is not. Collective over comm.
[[nodiscard]] laconic::status agreed(const laconic::status& mine, MPI_Comm comm);

/// ok when all ranks have the same text, else invalid_argument on all of them. Collective over comm.
[[nodiscard]] laconic::status alike(const std::string& mine, MPI_Comm comm);

}  // namespace stacking
