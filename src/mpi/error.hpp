// SPDX-License-Identifier: BSD-3-Clause
// MPI return codes flow in, laconic statuses with MPI's own explanation flow out.
#pragma once

#include <mpi.h>

#include <string_view>

#include "laconic/status.hpp"

namespace laconic::mpi {

/// ok for MPI_SUCCESS; else errc::mpi with "<call>: <MPI's error string>".
[[nodiscard]] status to_status(int code, std::string_view call);

}  // namespace laconic::mpi
