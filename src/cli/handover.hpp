// SPDX-License-Identifier: BSD-3-Clause
// Commands that need MPI, in the program without it: the arguments flow in unread and flow on to laconic-mpich or
// laconic-openmpi, whichever belongs to the mpiexec that started this process.
#pragma once

#include <initializer_list>
#include <string>

#include "cli/command.hpp"

namespace laconic::cli {

/// Declares a command whose options, --help included, are known to the MPI program alone. `words`: its name, word by
/// word.
[[nodiscard]] action declare_handover(CLI::App& app, std::initializer_list<std::string> words);

}  // namespace laconic::cli
