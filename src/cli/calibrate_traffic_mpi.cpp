// SPDX-License-Identifier: BSD-3-Clause
// Rounds of messages flow in, medians of the slowest rank flow out.
#include "cli/calibrate_traffic_mpi.hpp"

#include <time.h>

#include <algorithm>
#include <vector>

#include "cli/bench_tools.hpp"
#include "cli/calibrate_times_mpi.hpp"
#include "cli/row_times.hpp"

namespace laconic::cli {
namespace {

constexpr int tag = 77;
constexpr double longest_pause_s = 0.02;
/// Sizes of single messages: from what only has latency to the longest of the engine.
constexpr std::array<std::size_t, 8> step_sizes{8, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10};
static_assert(step_sizes.size() <= model::step_fit::most);
/// Messages that show by how much a link's first bytes are ahead of its rate; less than the least is noise.
constexpr int burst_messages = 4;
constexpr std::size_t burst_message = 64 << 10;
constexpr double least_burst = 6e3;
/// Looks at the messages while a segment is worked on, about as often as the engine looks.
constexpr int looks = 16;
/// Several turns of ranks that share a core.
constexpr double turns_s = 0.05;
}  // namespace

traffic::traffic(MPI_Comm comm, const network_settings& settings)
    : comm_(comm), settings_(settings), out_(touched(segment)), in_(touched(window * segment)) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

void traffic::circles(int strand) noexcept {
    const int base = rank_ / strand * strand, mine = rank_ % strand;
    to_ = base + (mine + 1) % strand;
    from_ = base + (mine + strand - 1) % strand;
}

void traffic::pairs() noexcept {
    to_ = from_ = rank_ ^ 1;
    if (to_ >= size_) to_ = from_ = MPI_PROC_NULL;
}

void traffic::exchange(std::size_t bytes) {
    const auto count = static_cast<int>(bytes);
    MPI_Sendrecv(out_.bytes().data(), count, MPI_BYTE, to_, tag, in_.bytes().data(), count, MPI_BYTE, from_, tag, comm_,
                 MPI_STATUS_IGNORE);
}

void traffic::start(std::size_t bytes, int count, MPI_Request* requests) {
    const auto size = static_cast<int>(bytes);
    for (int i = 0; i < count; ++i, requests += 2) {
        std::byte* const place = in_.bytes().data() + static_cast<std::size_t>(i) * bytes;
        MPI_Irecv(place, size, MPI_BYTE, from_, tag, comm_, requests);
        MPI_Isend(out_.bytes().data(), size, MPI_BYTE, to_, tag, comm_, requests + 1);
    }
}

double traffic::stream(std::size_t bytes, double rounds) {
    const auto round = [&] {
        std::array<MPI_Request, 2 * window> requests;
        start(bytes, window, requests.data());
        for (int look = 0; rounds > 0 && look < window * looks; ++look) {
            int done = 0;
            labour_.work(rounds / looks);
            MPI_Testall(2 * window, requests.data(), &done, MPI_STATUSES_IGNORE);
        }
        MPI_Waitall(2 * window, requests.data(), MPI_STATUSES_IGNORE);
    };
    return repeat(round, rounds > 0) / window;
}

double traffic::work(double rounds) {
    return repeat([&] { labour_.work(rounds * window); }, true) / window;
}

/// By how much work takes longer while messages move, when the work is long enough to hide them.
double traffic::processor_s_per_byte(double stream_s) {
    constexpr double some = 64;
    const double rounds = looks * std::max(1.0, 1.5 * stream_s / (work(some) / some) / looks);
    return std::max(0.0, stream(segment, rounds) - work(rounds)) / segment;
}

/// Single steps by size. A lone step begins when the last rank has seen that all are there, and so takes longer than
/// one of many; of the smallest message that is all there is to see.
/// Returns what meeting takes.
double traffic::measure_steps(model::level& way) {
    model::step_fit& fit = way.steps;
    fit = {};
    double meeting_s = 0;
    for (const std::size_t bytes : step_sizes) {
        const double seconds = lone(static_cast<double>(bytes) * way.beta_s_per_byte, [&] { exchange(bytes); });
        if (fit.rows == 0) meeting_s = seconds - way.alpha_s;
        fit.bytes[fit.rows] = static_cast<double>(bytes);
        const double least = fit.rows == 0 ? way.alpha_s : fit.seconds[fit.rows - 1];
        fit.seconds[fit.rows++] = std::max(least, seconds - meeting_s);
    }
    return meeting_s;
}

/// What passes at once after a pause, ahead of the rate and the latency.
double traffic::burst(const model::level& way, double meeting_s) {
    constexpr double bytes = burst_messages * static_cast<double>(burst_message);
    const double seconds = lone(bytes * way.beta_s_per_byte, [&] {
        std::array<MPI_Request, 2 * burst_messages> requests;
        start(burst_message, burst_messages, requests.data());
        MPI_Waitall(2 * burst_messages, requests.data(), MPI_STATUSES_IGNORE);
    });
    const double ahead = bytes - (seconds - meeting_s - way.alpha_s) / way.beta_s_per_byte;
    return ahead > least_burst ? ahead : 0;
}

void traffic::measure_level(model::level& way, bool may_burst) {
    way.alpha_s = repeat([&] { exchange(8); });
    const double around = stream(segment);
    way.beta_s_per_byte = std::max(around / segment, 1e-15);
    way.overhead_s = std::min(stream(8), way.alpha_s);
    way.processor_s_per_byte = std::min(processor_s_per_byte(around), way.beta_s_per_byte);
    const double meeting_s = measure_steps(way);
    if (may_burst) way.burst_bytes = burst(way, meeting_s);
    pairs();
    way.exchange_factor = std::clamp(stream(segment) / around, 1.0, 2.0);
}

double traffic::repeat(const std::function<void()>& round, bool mean) {
    round();
    const double once = time_together(comm_, round);
    const double seconds = mean ? std::max(turns_s, settings_.seconds_per_size) : settings_.seconds_per_size;
    const int rounds = static_cast<int>(std::clamp(seconds / once, 3.0, 2000.0));
    std::vector<double> times;
    const double first = MPI_Wtime();
    double begun = first;
    for (int i = 0; i < rounds; ++i) {
        begun = MPI_Wtime();
        round();
        times.push_back(MPI_Wtime() - begun);
    }
    return slowest_of(comm_, mean ? (begun - first + times.back()) / rounds : median(times));
}

double traffic::lone(double pause_s, const std::function<void()>& round) {
    const timespec pause{0, static_cast<long>(std::min(pause_s, longest_pause_s) * 1e9)};
    std::vector<double> times;
    double spent = 0;
    while (times.size() < 9 || (spent < settings_.seconds_per_size && times.size() < 500)) {
        if (pause.tv_nsec > 0) nanosleep(&pause, nullptr);
        times.push_back(time_together(comm_, round));
        spent += times.back() + pause_s;
    }
    return settings_.takes_turns ? quantile(times, 0) : median(times);
}

}  // namespace laconic::cli
