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

struct code_range {
    std::uintptr_t begin = 0, end = 0;

    [[nodiscard]] bool holds(const void* return_address) const noexcept {
        return reinterpret_cast<std::uintptr_t>(return_address) - begin < end - begin;
    }
};
/// The code of the MPI's Fortran library: empty while no program has loaded it.
extern code_range fortran_code;
/// The code of this library.
extern code_range own_code;

[[nodiscard]] inline bool called_from_fortran(const void* return_address) noexcept {
    return fortran_code.holds(return_address);
}

/// For functions without an error code: the Fortran library jumps to them as the last thing that it does, and they
/// return to the program. Every call is taken for one of Fortran's that the wrapper did not make.
[[nodiscard]] inline bool jumped_to_from_fortran(const void* return_address) noexcept {
    return fortran_code.end != 0 && !own_code.holds(return_address);
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
