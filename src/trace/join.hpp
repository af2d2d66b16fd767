// SPDX-License-Identifier: BSD-3-Clause
// The calls of one rank before and after a seam flow in, all of them flow out, with one signature for what is equal.
#pragma once

#include "trace/core.hpp"

namespace laconic::trace {

/// Precondition: each core has one class, of the same one rank.
[[nodiscard]] core joined(core before, core after);

}  // namespace laconic::trace
