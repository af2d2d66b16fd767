// SPDX-License-Identifier: BSD-3-Clause
// szx's loops for the avx2 engine.
#include "codec/avx2/szx_simd.hpp"

#include "codec/generic/szx_kernels.hpp"

LACONIC_DEFINE_SZX(avx2, avx2_szx_simd)
