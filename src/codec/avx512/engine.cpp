// SPDX-License-Identifier: BSD-3-Clause
// The AVX-512 engine: Ice Lake, Zen 4 and later.
#include "codec/avx512/simd.hpp"

#include "codec/generic/engine_body.hpp"

LACONIC_DEFINE_ENGINE(avx512, avx512_simd)
