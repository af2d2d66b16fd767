// SPDX-License-Identifier: BSD-3-Clause
// A real type wide enough that products of two doubles are exact in it: binary128, 113 bits of significand. Where the
// compiler has no type of that name, as on 64-bit Arm Linux, long double is it.
#pragma once

#include <limits>

namespace laconic::codec {

#if defined(__SIZEOF_FLOAT128__)
__extension__ using quad = __float128;
#else
using quad = long double;
static_assert(std::numeric_limits<quad>::digits == 113, "laconic needs binary128 as __float128 or long double");
#endif

}  // namespace laconic::codec
