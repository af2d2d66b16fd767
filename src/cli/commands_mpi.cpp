// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands of laconic-mpich and laconic-openmpi, the programs that `laconic` hands over to.
#include <fmt/format.h>

#include <array>
#include <string>

#include "cli/mpi_commands.hpp"

namespace laconic::cli {
namespace {

constexpr std::array table{
    bench_collective_command,
    bench_redistribute_command,
    audit_command,
    calibrate_command,
};

}  // namespace

std::span<const command> commands() noexcept { return table; }

std::string where_to_look(const CLI::App& /*where*/) {
    std::string names;
    for (const command& row : table) names.append(names.empty() ? "" : ", ").append(row.name);
    return fmt::format("laconic-{} has {}; 'laconic' has all the others", LACONIC_FLAVOUR, names);
}

}  // namespace laconic::cli
