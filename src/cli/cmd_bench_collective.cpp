// SPDX-License-Identifier: BSD-3-Clause
// laconic bench collective without MPI: the arguments flow in unread and flow on to laconic-mpich or
// laconic-openmpi, whichever belongs to the mpiexec that started this process.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/siblings.hpp"

namespace laconic::cli {
namespace {

/// Takes "--mpi X" and "--mpi=X" out of the arguments; the MPI programs know no such option.
std::string extract_mpi(std::vector<std::string>& arguments) {
    std::string flavour;
    for (std::size_t i = 0; i < arguments.size();) {
        if (arguments[i] == "--mpi") {
            if (i + 1 == arguments.size()) fail_usage("--mpi needs a value; use mpich or openmpi");
            flavour = arguments[i + 1];
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                            arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
        } else if (arguments[i].starts_with("--mpi=")) {
            flavour = arguments[i].substr(6);
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            ++i;
        }
    }
    return flavour;
}

int hand_over(std::vector<std::string> arguments) {
    const std::string requested = extract_mpi(arguments);
    const std::string path = sibling_path(choose_flavour(requested));
    arguments.insert(arguments.begin(), {path, "bench", "collective"});
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    ::execv(path.c_str(), raw.data());
    fail_data(fmt::format("cannot run '{}': {}", path, std::strerror(errno)));
}

}  // namespace

action declare_bench_collective(CLI::App& app) {
    // --help goes on to the MPI program, which alone knows the options.
    app.set_help_flag();
    app.set_version_flag();
    app.prefix_command();
    return [&app] { return hand_over(app.remaining()); };
}

}  // namespace laconic::cli
