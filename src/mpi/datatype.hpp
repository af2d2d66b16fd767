// SPDX-License-Identifier: BSD-3-Clause
// C++ element types flow in, the MPI datatypes that describe them flow out.
#pragma once

#include <mpi.h>

namespace laconic::mpi {

template <class T>
[[nodiscard]] MPI_Datatype type_of() noexcept;
template <>
[[nodiscard]] inline MPI_Datatype type_of<float>() noexcept {
    return MPI_FLOAT;
}
template <>
[[nodiscard]] inline MPI_Datatype type_of<double>() noexcept {
    return MPI_DOUBLE;
}

}  // namespace laconic::mpi
