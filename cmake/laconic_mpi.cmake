# SPDX-License-Identifier: BSD-3-Clause
# One imported target per installed MPI flavour: laconic_mpi_mpich, laconic_mpi_openmpi. FindMPI knows one MPI per
# build tree; pkg-config files name each of them, so that one tree serves both.
# LACONIC_MPI_FOUND lists the flavours found, LACONIC_MPIEXEC_<flavour> their launchers.
# laconic_add_mpi_library() builds the library of a flavour, build/mpiexec-<flavour> starts ranks, and
# laconic_add_mpi_test() makes a test of it.
find_package(PkgConfig REQUIRED)
set(LACONIC_MPI_FOUND "")
set(_pkgconfig_mpich mpich)
set(_pkgconfig_openmpi ompi-c)
# Debian's names first; elsewhere each MPI has a launcher that the other has not.
set(_launchers_mpich mpiexec.mpich mpiexec.hydra)
set(_launchers_openmpi mpiexec.openmpi orterun)
set(_wanted ${LACONIC_MPI})
set(_absent FATAL_ERROR)
if(LACONIC_MPI STREQUAL "auto")
  set(_wanted mpich openmpi)
  set(_absent STATUS)
endif()
foreach(flavour IN LISTS _wanted)
  if(NOT DEFINED _pkgconfig_${flavour})
    message(FATAL_ERROR "LACONIC_MPI: unknown flavour '${flavour}'; use auto, mpich, openmpi or both")
  endif()
  pkg_check_modules(mpi_${flavour} QUIET IMPORTED_TARGET GLOBAL ${_pkgconfig_${flavour}})
  find_program(LACONIC_MPIEXEC_${flavour} NAMES ${_launchers_${flavour}})
  if(mpi_${flavour}_FOUND AND LACONIC_MPIEXEC_${flavour})
    add_library(laconic_mpi_${flavour} INTERFACE)
    # System includes: the MPI headers' own warnings are not ours.
    target_include_directories(laconic_mpi_${flavour} SYSTEM INTERFACE ${mpi_${flavour}_INCLUDE_DIRS})
    target_link_libraries(laconic_mpi_${flavour} INTERFACE ${mpi_${flavour}_LINK_LIBRARIES})
    # C interface only; MPI's deprecated C++ bindings would drag in another library.
    target_compile_definitions(laconic_mpi_${flavour} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    list(APPEND LACONIC_MPI_FOUND ${flavour})
  else()
    message(${_absent} "MPI flavour ${flavour}: no ${_pkgconfig_${flavour}}.pc or no launcher (${_launchers_${flavour}}); "
            "install it, or leave it out of LACONIC_MPI")
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

# build/mpiexec-<flavour> RANKS PROGRAM [ARGUMENT...]: starts that many ranks on this machine, with more ranks than cores
# if need be. What each MPI needs for that stands here once; tests, ./dev bench and the demo all start ranks this way.
# LACONIC_MPI_SECONDS in the environment is the time limit: the launcher ends the ranks, too, which ctest cannot.
foreach(flavour IN LISTS LACONIC_MPI_FOUND)
  if(flavour STREQUAL mpich)
    set(launch [=[
# Shared memory only: UCX over TCP hangs in MPI_Finalize now and then, localhost included.
export UCX_TLS="${UCX_TLS-self,sm}" MPIEXEC_TIMEOUT="${LACONIC_MPI_SECONDS:-600}"
]=])
    # Behind what the ranks are to load already, as `laconic trace -- mpiexec-mpich ...` wants.
    set(options "$<$<TARGET_EXISTS:laconic_mpich_yield>:-genv LD_PRELOAD \"\${LD_PRELOAD:+\$LD_PRELOAD:}$<TARGET_FILE:laconic_mpich_yield>\">")
  else()
    set(launch [=[
# Root: containers and CI. ob1 over shared memory needs no network card, and containers refuse single-copy (CMA).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_pml="${OMPI_MCA_pml-ob1}" OMPI_MCA_btl="${OMPI_MCA_btl-self,vader}"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# Where a rank fails the launcher would wait a second for the others.
export OMPI_MCA_odls_base_sigkill_timeout="${OMPI_MCA_odls_base_sigkill_timeout-0}"
]=])
    set(options "--timeout \"\${LACONIC_MPI_SECONDS:-600}\"")
  endif()
  if(LACONIC_SANITIZE)
    string(APPEND launch "# What is loaded ahead of the program comes ahead of the sanitizers, too. MPI's plugins leak, and what is on its\n"
                         "# way when MPI fails is left to it; that nothing grows is a test of its own.\n"
                         "export ASAN_OPTIONS=\"verify_asan_link_order=0:detect_leaks=0\${ASAN_OPTIONS:+:$ASAN_OPTIONS}\"\n")
  endif()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/mpiexec-${flavour} CONTENT "#!/bin/sh
${launch}ranks=$1
shift
exec ${LACONIC_MPIEXEC_${flavour}} ${options} -n \"$ranks\" \"$@\"
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()

# laconic_add_mpi_command_test(<name> <flavour> <ranks> <command>...)
# Adds the test <name>.<flavour>.<ranks>: that command on that many ranks. Labels: mpi, <flavour>. These tests run one
# after another, and beside others only where processors are left: side by side, ranks that wait for each other take two
# to four times as long, and little is won. A test program fails through its exit status; a hang is ended.
# The longest take 100 s on a quiet machine of two cores, 220 s under sanitizers; a busy one takes three times as long.
set(seconds 600)
if(LACONIC_SANITIZE)
  set(seconds 900)
endif()
set(LACONIC_MPI_TEST_SECONDS ${seconds} CACHE STRING "Time limit of one MPI test, in seconds")
unset(seconds)
function(laconic_add_mpi_command_test name flavour ranks)
  math(EXPR backstop "${LACONIC_MPI_TEST_SECONDS} + 15")
  set(test ${name}.${flavour}.${ranks})
  add_test(NAME ${test} COMMAND ${PROJECT_BINARY_DIR}/mpiexec-${flavour} ${ranks} ${ARGN})
  set_tests_properties(${test} PROPERTIES
    ENVIRONMENT LACONIC_MPI_SECONDS=${LACONIC_MPI_TEST_SECONDS}
    LABELS "mpi;${flavour}"
    RESOURCE_LOCK mpi
    PROCESSORS ${ranks}
    TIMEOUT ${backstop})
endfunction()

# laconic_add_mpi_test(<name> <flavour> <ranks> <target> [<argument>...]): likewise, the target's program.
function(laconic_add_mpi_test name flavour ranks target)
  laconic_add_mpi_command_test(${name} ${flavour} ${ranks} $<TARGET_FILE:${target}> ${ARGN})
endfunction()

# laconic_add_mpi_python_test(<name> <flavour> <ranks> <script> [<argument>...]): likewise, a program that imports the
# package from this tree. It is skipped where mpi4py or PIL is missing, or when it prints "skipped: " and why.
function(laconic_add_mpi_python_test name flavour ranks script)
  laconic_add_mpi_command_test(${name} ${flavour} ${ranks} ${LACONIC_PYTHON_EXECUTABLE} -B ${script} ${ARGN})
  set_property(TEST ${name}.${flavour}.${ranks} APPEND PROPERTY ENVIRONMENT
               PYTHONPATH=${PROJECT_BINARY_DIR}/python PYTHONNOUSERSITE=1)
  set_tests_properties(${name}.${flavour}.${ranks} PROPERTIES SKIP_REGULAR_EXPRESSION
                       "skipped: ;No module named 'mpi4py';No module named 'PIL'")
endfunction()
