# SPDX-License-Identifier: BSD-3-Clause
# laconic_shared_library(<target> <version script>): what every shared library of the project has in common: its
# version, which symbols it shows, and that it finds its siblings wherever the tree is installed.
function(laconic_shared_library target map)
  # While the major number is 0 every minor release may change the interface.
  set(soversion ${PROJECT_VERSION_MAJOR})
  if(soversion EQUAL 0)
    set(soversion 0.${PROJECT_VERSION_MINOR})
  endif()
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${soversion}
    INSTALL_RPATH $ORIGIN
    LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE LINKER:--version-script=${map} LINKER:--as-needed)
  if(NOT LACONIC_SANITIZE)
    # The sanitizers' symbols are found in the program only when it runs.
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()

# For targets that read arguments and print results: they pass over no data, need not be fast, and compile in a third of
# the time.
set(LACONIC_QUICK $<$<CONFIG:Release>:-O1>)
