// SPDX-License-Identifier: BSD-3-Clause
// Nodes of any kind on one machine: placements of ranks on nodes flow out, and calls run over them, checked.
#pragma once

#include <vector>

#include "collective/hierarchy.hpp"
#include "scenario.hpp"

namespace laconic::test {

/// Of each rank the first one of its node.
[[nodiscard]] std::vector<std::vector<int>> placements(int ranks);

/// Checks that lanes lead where they belong.
void check_order(const collective::hierarchy& made, const std::vector<int>& leaders, const std::string& what);

/// Runs a call of pieces over these nodes, and checks it. Collective over MPI_COMM_WORLD.
template <class T>
void check_placed(const scenario& what, const collective::cell& row, collective::hierarchy& levels,
                  const std::string& where);

}  // namespace laconic::test
