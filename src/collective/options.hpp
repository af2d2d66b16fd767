// SPDX-License-Identifier: BSD-3-Clause
// The option table flows in, the options of a collective flow out.
#pragma once

#include "base/options.hpp"
#include "laconic/collective_options.hpp"

namespace laconic::collective {

[[nodiscard]] collective_options options_of(const base::option_set& set);

}  // namespace laconic::collective
