// SPDX-License-Identifier: BSD-3-Clause
// MPI datatypes of the 16-bit floating-point types, which MPI itself does not have.
#pragma once

#include <mpi.h>

#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::mpi {

/// The datatype of f16 or bf16, made at its first use and freed by MPI_Finalize.
/// returns mpi, or invalid_argument while MPI is not running
[[nodiscard]] result<MPI_Datatype> narrow_type(element_type type);

/// What MPI calls an element type; MPI_DATATYPE_NULL when there is no memory for a narrow one.
[[nodiscard]] MPI_Datatype type_of(element_type type) noexcept;

/// Whether `type` is what narrow_type() gives for `which`.
[[nodiscard]] bool is_narrow_type(MPI_Datatype type, element_type which) noexcept;

}  // namespace laconic::mpi
