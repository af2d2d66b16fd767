// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands of `laconic`, which needs no MPI.
#include <fmt/format.h>

#include <array>

#include "cli/help.hpp"
#include "cli/mpi_commands.hpp"

namespace laconic::cli {
namespace {

constexpr std::array table{
    command{"compress", "Compress a raw array within an error bound",
            "  laconic compress wave.f32 -o wave.lac --type f32 --rel 1e-3\n"
            "  laconic compress velocity.f64 -o velocity.lac --type f64 --abs 0.5\n"
            "  laconic compress weights.bf16 -o weights.lac --type bf16 --rel 1e-2 --threads 0\n"
            "  solver | laconic compress - -o wave.lac --type f32 --abs 1e-4 --segment 64M\n"
            "  laconic compress image.f32 -o image.lac --type f32 --lossless --row-length 1024\n",
            declare_compress},
    command{"decompress", "Restore the raw array from a frame or a sequence of frames",
            "  laconic decompress wave.lac -o wave.f32\n"
            "  laconic decompress wave.lac -o - | plot\n",
            declare_decompress},
    command{"inspect", "Verify a frame or a sequence of frames and say what is in it",
            "  laconic inspect wave.lac\n"
            "  laconic inspect wave.lac --json\n",
            declare_inspect},
    command{"add", "Add two frames without decompressing them",
            "  laconic add shot1.lac shot2.lac -o stack.lac\n"
            "  laconic add stack.lac shot3.lac -o stack.lac\n",
            declare_add},
    command{"subtract", "Subtract one frame from another without decompressing them",
            "  laconic subtract after.lac before.lac -o change.lac\n", declare_subtract},
    command{"scale", "Multiply a frame by a whole number without decompressing it",
            "  laconic scale wave.lac 3 -o thrice.lac\n"
            "  laconic scale wave.lac -2 -o opposite.lac\n",
            declare_scale},
    command{"negate", "Change the sign of a frame without decompressing it", "  laconic negate wave.lac -o minus.lac\n",
            declare_negate},
    command{"minimum", "Take the smaller elements of two frames without decompressing them to values",
            "  laconic minimum today.lac lowest.lac -o lowest.lac\n", declare_minimum},
    command{"maximum", "Take the larger elements of two frames without decompressing them to values",
            "  laconic maximum today.lac highest.lac -o highest.lac\n", declare_maximum},
    command{"compare", "Measure how far one raw array is from another",
            "  laconic compare wave.f32 restored.f32 --type f32\n"
            "  laconic decompress wave.lac -o - | laconic compare wave.f32 - --type f32 --json\n",
            declare_compare},
    command{"info", "Show the version, engines, options and algorithms",
            "  laconic info\n"
            "  laconic info --algorithms\n"
            "  laconic info --json\n",
            declare_info},
    command{"bench codec", "Measure the codec on a field, next to memcpy, on every engine",
            "  laconic bench codec --data wave.f32 --type f32 --rel 1e-3\n"
            "  laconic bench codec --data wave.f32 --type f32 --rel 1e-3 --megabytes 64 --engines avx512 --json\n"
            "  laconic bench codec --data image.f32 --type f32 --rel 1e-3 --row-length 1024 --threads 4\n",
            declare_bench_codec},
    bench_collective_command,
    bench_redistribute_command,
    command{"predict", "Predict how long collectives take, row by row of the algorithm table",
            "  laconic predict --op allreduce --bytes 256M --ranks 128 --beta 12.5GB/s --ratio 10\n"
            "  laconic predict --op bcast --bytes 64M --ranks 64 --nodes 16 --ratio 5 --machine machine.toml --json\n"
            "  laconic predict --ranks 8 --beta 1Gbit/s --alpha 30us --ratio 8 --crossover\n",
            declare_predict},
    audit_command,
    command{"plan", "Plan a redistribution of blocks or patches over ranks, and say what it moves",
            "  laconic plan --global 1000x1000x1000 --patch 32x32x32 --ranks 1024\n"
            "  laconic plan --global 1000x1000x1000 --patch 32x32x32 --ranks 1024 --placement balanced --json\n"
            "  laconic plan --global 1000x1000x1000 --patch 32x32x32 --ranks 1024 --pareto --png pareto.png\n"
            "  laconic plan --global 200x300 --patch 75x75 --grid 2x3 --placement round_robin --png plan.png\n"
            "  laconic plan --global 512x512x512 --patches 1x8x8 --grid 8x8x1 --node-size 8\n",
            declare_plan},
    calibrate_command,
    command{"trace", "Run an MPI program and record every MPI call of every rank",
            "  laconic trace -o app.trace -- mpiexec -n 4 ./app\n"
            "  laconic trace --timing lossless -- mpirun.openmpi -n 64 ./app input.toml\n"
            "  laconic trace --mpi mpich -o app.trace -- srun -n 64 ./app\n",
            declare_trace},
    command{"stat", "Say what is in a trace of an MPI program",
            "  laconic stat app.trace\n"
            "  laconic stat app.trace --json\n"
            "  laconic stat app.trace.parts    what a crashed program left\n",
            declare_stat},
    command{"dump", "Print every call of a trace, of one rank or all",
            "  laconic dump app.trace --rank 0\n"
            "  laconic dump app.trace --rank 3 --from 1000 --calls 20\n"
            "  laconic dump app.trace --json | jq 'select(.function == \"MPI_Send\")'\n",
            declare_dump},
    command{"diff", "Compare the calls of two traces, whatever their times",
            "  laconic diff before.trace after.trace\n", declare_diff},
    command{"export", "Write a trace for other tools",
            "  laconic export app.trace --to chrome -o app.json    chrome://tracing, ui.perfetto.dev\n"
            "  laconic export app.trace --to csv -o app.csv\n"
            "  laconic export app.trace --to otf2 -o app.otf2    Vampir, Cube, otf2-print\n"
            "  laconic export app.trace --to smpi -o app.replay    SimGrid's smpirun -replay\n",
            declare_export},
    command{"completion", "Print a completion script for a shell",
            "  laconic completion bash > /etc/bash_completion.d/laconic\n"
            "  source <(laconic completion zsh)\n"
            "  laconic completion fish > ~/.config/fish/completions/laconic.fish\n",
            declare_completion},
};

}  // namespace

std::span<const command> commands() noexcept { return table; }

std::string_view program_examples() noexcept {
    return "  laconic compress wave.f32 -o wave.lac --type f32 --rel 1e-3\n"
           "  laconic decompress wave.lac -o wave.out\n"
           "  laconic compare wave.f32 wave.out --type f32\n"
           "  laconic COMMAND --help\n";
}

std::string where_to_look(const CLI::App& where) { return fmt::format("see '{} --help'", full_name(where)); }

bool speaks_for_the_job(int /*exit_code*/) { return true; }

}  // namespace laconic::cli
