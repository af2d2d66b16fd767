// SPDX-License-Identifier: BSD-3-Clause
// The directory of the running program and the launcher's variables in, the MPI program to run out.
#include "cli/siblings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "cli/command.hpp"

namespace laconic::cli {
namespace {

constexpr std::array<std::string_view, 2> flavours{"mpich", "openmpi"};

bool any_set(std::initializer_list<const char*> variables) {
    return std::any_of(variables.begin(), variables.end(),
                       [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::string sibling_path(std::string_view flavour) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return (self.parent_path() / fmt::format("laconic-{}", flavour)).string();
}

std::vector<std::string_view> present_flavours() {
    std::vector<std::string_view> found;
    for (const std::string_view flavour : flavours)
        if (::access(sibling_path(flavour).c_str(), X_OK) == 0) found.push_back(flavour);
    return found;
}

std::optional<std::string_view> launcher_flavour() {
    // Open MPI's launcher also sets PMIX_*, as does Slurm's for either MPI: PMIX_* alone decides nothing.
    if (any_set({"OMPI_COMM_WORLD_SIZE"})) return "openmpi";
    if (any_set({"HYDI_CONTROL_FD", "HYDRA_CONTROL_FD", "PMI_RANK", "PMI_FD", "MPI_LOCALNRANKS"})) return "mpich";
    return std::nullopt;
}

std::string_view choose_flavour(std::string_view requested) {
    const auto launcher = launcher_flavour();
    if (!requested.empty() && std::find(flavours.begin(), flavours.end(), requested) == flavours.end())
        fail_usage(fmt::format("--mpi is '{}'; use mpich or openmpi", requested));
    if (launcher && !requested.empty() && *launcher != requested)
        fail_usage(
            fmt::format("--mpi is {}, but the mpiexec that started this process is that of {}; start it with "
                        "mpiexec.{}, or leave out --mpi",
                        requested, *launcher, requested));
    const auto present = present_flavours();
    if (present.empty())
        fail_data(
            fmt::format("no laconic-mpich or laconic-openmpi beside '{}'; build with an MPI installed "
                        "(libmpich-dev or libopenmpi-dev)",
                        sibling_path("*")));
    const std::string_view wanted = launcher ? *launcher : !requested.empty() ? requested : present.front();
    if (std::find(present.begin(), present.end(), wanted) == present.end())
        fail_data(fmt::format("there is no '{}'; build laconic with {} installed, or use --mpi {}",
                              sibling_path(wanted), wanted, present.front()));
    return *std::find(flavours.begin(), flavours.end(), wanted);
}

}  // namespace laconic::cli
