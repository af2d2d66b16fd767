// SPDX-License-Identifier: BSD-3-Clause
// Nodes of any kind on one machine: placements of ranks on nodes flow out, and calls run over them, checked.
#pragma once

#include <sched.h>

#include <functional>
#include <vector>

#include "collective/hierarchy.hpp"
#include "collective/runner.hpp"
#include "scenario.hpp"

namespace laconic::test {

/// Nodes whose ranks do not follow each other, alone and of all sizes, with memory (second argument of the body) and
/// without. Checks that lanes lead where they belong. Collective over MPI_COMM_WORLD.
void for_each_placement(const std::function<void(collective::hierarchy&, bool)>& body);

/// Moves a stage or a run on until it is over.
template <class Advance>
status drive(const Advance& advance) {
    for (;;) {
        const auto now = advance();
        if (!now) return now.error();
        if (*now == collective::runner::state::done) return {};
        if (*now == collective::runner::state::waiting) sched_yield();
    }
}

/// Runs a call of pieces over these nodes, and checks it. Collective over MPI_COMM_WORLD.
template <class T>
void check_placed(const scenario& what, const collective::cell& row, collective::hierarchy& levels,
                  const std::string& where);

}  // namespace laconic::test
