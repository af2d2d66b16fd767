# SPDX-License-Identifier: BSD-3-Clause
# cmake -DMODULE=cmake/laconic_otf2.cmake -DFOLDER=empty -P otf2_versions.cmake: OTF2 2.x, and headers that do not say
# what they are, are told from 3.x.
include(${MODULE})

function(expect name definition version suits)
  file(REMOVE_RECURSE ${FOLDER}/${name})
  file(WRITE ${FOLDER}/${name}/otf2/OTF2_GeneralDefinitions.h "${definition}\n")
  laconic_otf2_version(${FOLDER}/${name} found)
  laconic_otf2_suits(${FOLDER}/${name} answer)
  if(NOT "${found}" STREQUAL "${version}" OR NOT "${answer}" STREQUAL "${suits}")
    message(FATAL_ERROR "${name}: '${found}', ${answer} in place of '${version}', ${suits}")
  endif()
endfunction()

expect(three "#define OTF2_VERSION        \"3.0.2\"" 3.0.2 TRUE)
expect(later "#define OTF2_VERSION \"3.1-rc1\"" 3.1 TRUE)
expect(two "#define OTF2_VERSION_MAJOR 2\n#define OTF2_VERSION \"2.3\"" 2.3 FALSE)
expect(ten "#define OTF2_VERSION \"10.0\"" 10.0 TRUE)
expect(silent "#define OTF2_SOMETHING 1" "" FALSE)
