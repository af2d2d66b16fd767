// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands of laconic-mpich and laconic-openmpi, the programs that `laconic` hands over to.
#include <array>

#include "cli/command.hpp"

namespace laconic::cli {
namespace {

constexpr std::array table{
    command{"bench collective", "Measure collectives, next to stock MPI, under mpiexec",
            "  mpiexec -n 4 laconic bench collective --op allreduce --algorithms stock,fused --data wave.f32 \\\n"
            "      --type f32 --bytes 64M --rel 1e-3 --scope contribution\n",
            declare_bench_collective},
    command{"audit", "Hold collectives against the exact result, under mpiexec",
            "  mpiexec -n 4 laconic audit --op allreduce --data wave.f32 --type f32 --bytes 16M --rel 1e-3\n"
            "  mpiexec -n 4 laconic audit --algorithms homcomp_f --data wave.f32 --type f32 --abs 1e-4 \\\n"
            "      --scope contribution\n"
            "  mpiexec -n 8 laconic audit --op bcast --algorithms ring,c_coll --data wave.f64 --type f64 --rel 1e-6 "
            "--json\n",
            declare_audit},
    command{"calibrate", "Measure this machine for the cost model, under mpiexec",
            "  mpiexec -n 4 laconic calibrate --out machine.toml\n"
            "  mpiexec -n 2 laconic calibrate --quick --json\n",
            declare_calibrate},
};

}  // namespace

std::span<const command> commands() noexcept { return table; }

}  // namespace laconic::cli
