// SPDX-License-Identifier: BSD-3-Clause
// Arguments of MPI commands in; the program of the right flavour runs in this one's place.
#include "cli/handover.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

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

int hand_over(const std::vector<std::string>& words, std::vector<std::string> arguments) {
    const std::string requested = extract_mpi(arguments);
    const std::string path = sibling_path(choose_flavour(requested));
    arguments.insert(arguments.begin(), words.begin(), words.end());
    arguments.insert(arguments.begin(), path);
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    ::execv(path.c_str(), raw.data());
    fail_data(fmt::format("cannot run '{}': {}", path, std::strerror(errno)));
}

}  // namespace

action declare_handover(CLI::App& app, std::initializer_list<std::string> words) {
    app.set_help_flag();
    app.set_version_flag();
    app.prefix_command();
    return [&app, name = std::vector<std::string>(words)] { return hand_over(name, app.remaining()); };
}

}  // namespace laconic::cli
