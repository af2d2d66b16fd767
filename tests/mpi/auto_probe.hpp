// SPDX-License-Identifier: BSD-3-Clause
// What tests of `auto` need: a network that is slow enough to compress for, and counters of what the ranks say.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace laconic::test {

/// Agreements, and MPI's own blocking allreduces on our channels, since the start.
extern int agreements;
extern int blocking_calls;
/// Whether the next MPI_Comm_split_type fails here.
extern bool split_fails;

/// One rank a node, between which everything is slow.
[[nodiscard]] model::machine slow_network();
/// In a new file of this rank's own, which goes when the program ends.
[[nodiscard]] std::string file_of(const model::machine& where);
[[nodiscard]] std::string file_of(const std::string& text);
[[nodiscard]] inline std::string slow_machine() { return file_of(slow_network()); }

}  // namespace laconic::test
