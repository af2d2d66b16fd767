// SPDX-License-Identifier: BSD-3-Clause
// What recording a call costs, without MPI and without making its signature: nanoseconds per call for loops as programs
// have them, in memory and with a part file; and the ratio and PSNR of the timing methods on made-up times, or on those
// of side logs. bench_recorder [SIDE LOG ...]
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "laconic/trace.hpp"
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

struct timed {
    std::vector<bytes> signatures;
    std::vector<std::uint64_t> starts, durations;
};

/// Bell-shaped durations by position in a loop, with rare long ones: what the paper shows of FLASH.
timed made_up() {
    timed all;
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> noise(0, 0.25);
    const calls loop = stencil(4, {3, 3}, false, 1);
    std::uint64_t now = 0;
    for (int turn = 0; turn < 20000; ++turn)
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const double usual = 300 * static_cast<double>(1 + i % 4) + (i == 11 ? 20000 : 0);
            all.signatures.push_back(loop[i]);
            now += static_cast<std::uint64_t>((i == 3 ? 500000 : 150) * noise(random));
            all.starts.push_back(now);
            all.durations.push_back(static_cast<std::uint64_t>(usual * noise(random) * (random() % 500 == 0 ? 40 : 1)));
            now += all.durations.back();
        }
    return all;
}

/// docs/format/trace-signature.md, "The side log".
timed side_log(const char* path) {
    timed all;
    std::ifstream in(path, std::ios::binary);
    char magic[8];
    in.read(magic, 8);
    std::uint32_t size = 0;
    while (in.read(reinterpret_cast<char*>(&size), 4) && size != 0) {
        std::uint64_t times[2];
        in.read(reinterpret_cast<char*>(times), 16);
        bytes signature(size);
        if (!in.read(reinterpret_cast<char*>(signature.data()), size)) break;
        all.signatures.push_back(signature);
        all.starts.push_back(times[0]);
        all.durations.push_back(times[1] - times[0]);
    }
    return all;
}

double psnr(const std::vector<double>& was, const std::vector<double>& is) {
    double sum = 0, low = 1e300, high = 0;
    for (std::size_t i = 0; i < was.size(); ++i) {
        sum += (was[i] - is[i]) * (was[i] - is[i]);
        low = std::min(low, was[i]);
        high = std::max(high, was[i]);
    }
    return sum == 0 ? INFINITY : 20 * std::log10(high - low) - 10 * std::log10(sum / static_cast<double>(was.size()));
}

void bench_times(const char* name, const timed& all) {
    if (all.signatures.empty()) return;
    std::printf("\n%s: %zu calls, 16 bytes each\n%-14s %8s %10s %10s %10s\n", name, all.signatures.size(), "method",
                "ratio", "dur. PSNR", "gap PSNR", "ns/call");
    for (unsigned method = 0; method < 8; ++method) {
        timing_options options{timing_mode::lossy, static_cast<timing_method>(method), 0.1};
        if (method == 7) options = {timing_mode::lossless, timing_method::position, 0.1};
        if (!options.check().ok()) continue;
        timing_writer to(options);
        signature_table table;
        std::vector<std::uint32_t> terminals;
        for (const bytes& each : all.signatures) terminals.push_back(table.number_of(each));
        const double start = cpu_ns();
        for (std::size_t i = 0; i < terminals.size(); ++i) to.add(terminals[i], all.starts[i], all.durations[i]);
        const bytes block = to.finish().value();
        const double took = cpu_ns() - start;
        auto from = timing_reader::open(block).value();
        std::vector<double> was[2], is[2];
        std::uint64_t end = all.starts[0];
        std::uint64_t restored_end = end;
        for (std::size_t i = 0; i < terminals.size(); ++i) {
            const call_time time = from.next(all.signatures[i]).value();
            was[0].push_back(static_cast<double>(all.durations[i]));
            is[0].push_back(static_cast<double>(time.duration_ns));
            was[1].push_back(std::max(0.0, static_cast<double>(static_cast<std::int64_t>(all.starts[i] - end))));
            is[1].push_back(static_cast<double>(static_cast<std::int64_t>(time.start_ns - restored_end)));
            end = all.starts[i] + all.durations[i];
            restored_end = time.start_ns + time.duration_ns;
        }
        std::printf("%-14s %8.2f %10.2f %10.2f %10.1f\n", method == 7 ? "lossless" : name_of(options.method).data(),
                    16.0 * static_cast<double>(terminals.size()) / static_cast<double>(block.size()),
                    psnr(was[0], is[0]), psnr(was[1], is[1]), took / static_cast<double>(terminals.size()));
    }
}

}  // namespace
}  // namespace laconic::trace

int main(int argc, char** argv) {
    using namespace laconic::trace;
    if (argc < 2) {
        bench_calls();
        bench_times("made up", made_up());
    }
    for (int i = 1; i < argc; ++i) bench_times(argv[i], side_log(argv[i]));
    return 0;
}
