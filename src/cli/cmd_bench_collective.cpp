// SPDX-License-Identifier: BSD-3-Clause
// laconic bench collective without MPI: handed over to the program of the right MPI.
#include "cli/handover.hpp"

namespace laconic::cli {

action declare_bench_collective(CLI::App& app) { return declare_handover(app, {"bench", "collective"}); }

}  // namespace laconic::cli
