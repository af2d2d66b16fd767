# SPDX-License-Identifier: BSD-3-Clause
# One imported target per installed MPI flavour: laconic_mpi_mpich, laconic_mpi_openmpi. FindMPI knows one MPI per
# build tree; pkg-config files name each of them, so that one tree serves both.
# LACONIC_MPI_FOUND lists the flavours found, LACONIC_MPIEXEC_<flavour> their launchers.
find_package(PkgConfig REQUIRED)
set(LACONIC_MPI_FOUND "")
set(_pkgconfig_mpich mpich)
set(_pkgconfig_openmpi ompi-c)
foreach(flavour IN LISTS LACONIC_MPI)
  if(NOT DEFINED _pkgconfig_${flavour})
    message(FATAL_ERROR "LACONIC_MPI: unknown flavour '${flavour}'; use mpich, openmpi or both")
  endif()
  pkg_check_modules(mpi_${flavour} QUIET IMPORTED_TARGET GLOBAL ${_pkgconfig_${flavour}})
  find_program(LACONIC_MPIEXEC_${flavour} mpiexec.${flavour})
  if(mpi_${flavour}_FOUND AND LACONIC_MPIEXEC_${flavour})
    add_library(laconic_mpi_${flavour} INTERFACE)
    # System includes: the MPI headers' own warnings are not ours.
    target_include_directories(laconic_mpi_${flavour} SYSTEM INTERFACE ${mpi_${flavour}_INCLUDE_DIRS})
    target_link_libraries(laconic_mpi_${flavour} INTERFACE ${mpi_${flavour}_LINK_LIBRARIES})
    # C interface only; MPI's deprecated C++ bindings would drag in another library.
    target_compile_definitions(laconic_mpi_${flavour} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    list(APPEND LACONIC_MPI_FOUND ${flavour})
  else()
    message(STATUS "MPI flavour ${flavour}: not installed, left out")
  endif()
endforeach()
message(STATUS "MPI flavours: ${LACONIC_MPI_FOUND}")
