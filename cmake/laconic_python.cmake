# SPDX-License-Identifier: BSD-3-Clause
# Which Python the package is built for, and whether it can be: LACONIC_PYTHON_FOUND, LACONIC_PYTHON_EXECUTABLE,
# LACONIC_PYTHON_INCLUDES, LACONIC_PYTHON_SUFFIX. The system's Python comes before the first one on PATH, which is often
# a private one without numpy and pybind11; what decides is which of them has its headers, numpy and pybind11.
set(LACONIC_PYTHON auto CACHE STRING "Python package: on, off, or auto where Python, numpy and pybind11 are installed")
set(LACONIC_PYTHON_EXECUTABLE "" CACHE FILEPATH "The Python to build for; empty: the first with numpy and headers")
set(LACONIC_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the package is installed, relative to the prefix")

# Prints the headers' folders and the suffix of extension modules, or fails.
set(_python_probe [=[
import os, sys, sysconfig
import numpy
folders = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
try:
    import pybind11
    folders.append(pybind11.get_include())
except ImportError:
    folders.append("/usr/include")
if not (os.path.exists(folders[0] + "/Python.h") and os.path.exists(folders[2] + "/pybind11/pybind11.h")):
    sys.exit(1)
print(";".join(dict.fromkeys(folders)) + "|" + sysconfig.get_config_var("EXT_SUFFIX"))
]=])

set(LACONIC_PYTHON_FOUND FALSE)
# The sanitizers' run time would have to be loaded before Python.
if(LACONIC_PYTHON AND NOT (LACONIC_PYTHON STREQUAL "auto" AND LACONIC_SANITIZE))
  find_program(_python_on_path NAMES python3 NO_CACHE)
  set(_python_candidates ${LACONIC_PYTHON_EXECUTABLE})
  if(NOT _python_candidates)
    set(_python_candidates /usr/bin/python3 ${_python_on_path})
  endif()
  foreach(_python IN LISTS _python_candidates)
    execute_process(COMMAND ${_python} -c "${_python_probe}" OUTPUT_VARIABLE _python_answer
                    RESULT_VARIABLE _python_failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT _python_failed AND _python_answer MATCHES "^(.+)[|](.+)$")
      set(LACONIC_PYTHON_INCLUDES ${CMAKE_MATCH_1})
      set(LACONIC_PYTHON_SUFFIX ${CMAKE_MATCH_2})
      set(LACONIC_PYTHON_EXECUTABLE ${_python} CACHE FILEPATH "" FORCE)
      set(LACONIC_PYTHON_FOUND TRUE)
      break()
    endif()
  endforeach()
  if(LACONIC_PYTHON_FOUND)
    message(STATUS "Python package: for ${LACONIC_PYTHON_EXECUTABLE}")
  elseif(LACONIC_PYTHON STREQUAL "auto")
    message(STATUS "Python package: left out (no Python with headers, numpy and pybind11 among: ${_python_candidates})")
  else()
    message(FATAL_ERROR "LACONIC_PYTHON: no Python with headers, numpy and pybind11 among: ${_python_candidates}; "
            "install python3-dev, python3-numpy and pybind11-dev, or name another with LACONIC_PYTHON_EXECUTABLE")
  endif()
endif()

# laconic_python_has(<variable> <module>...): whether that Python can import the modules.
function(laconic_python_has variable)
  set(${variable} FALSE PARENT_SCOPE)
  if(LACONIC_PYTHON_FOUND)
    list(JOIN ARGN ", " modules)
    execute_process(COMMAND ${LACONIC_PYTHON_EXECUTABLE} -c "import ${modules}" RESULT_VARIABLE failed
                    OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${variable} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()
