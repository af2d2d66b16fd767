// SPDX-License-Identifier: BSD-3-Clause
// A real type wide enough that products of two doubles are exact in it (113 bits of significand).
#pragma once

namespace laconic::codec {

#if defined(__SIZEOF_FLOAT128__)
__extension__ using quad = __float128;
#else
using quad = long double;
#endif

}  // namespace laconic::codec
