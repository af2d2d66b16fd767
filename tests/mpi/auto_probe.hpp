// SPDX-License-Identifier: BSD-3-Clause
// What tests of `auto` need: a network that is slow enough to compress for, and counters of what the ranks say.
#pragma once

#include <string>

namespace laconic::test {

/// Agreements, and MPI's own blocking allreduces on our channels, since the start.
extern int agreements;
extern int blocking_calls;

/// A machine of one rank a node between which everything is slow, in a file of this rank's own.
[[nodiscard]] std::string slow_machine();

}  // namespace laconic::test
