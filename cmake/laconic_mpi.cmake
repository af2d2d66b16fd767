# SPDX-License-Identifier: BSD-3-Clause
# One imported target per installed MPI flavour: laconic_mpi_mpich, laconic_mpi_openmpi. FindMPI knows one MPI per
# build tree; pkg-config files name each of them, so that one tree serves both.
# LACONIC_MPI_FOUND lists the flavours found, LACONIC_MPIEXEC_<flavour> their launchers.
# laconic_add_mpi_library() builds the library of a flavour, laconic_add_mpi_test() runs a program under it.
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

# laconic_add_mpi_library(<flavour> <source or object>...)
# The shared library liblaconic_<flavour> (target laconic_<flavour>, exported as laconic::<flavour>) from what was
# compiled against that MPI. It links liblaconic and shows what cmake/liblaconic_mpi.map names.
function(laconic_add_mpi_library flavour)
  set(target laconic_${flavour})
  add_library(${target} SHARED ${ARGN})
  add_library(laconic::${flavour} ALIAS ${target})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                       PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # BUILD_INTERFACE: the package file makes the MPI target anew where it is used.
  target_link_libraries(${target} PUBLIC laconic_shared $<BUILD_INTERFACE:laconic_mpi_${flavour}>
                                  PRIVATE $<BUILD_INTERFACE:laconic_flags>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${flavour} LINKER_LANGUAGE CXX)
  laconic_shared_library(${target} ${PROJECT_SOURCE_DIR}/cmake/liblaconic_mpi.map)
endfunction()

# laconic_add_mpi_test(<name> <flavour> <ranks> <target> [<argument>...])
# Adds the test <name>.<flavour>.<ranks>: `mpiexec -n <ranks> <target> <argument>...` on this machine, with more ranks
# than cores if need be. Labels: mpi, <flavour>. The tests of this kind run one after another.
# A test program fails through its exit status; a hang is ended by the launcher, ranks included.
set(LACONIC_MPI_TEST_SECONDS 120 CACHE STRING "Time limit of one MPI test, in seconds")
function(laconic_add_mpi_test name flavour ranks target)
  math(EXPR backstop "${LACONIC_MPI_TEST_SECONDS} + 15")
  laconic_mpi_launcher(launcher environment ${flavour} ${ranks})
  add_test(NAME ${name}.${flavour}.${ranks} COMMAND ${launcher} $<TARGET_FILE:${target}> ${ARGN})
  set_tests_properties(${name}.${flavour}.${ranks} PROPERTIES
    ENVIRONMENT "${environment}"
    LABELS "mpi;${flavour}"
    RESOURCE_LOCK mpi
    TIMEOUT ${backstop})
endfunction()

# laconic_mpi_launcher(<command variable> <environment variable> <flavour> <ranks>)
# The launcher's command line for that many ranks of one machine, and the environment it needs as a list of X=Y.
function(laconic_mpi_launcher command_variable environment_variable flavour ranks)
  set(command ${LACONIC_MPIEXEC_${flavour}} -n ${ranks})
  if(flavour STREQUAL mpich)
    # Shared memory only: UCX over TCP hangs in MPI_Finalize now and then, localhost included.
    set(environment UCX_TLS=self,sm MPIEXEC_TIMEOUT=${LACONIC_MPI_TEST_SECONDS})
    if(TARGET laconic_mpich_yield)
      list(APPEND command -genv LD_PRELOAD $<TARGET_FILE:laconic_mpich_yield>)
    endif()
  else()
    # Root: containers and CI. No CMA: containers refuse it. ob1 with shared memory needs no network card.
    set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
                    OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none)
    list(APPEND command --timeout ${LACONIC_MPI_TEST_SECONDS})
  endif()
  set(${command_variable} ${command} PARENT_SCOPE)
  set(${environment_variable} ${environment} PARENT_SCOPE)
endfunction()
