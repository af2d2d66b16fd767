// SPDX-License-Identifier: BSD-3-Clause
// What the C faces share: a status goes in, its code comes out, and its message waits for laconic_last_message().
#pragma once

#include "laconic/status.hpp"

namespace laconic {

int report_to_c(const status& outcome) noexcept;

}  // namespace laconic
