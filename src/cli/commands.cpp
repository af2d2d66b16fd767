// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands of `laconic`, which needs no MPI.
#include <array>

#include "cli/command.hpp"

namespace laconic::cli {
namespace {

constexpr std::array table{
    command{"compress", "Compress a raw array within an error bound",
            "  laconic compress wave.f32 -o wave.lac --type f32 --rel 1e-3\n"
            "  laconic compress velocity.f64 -o velocity.lac --type f64 --abs 0.5\n"
            "  solver | laconic compress - -o wave.lac --type f32 --lossless\n",
            declare_compress},
    command{"decompress", "Restore the raw array from a frame",
            "  laconic decompress wave.lac -o wave.f32\n"
            "  laconic decompress wave.lac -o - | plot\n",
            declare_decompress},
    command{"inspect", "Verify a frame and say what is in it",
            "  laconic inspect wave.lac\n"
            "  laconic inspect wave.lac --json\n",
            declare_inspect},
    command{"add", "Add two frames without decompressing them",
            "  laconic add shot1.lac shot2.lac -o stack.lac\n"
            "  laconic add stack.lac shot3.lac -o stack.lac\n",
            declare_add},
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
            "  laconic bench codec --data wave.f32 --type f32 --rel 1e-3 --megabytes 64 --engines avx512 --json\n",
            declare_bench_codec},
    command{"bench collective", "Measure collectives, next to stock MPI, under mpiexec",
            "  mpiexec -n 4 laconic bench collective --op allreduce --algorithms stock,fused --data wave.f32 \\\n"
            "      --type f32 --bytes 64M --rel 1e-3 --scope contribution\n",
            declare_bench_collective},
    command{"completion", "Print a completion script for a shell",
            "  laconic completion bash > /etc/bash_completion.d/laconic\n"
            "  source <(laconic completion zsh)\n"
            "  laconic completion fish > ~/.config/fish/completions/laconic.fish\n",
            declare_completion},
};

}  // namespace

std::span<const command> commands() noexcept { return table; }

bool speaks_for_the_job(int /*exit_code*/) { return true; }

}  // namespace laconic::cli
