// SPDX-License-Identifier: BSD-3-Clause
// szx's loops for the avx512 engine.
#include "codec/avx512/szx_simd.hpp"

#include "codec/generic/szx_kernels.hpp"

LACONIC_DEFINE_SZX(avx512, avx512_szx_simd)
