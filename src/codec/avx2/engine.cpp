// SPDX-License-Identifier: BSD-3-Clause
// The AVX2 engine: Haswell, Zen and later.
#include "codec/avx2/simd.hpp"

#include "codec/generic/engine_body.hpp"

LACONIC_DEFINE_ENGINE(avx2, avx2_simd)
