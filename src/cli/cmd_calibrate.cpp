// SPDX-License-Identifier: BSD-3-Clause
// laconic calibrate without MPI: handed over to the program of the right MPI.
#include "cli/handover.hpp"

namespace laconic::cli {

action declare_calibrate(CLI::App& app) { return declare_handover(app, {"calibrate"}); }

}  // namespace laconic::cli
