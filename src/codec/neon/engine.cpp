// SPDX-License-Identifier: BSD-3-Clause
// The NEON engine: every 64-bit Arm processor.
#include "codec/neon/simd.hpp"

#include "codec/generic/engine_body.hpp"

LACONIC_DEFINE_ENGINE(neon, neon_simd)
