# SPDX-License-Identifier: BSD-3-Clause
# laconic_flags: an interface target that carries the warning set, the sanitizers and the floating-point rules.
add_library(laconic_flags INTERFACE)
target_compile_options(laconic_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual>
  # g++ 12 sees overlapping copies in "text" + std::string (GCC bug 105651).
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Contraction (FMA) would let the encoder's own check disagree with the decoder's arithmetic.
  -ffp-contract=off)
if(LACONIC_WERROR)
  target_compile_options(laconic_flags INTERFACE -Werror)
endif()
if(LACONIC_SANITIZE)
  target_compile_options(laconic_flags INTERFACE -fsanitize=${LACONIC_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_compile_definitions(laconic_flags INTERFACE LACONIC_SANITIZED)
  target_link_options(laconic_flags INTERFACE -fsanitize=${LACONIC_SANITIZE})
endif()
