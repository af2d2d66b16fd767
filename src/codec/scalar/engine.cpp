// SPDX-License-Identifier: BSD-3-Clause
// The portable engine.
#include "codec/scalar/simd.hpp"

#include "codec/generic/engine_body.hpp"

LACONIC_DEFINE_ENGINE(scalar, scalar_simd)
