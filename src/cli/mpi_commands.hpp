// SPDX-License-Identifier: BSD-3-Clause
// Commands that run under mpiexec, as both kinds of programs list them: `laconic` hands them over, laconic-mpich and
// laconic-openmpi do them.
#pragma once

#include "cli/command.hpp"

namespace laconic::cli {

inline constexpr command bench_collective_command{
    "bench collective", "Measure collectives, next to stock MPI, under mpiexec",
    "  mpiexec -n 4 laconic bench collective --op allreduce --algorithms stock,homcomp_f --data wave.f32 \\\n"
    "      --type f32 --bytes 64M --rel 1e-3 --scope contribution\n",
    declare_bench_collective};
inline constexpr command bench_redistribute_command{
    "bench redistribute", "Measure exchanges of patches, every engine, under mpiexec",
    "  mpiexec -n 2 laconic bench redistribute --global 256x256x256 --patch 32x32x32 --placement round_robin\n"
    "  mpiexec -n 8 laconic bench redistribute --global 256x256x256 --patch 32x32x32 --engines auto,per_rank \\\n"
    "      --png ranks.png\n"
    "  mpiexec -n 4 laconic bench redistribute --global 128x128x128 --patch 32x32x32 --data u.f32 --rel 1e-3 \\\n"
    "      --engines batched,per_rank\n",
    declare_bench_redistribute};
inline constexpr command audit_command{
    "audit", "Hold collectives against the exact result, under mpiexec",
    "  mpiexec -n 4 laconic audit --op allreduce --data wave.f32 --type f32 --bytes 16M --rel 1e-3\n"
    "  mpiexec -n 4 laconic audit --algorithms homcomp_f --data wave.f32 --type f32 --abs 1e-4 \\\n"
    "      --scope contribution\n"
    "  mpiexec -n 8 laconic audit --op bcast --algorithms ring,c_coll --data wave.f64 --type f64 --rel 1e-6 "
    "--json\n",
    declare_audit};
inline constexpr command calibrate_command{"calibrate", "Measure this machine for the cost model, under mpiexec",
                                           "  mpiexec -n 4 laconic calibrate --out machine.toml\n"
                                           "  mpiexec -n 2 laconic calibrate --quick --json\n",
                                           declare_calibrate};

}  // namespace laconic::cli
