# SPDX-License-Identifier: BSD-3-Clause
# laconic_read_once(<target> <header>...): where sources are compiled together (CMAKE_UNITY_BUILD, which most
# presets switch on: most of a build is reading headers), those of this target are not, because they share names; only these
# headers are read once for all of them.
function(laconic_read_once target)
  if(CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
    # g++ does not take a precompiled header once a header in it has changed, be it a comment: ccache goes by the bytes of all
    # files that were read, not by preprocessed text. The namespace hides what it keeps without that.
    if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_DEPEND=1;CCACHE_NAMESPACE=laconic-read-once;${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
  endif()
endfunction()
