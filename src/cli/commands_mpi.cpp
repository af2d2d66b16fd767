// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands of laconic-mpich and laconic-openmpi, the programs that `laconic` hands over to.
#include <array>

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

}  // namespace laconic::cli
