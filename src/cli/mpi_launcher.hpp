// SPDX-License-Identifier: BSD-3-Clause
// Launchers of MPI programs: the first word of a command flows in, which MPI it starts and how it is told about
// variables for the ranks flows out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace laconic::cli {

struct mpi_launcher {
    std::string flavour;         ///< "mpich", "openmpi", or "" where the word does not say
    bool takes_options = false;  ///< an mpiexec or the like: options for it may stand behind its name
};

/// Of an mpiexec, mpirun or the like: looks at its name and that of the file behind it; if they do not say, asks it for
/// its version.
[[nodiscard]] mpi_launcher launcher_of(const std::string& word);

using variables = std::vector<std::pair<std::string, std::string>>;

/// The command with options that give the ranks these variables, in the launcher's way. Precondition: the launcher
/// takes options, and its flavour is known.
[[nodiscard]] std::vector<std::string> with_variables(const mpi_launcher& launcher, std::vector<std::string> command,
                                                      const variables& all);

}  // namespace laconic::cli
