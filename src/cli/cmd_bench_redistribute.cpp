// SPDX-License-Identifier: BSD-3-Clause
// laconic bench redistribute without MPI: handed over to the program of the right MPI.
#include "cli/handover.hpp"

namespace laconic::cli {

action declare_bench_redistribute(CLI::App& app) { return declare_handover(app, {"bench", "redistribute"}); }

}  // namespace laconic::cli
