// SPDX-License-Identifier: BSD-3-Clause
// The methods for times beside each other: the side logs of a program's ranks flow in (or made-up times, without any),
// one line of JSON per method flows out: ratio and PSNR of durations and of gaps, ratio of both together, and CPU time.
// bench_timings [SIDE LOG ...]
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>
#include <random>

#include "programs.hpp"
#include "trace/signature_table.hpp"
#include "trace/timing.hpp"
#include "trace/timing_methods.hpp"

namespace laconic::trace {
namespace {

using values = std::vector<std::uint64_t>;

/// One rank's calls.
struct timed {
    std::vector<bytes> signatures;
    std::vector<std::uint32_t> terminals;
    values starts, durations, gaps;

    void add(bytes signature, std::uint64_t start, std::uint64_t duration) {
        const std::uint64_t end = starts.empty() ? start : starts.back() + durations.back();
        gaps.push_back(start > end ? start - end : 0);
        terminals.push_back(table_.number_of(signature));
        signatures.push_back(std::move(signature));
        starts.push_back(start);
        durations.push_back(duration);
    }

private:
    signature_table table_;
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
            now += static_cast<std::uint64_t>((i == 3 ? 500000 : 150) * noise(random));
            const auto duration = static_cast<std::uint64_t>(usual * noise(random) * (random() % 500 == 0 ? 40 : 1));
            all.add(loop[i], now, duration);
            now += duration;
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
        all.add(std::move(signature), times[0], times[1] - times[0]);
    }
    return all;
}

/// Bytes and errors of one channel over all ranks.
struct quality {
    double count = 0, coded_bytes = 0, squares = 0, low = 1e300, high = 0;

    void add(const values& was, const values& is) {
        for (std::size_t i = 0; i < was.size(); ++i) {
            const auto exact = static_cast<double>(was[i]);
            const double off = exact - static_cast<double>(is[i]);
            squares += off * off;
            low = std::min(low, exact);
            high = std::max(high, exact);
        }
        count += static_cast<double>(was.size());
    }
    [[nodiscard]] double ratio() const { return 8 * count / coded_bytes; }
    /// 999: nothing is lost.
    [[nodiscard]] double psnr() const {
        return squares == 0 ? 999 : 20 * std::log10(high - low) - 10 * std::log10(squares / count);
    }
};

struct setting {
    const char* name;
    timing_options options;
    double duration_tolerance_ns, gap_tolerance_ns;  ///< zfp's, where they are not relative to the mean
};

bool by_signature(timing_method method) {
    return method == timing_method::hist || method == timing_method::sz_clustered ||
           method == timing_method::zfp_clustered;
}

/// One channel by an array method.
void code_array(const timed& all, const values& was, setting how, double tolerance_ns, quality& into) {
    std::vector<std::size_t> order(was.size()), ends;
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (by_signature(how.options.method)) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return all.terminals[a] < all.terminals[b]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (all.terminals[order[i]] == ends.size()) ends.push_back(0);
            ends.back() = i + 1;
        }
    }
    values sorted, restored;
    for (const std::size_t at : order) sorted.push_back(was[at]);
    if (tolerance_ns > 0) {
        const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
        how.options.relative = tolerance_ns * static_cast<double>(sorted.size()) / std::max(sum, 1.0);
    }
    bytes coded;
    write_channel(coded, sorted, ends, how.options);
    wire_reader in(coded);
    if (!read_channel(in, sorted.size(), ends, how.options, restored).ok() || restored.size() != sorted.size())
        std::printf("%s cannot be read again\n", how.name);
    into.coded_bytes += static_cast<double>(coded.size());
    into.add(sorted, restored);
}

/// Both channels as a trace has them; where a channel is left out, it is all zeros and costs next to nothing.
bytes block_of(const timed& all, const timing_options& options, bool durations, bool gaps, double& took_s) {
    timing_writer to(options);
    std::uint64_t now = all.starts.front();
    const std::clock_t start = std::clock();
    for (std::size_t i = 0; i < all.terminals.size(); ++i) {
        const std::uint64_t duration = durations ? all.durations[i] : 0;
        if (gaps) now += all.gaps[i];
        to.add(all.terminals[i], now, duration);
        now += duration;
    }
    bytes block = to.finish().value();
    took_s += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return block;
}

void code_by_position(const timed& all, const setting& how, quality& durations, quality& gaps) {
    double unused = 0;
    durations.coded_bytes += static_cast<double>(block_of(all, how.options, true, false, unused).size());
    gaps.coded_bytes += static_cast<double>(block_of(all, how.options, false, true, unused).size());
    auto from = timing_reader::open(block_of(all, how.options, true, true, unused)).value();
    values restored_durations, restored_gaps;
    std::uint64_t end = all.starts.front();
    for (const bytes& signature : all.signatures) {
        const call_time time = from.next(signature).value();
        restored_durations.push_back(time.duration_ns);
        restored_gaps.push_back(time.start_ns - end);
        end = time.start_ns + time.duration_ns;
    }
    durations.add(all.durations, restored_durations);
    gaps.add(all.gaps, restored_gaps);
}

void compare(const std::vector<timed>& ranks) {
    const auto lossy = [](timing_method method) { return timing_options{timing_mode::lossy, method, 0.1}; };
    const setting settings[] = {
        {"position", lossy(timing_method::position), 0, 0},
        {"hist", lossy(timing_method::hist), 0, 0},
        {"cfg", lossy(timing_method::cfg), 0, 0},
        {"sz", lossy(timing_method::sz), 0, 0},
        {"sz_clustered", lossy(timing_method::sz_clustered), 0, 0},
        {"zfp 10us/10us", lossy(timing_method::zfp), 1e4, 1e4},
        {"zfp_clustered 10us/10us", lossy(timing_method::zfp_clustered), 1e4, 1e4},
        {"zfp 1ms/10ms", lossy(timing_method::zfp), 1e6, 1e7},
        {"zfp_clustered 1ms/10ms", lossy(timing_method::zfp_clustered), 1e6, 1e7},
        {"zfp mean", lossy(timing_method::zfp), 0, 0},
        {"zfp_clustered mean", lossy(timing_method::zfp_clustered), 0, 0},
        {"lossless", {timing_mode::lossless, timing_method::position, 0.1}, 0, 0},
    };
    for (const setting& how : settings) {
        if (!how.options.check().ok()) continue;
        quality durations, gaps;
        double calls = 0, bytes_together = 0, took_s = 0;
        for (const timed& all : ranks) {
            if (how.options.mode == timing_mode::lossy && how.options.method == timing_method::position) {
                code_by_position(all, how, durations, gaps);
            } else {
                code_array(all, all.durations, how, how.duration_tolerance_ns, durations);
                code_array(all, all.gaps, how, how.gap_tolerance_ns, gaps);
            }
            calls += static_cast<double>(all.terminals.size());
            if (how.duration_tolerance_ns == 0)
                bytes_together += static_cast<double>(block_of(all, how.options, true, true, took_s).size());
        }
        const bool alone = bytes_together == 0;
        std::printf(R"({"method": "%s", "calls": %.0f, "duration_ratio": %.3f, "duration_psnr": %.2f, )"
                    R"("gap_ratio": %.3f, "gap_psnr": %.2f, "ratio": %.3f, "ns_per_call": %.1f})"
                    "\n",
                    how.name, calls, durations.ratio(), durations.psnr(), gaps.ratio(), gaps.psnr(),
                    alone ? 16 * calls / (durations.coded_bytes + gaps.coded_bytes) : 16 * calls / bytes_together,
                    alone ? 0 : took_s * 1e9 / calls);
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace laconic::trace

int main(int argc, char** argv) {
    using namespace laconic::trace;
    std::vector<timed> ranks;
    for (int i = 1; i < argc; ++i) ranks.push_back(side_log(argv[i]));
    if (argc < 2) ranks.push_back(made_up());
    std::erase_if(ranks, [](const timed& each) { return each.terminals.empty(); });
    compare(ranks);
    return 0;
}
