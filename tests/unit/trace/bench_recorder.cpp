// SPDX-License-Identifier: BSD-3-Clause
// What recording a call costs, without MPI and without making its signature: nanoseconds per call for loops as programs
// have them, in memory and with a part file.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>

#include "programs.hpp"
#include "trace/recorder.hpp"

namespace laconic::trace {
namespace {

/// Of this process, so that others on the machine count only by the caches they take.
double cpu_ns() { return static_cast<double>(std::clock()) * (1e9 / CLOCKS_PER_SEC); }

double best_ns(const char* name, std::size_t count, const std::function<void(recorder&)>& run, bool file) {
    double best = 1e300;
    std::size_t used = 0;
    for (int round = 0; round < 5; ++round) {
        recorder_options options;
        if (file) options.part_path = (std::filesystem::temp_directory_path() / "laconic-bench").string();
        const auto to = std::move(recorder::make(options)).value();
        const double start = cpu_ns();
        run(*to);
        best = std::min(best, (cpu_ns() - start) / static_cast<double>(count));
        used = to->bytes_used();
        to->remove_parts();
    }
    std::printf("%-28s %-7s %8.1f ns/call %10zu bytes\n", name, file ? "file" : "memory", best, used);
    return best;
}

void bench_calls() {
    constexpr std::size_t many = 1000000;
    const bytes rank_call = written_call(0, f_rank).code(world).code(0).number(0);
    const calls loop = stencil(4, {3, 3}, false, 1);
    std::mt19937 random(1);
    std::vector<std::size_t> choice(many);
    for (auto& each : choice) each = random() % 64;
    calls irregular;
    for (int i = 0; i < 64; ++i)
        irregular.push_back(
            written_call(0, f_send).buffer(2, 8 * i).number(i).code(f64_type).rank(1).number(3).code(world).code(0));
    for (const bool file : {false, true}) {
        best_ns(
            "one call again and again", many,
            [&](recorder& to) {
                for (std::size_t i = 0; i < many; ++i) to.call(rank_call, i, 100);
            },
            file);
        best_ns(
            "stencil loop", many / loop.size() * loop.size(),
            [&](recorder& to) {
                for (std::size_t i = 0; i < many / loop.size(); ++i)
                    for (const bytes& each : loop) to.call(each, i, 100);
            },
            file);
        best_ns(
            "irregular arguments (64)", many,
            [&](recorder& to) {
                for (std::size_t i = 0; i < many; ++i) to.call(irregular[choice[i]], i, 100);
            },
            file);
        best_ns(
            "ever-changing tags", many,
            [&](recorder& to) {
                bytes call;
                for (std::size_t i = 0; i < many; ++i) {
                    call.clear();
                    put_varint(call, f_send << 1);
                    for (int k = 0; k < 8; ++k) put_varint(call, 5);
                    put_varint(call, i);
                    to.call(call, i, 100);
                }
            },
            file);
    }
}

}  // namespace
}  // namespace laconic::trace

int main() {
    laconic::trace::bench_calls();
    return 0;
}
