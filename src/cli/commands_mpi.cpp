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

std::string_view program_examples() noexcept {
    return "  mpiexec -n 4 laconic-" LACONIC_FLAVOUR
           " calibrate --out machine.toml\n"
           "  mpiexec -n 4 laconic-" LACONIC_FLAVOUR
           " bench collective --op allreduce --data wave.f32 --type f32 --rel 1e-3\n"
           "  mpiexec -n 4 laconic-" LACONIC_FLAVOUR
           " audit --algorithms homcomp_f --data wave.f32 --type f32 --abs 1e-4\n"
           "  laconic-" LACONIC_FLAVOUR " COMMAND --help\n";
}

std::string where_to_look(const CLI::App& /*where*/) {
    std::string names;
    for (const command& row : table) names.append(names.empty() ? "" : ", ").append(row.name);
    return fmt::format("laconic-{} has {}; 'laconic' has all the others", LACONIC_FLAVOUR, names);
}

}  // namespace laconic::cli
