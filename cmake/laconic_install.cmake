# SPDX-License-Identifier: BSD-3-Clause
# Install rules: headers, libraries, programs, CMake package, pkg-config files, man pages, completion. Nothing that is
# installed holds an absolute path, so an installed tree can be moved (tests/install does).
include(CMakePackageConfigHelpers)

install(DIRECTORY include/laconic TYPE INCLUDE FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE CHANGELOG.md TYPE DOC)

# One export set per component, so that a package without Open MPI still loads for users of MPICH.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/laconic)
install(TARGETS laconic_shared EXPORT laconic-targets)
install(EXPORT laconic-targets NAMESPACE laconic:: DESTINATION ${package_dir})
foreach(flavour IN LISTS LACONIC_MPI_FOUND)
  if(TARGET laconic_${flavour})
    install(TARGETS laconic_${flavour} EXPORT laconic-${flavour}-targets)
    install(EXPORT laconic-${flavour}-targets NAMESPACE laconic:: DESTINATION ${package_dir})
  endif()
endforeach()
# No library to link with: `laconic trace` puts it under a program.
foreach(flavour IN LISTS LACONIC_MPI_FOUND)
  if(TARGET laconic_preload_${flavour})
    install(TARGETS laconic_preload_${flavour} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
configure_package_config_file(cmake/laconic-config.cmake.in ${PROJECT_BINARY_DIR}/laconic-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/laconic-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/laconic-config.cmake ${PROJECT_BINARY_DIR}/laconic-config-version.cmake
        DESTINATION ${package_dir})

# pkg-config: ${pcfiledir} leads back to the prefix.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE pkgconfig_to_prefix)
# MPI's C++ bindings would need one more library: the definitions leave them out.
function(laconic_install_pc name libraries requires definitions description)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/laconic.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
laconic_install_pc(laconic -llaconic "" "" "Error-bounded compression of float arrays, with sums on the compressed form")
foreach(flavour IN LISTS LACONIC_MPI_FOUND)
  if(TARGET laconic_${flavour})
    laconic_install_pc(laconic-${flavour} -llaconic_${flavour} "laconic = ${PROJECT_VERSION}, ${_pkgconfig_${flavour}}"
                       "-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX" "Error-bounded compressed MPI collectives (${flavour})")
  endif()
endforeach()

foreach(program laconic laconic-mpich laconic-openmpi)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME)
  endif()
endforeach()

# Man pages and completion are made by running the program, which a cross build or a sanitized one cannot do.
if(NOT TARGET laconic OR CMAKE_CROSSCOMPILING OR LACONIC_SANITIZE)
  return()
endif()
# A shell, and where it looks for a file of which name.
function(laconic_install_completion shell folder name)
  set(script ${PROJECT_BINARY_DIR}/${shell}-completion/${name})
  add_custom_command(OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/${shell}-completion
    COMMAND $<TARGET_FILE:laconic> completion ${shell} > ${script}
    DEPENDS laconic VERBATIM)
  install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  set(generated ${generated} ${script} PARENT_SCOPE)
endfunction()
set(generated)
laconic_install_completion(bash bash-completion/completions laconic)
# Bash and fish look for a file of the name of the program.
foreach(flavour IN LISTS LACONIC_MPI_FOUND)
  laconic_install_completion(bash bash-completion/completions laconic-${flavour})
  laconic_install_completion(fish fish/vendor_completions.d laconic-${flavour}.fish)
endforeach()
laconic_install_completion(zsh zsh/site-functions _laconic)
laconic_install_completion(fish fish/vendor_completions.d laconic.fish)

find_program(HELP2MAN help2man)
if(HELP2MAN)
  set(manual ${PROJECT_BINARY_DIR}/man)
  # These hand over to a program of an MPI, which has to be there.
  set(mpi_commands)
  set(mpi_programs)
  foreach(flavour IN LISTS LACONIC_MPI_FOUND)
    set(mpi_commands audit calibrate "bench collective" "bench redistribute")
    list(APPEND mpi_programs laconic-${flavour})
  endforeach()
  foreach(command "" ${mpi_commands} compress decompress inspect add subtract scale negate minimum maximum compare info
          bench "bench codec" predict plan trace stat dump diff export completion)
    string(REPLACE " " ";" words "${command}")
    string(JOIN "-" page laconic ${words})
    add_custom_command(OUTPUT ${manual}/${page}.1
      COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}
      COMMAND ${PROJECT_SOURCE_DIR}/cmake/manual_page.sh ${HELP2MAN} ${PROJECT_VERSION} ${manual}/${page}.1
              $<TARGET_FILE:laconic> ${words}
      DEPENDS laconic ${mpi_programs} cmake/manual_page.sh VERBATIM)
    list(APPEND generated ${manual}/${page}.1)
    install(FILES ${manual}/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endforeach()
endif()
add_custom_target(laconic_manual ALL DEPENDS ${generated})
