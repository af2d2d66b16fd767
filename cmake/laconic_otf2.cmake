# SPDX-License-Identifier: BSD-3-Clause
# Which OTF2 is there, if any. What the export writes (communicator flags, the time of day of the clock) came with 3.0;
# headers of 2.x do not compile.

# laconic_otf2_version(<folder of otf2/otf2.h> <variable>): "3.0.2"; "" where the headers do not say.
function(laconic_otf2_version include_folder to)
  set(found "")
  set(header ${include_folder}/otf2/OTF2_GeneralDefinitions.h)
  if(EXISTS ${header})
    file(STRINGS ${header} line REGEX "^#define[ \t]+OTF2_VERSION[ \t]+\"[0-9.]+")
    if(line MATCHES "\"([0-9]+(\\.[0-9]+)*)")
      set(found ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${to} "${found}" PARENT_SCOPE)
endfunction()

# laconic_otf2_suits(<folder of otf2/otf2.h> <variable>): whether the export can be built, and why not.
function(laconic_otf2_suits include_folder to)
  laconic_otf2_version(${include_folder} version)
  if(version AND version VERSION_GREATER_EQUAL 3.0)
    set(${to} TRUE PARENT_SCOPE)
    return()
  endif()
  if(NOT version)
    set(version "of unknown version")
  endif()
  message(STATUS "OTF2 ${version} in ${include_folder} is left out: laconic export --to otf2 needs OTF2 3.0 or later "
                 "(libopen-trace-format2-dev of Debian 12)")
  set(${to} FALSE PARENT_SCOPE)
endfunction()

# laconic_find_otf2(): LACONIC_OTF2_INCLUDE, LACONIC_OTF2_LIBRARY, and LACONIC_OTF2_FOUND for all folders.
function(laconic_find_otf2)
  find_path(LACONIC_OTF2_INCLUDE otf2/otf2.h)
  find_library(LACONIC_OTF2_LIBRARY NAMES open-trace-format2 otf2)
  mark_as_advanced(LACONIC_OTF2_INCLUDE LACONIC_OTF2_LIBRARY)
  set(suits FALSE)
  if(LACONIC_OTF2_INCLUDE AND LACONIC_OTF2_LIBRARY)
    laconic_otf2_suits(${LACONIC_OTF2_INCLUDE} suits)
  endif()
  set(LACONIC_OTF2_FOUND ${suits} CACHE INTERNAL "OTF2 3.0 or later")
endfunction()
