// SPDX-License-Identifier: BSD-3-Clause
// laconic audit without MPI: handed over to the program of the right MPI.
#include "cli/handover.hpp"

namespace laconic::cli {

action declare_audit(CLI::App& app) { return declare_handover(app, {"audit"}); }

}  // namespace laconic::cli
