# SPDX-License-Identifier: BSD-3-Clause
# laconic_shared_library(<target> <version script>): what every shared library of the project has in common: its
# version, which symbols it shows, and that it finds its siblings wherever the tree is installed.
function(laconic_shared_library target map)
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    INSTALL_RPATH $ORIGIN
    LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE LINKER:--version-script=${map} LINKER:--as-needed)
  if(NOT LACONIC_SANITIZE)
    # The sanitizers' symbols are found in the program only when it runs.
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()
