// SPDX-License-Identifier: BSD-3-Clause
// What launchers are called, and how they are asked.
#include "cli/mpi_launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace laconic::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> launchers{
    "mpiexec",         "mpirun",         "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra",
    "mpiexec.openmpi", "mpirun.openmpi", "orterun",       "prterun",      "mpirun.hydra"};

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::string flavour_in(std::string_view name) {
    if (has(name, "mpich") || has(name, "hydra")) return "mpich";
    if (has(name, "openmpi") || has(name, "orterun") || has(name, "prterun")) return "openmpi";
    return {};
}

/// The file that a shell would run; "" for none.
fs::path found(const std::string& word) {
    std::error_code error;
    if (has(word, "/")) return fs::canonical(word, error);
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path candidate = fs::path(folder) / word; fs::is_regular_file(candidate, error))
            return fs::canonical(candidate, error);
    return {};
}

std::string version_of(const fs::path& program) {
    std::string quoted = "'";
    for (const char c : program.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    FILE* const pipe = ::popen((quoted + "' --version 2>&1 < /dev/null").c_str(), "r");
    if (pipe == nullptr) return {};
    std::string text;
    std::array<char, 4096> piece{};
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), got);
    ::pclose(pipe);
    return text;
}

}  // namespace

mpi_launcher launcher_of(const std::string& word) {
    const std::string name = fs::path(word).filename().string();
    const fs::path program = found(word);
    mpi_launcher known;
    known.takes_options = std::find(launchers.begin(), launchers.end(), name) != launchers.end();
    // Other programs may have an MPI in their names for other reasons.
    if (!known.takes_options && !name.starts_with("mpiexec") && !name.starts_with("mpirun")) return known;
    known.flavour = flavour_in(name);
    if (known.flavour.empty()) known.flavour = flavour_in(program.filename().string());
    if (known.flavour.empty() && known.takes_options && !program.empty()) {
        const std::string version = version_of(program);
        if (has(version, "Open MPI") || has(version, "OpenRTE")) known.flavour = "openmpi";
        if (has(version, "HYDRA") || has(version, "MPICH")) known.flavour = "mpich";
    }
    return known;
}

std::vector<std::string> with_variables(const mpi_launcher& launcher, std::vector<std::string> command,
                                        const variables& all) {
    std::vector<std::string> options;
    for (const auto& [name, value] : all) {
        if (launcher.flavour == "openmpi")
            options.insert(options.end(), {"-x", fmt::format("{}={}", name, value)});
        else
            options.insert(options.end(), {"-genv", name, value});
    }
    command.insert(command.begin() + 1, options.begin(), options.end());
    return command;
}

}  // namespace laconic::cli
