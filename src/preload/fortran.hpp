// SPDX-License-Identifier: BSD-3-Clause
// Fortran programs: Open MPI's Fortran library turns every call of every binding (mpif.h, mpi, mpi_f08) into a call of
// the PMPI_ function, MPICH's does so for the functions of mpi_f08 that have no buffers; wrappers of MPI_ functions
// never see those. So the preload library shows PMPI_ functions too: a call that comes from the Fortran library goes to
// the wrapper, all others pass through to MPI as they are.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace laconic::preload {

/// The code of the MPI's Fortran library: empty while no program has loaded it.
struct code_range {
    std::uintptr_t begin = 0, end = 0;
};
extern code_range fortran_code;

[[nodiscard]] inline bool called_from_fortran(const void* return_address) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(return_address);
    return address - fortran_code.begin < fortran_code.end - fortran_code.begin;
}

/// The function behind ours of the same name.
template <class Function>
[[nodiscard]] Function next_function(const char* name) noexcept {
    void* found = dlsym(RTLD_NEXT, name);
    Function function = nullptr;
    std::memcpy(&function, &found, sizeof function);
    return function;
}

}  // namespace laconic::preload
