// SPDX-License-Identifier: BSD-3-Clause
// szx's loops for the scalar engine.
#include "codec/scalar/szx_simd.hpp"

#include "codec/generic/szx_kernels.hpp"

LACONIC_DEFINE_SZX(scalar, scalar_szx_simd)
