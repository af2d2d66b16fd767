// SPDX-License-Identifier: BSD-3-Clause
// All ranks that can exchange messages do so at once, as collectives make them: a pair that has the machine to itself
// would say too little of the time that bytes take where hosts share cores. Times flow in; alpha, beta and their like
// flow out.
#include "cli/calibrate_network_mpi.hpp"

#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "cli/bench_tools.hpp"

namespace laconic::cli {
namespace {

constexpr int tag = 77;
constexpr std::size_t segment = 128 << 10;
constexpr int window = 32;
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
/// Ranks that work at once take longer than one by less than this when each has a core.
constexpr double same_pace = 1.15;

double median(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

int own_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// Work for the processor alone: nothing that waits for memory.
class labour {
public:
    void work(double rounds) noexcept {
        for (double done = 0; done < rounds; ++done)
            for (float& value : values_) value = 0.5F * value + 1;
    }

private:
    std::array<float, 1024> values_{};
};

/// Ranks that exchange messages at once: each sends to one and receives from one.
class traffic {
public:
    traffic(MPI_Comm comm, const network_settings& settings)
        : comm_(comm), settings_(settings), out_(touched(segment)), in_(touched(window * segment)) {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
    }

    /// To the next rank from the one before, `stride` apart; `strand` ranks in a circle, one circle after the other.
    void circles(int strand) noexcept {
        const int base = rank_ / strand * strand, mine = rank_ % strand;
        to_ = base + (mine + 1) % strand;
        from_ = base + (mine + strand - 1) % strand;
    }
    /// With the neighbour; the last of an odd number has none.
    void pairs() noexcept {
        to_ = from_ = rank_ ^ 1;
        if (to_ >= size_) to_ = from_ = MPI_PROC_NULL;
    }

    /// Seconds of a step in which every rank sends and receives one message.
    double step(int bytes) {
        return repeat([&] {
            MPI_Sendrecv(out_.bytes().data(), bytes, MPI_BYTE, to_, tag, in_.bytes().data(), bytes, MPI_BYTE, from_,
                         tag, comm_, MPI_STATUS_IGNORE);
        });
    }

    /// Seconds per message of `bytes` when `window` of them are on their way from every rank, and every rank works
    /// `rounds` for each of them.
    double stream(std::size_t bytes, double rounds = 0) {
        const auto count = static_cast<int>(bytes);
        return repeat(
                   [&] {
                       std::array<MPI_Request, 2 * window> requests;
                       for (std::size_t i = 0; i < window; ++i) {
                           MPI_Irecv(in_.bytes().data() + i * bytes, count, MPI_BYTE, from_, tag, comm_,
                                     &requests[2 * i]);
                           MPI_Isend(out_.bytes().data(), count, MPI_BYTE, to_, tag, comm_, &requests[2 * i + 1]);
                       }
                       for (int look = 0; rounds > 0 && look < window * looks; ++look) {
                           int done = 0;
                           labour_.work(rounds / looks);
                           MPI_Testall(2 * window, requests.data(), &done, MPI_STATUSES_IGNORE);
                       }
                       MPI_Waitall(2 * window, requests.data(), MPI_STATUSES_IGNORE);
                   },
                   rounds > 0) /
               window;
    }

    /// Seconds of `rounds` of work on all ranks at once. The mean, which has the turns of ranks that share a core in
    /// it.
    double work(double rounds) {
        return repeat([&] { labour_.work(rounds * window); }, true) / window;
    }

    /// Processor time per byte that is sent and received: by how much work takes longer while messages move, when the
    /// work is long enough to hide them.
    double processor_s_per_byte(double stream_s) {
        constexpr double some = 64;
        const double rounds = looks * std::max(1.0, 1.5 * stream_s / (work(some) / some) / looks);
        return std::max(0.0, stream(segment, rounds) - work(rounds)) / segment;
    }

    /// Seconds of a step as step() has it, the network idle for `pause_s` before, from when the last rank is there.
    double lone_step(std::size_t bytes, double pause_s) {
        const auto count = static_cast<int>(bytes);
        return lone(pause_s, [&] {
            MPI_Sendrecv(out_.bytes().data(), count, MPI_BYTE, to_, tag, in_.bytes().data(), count, MPI_BYTE, from_,
                         tag, comm_, MPI_STATUS_IGNORE);
        });
    }

    /// What passes at once after a pause, ahead of the rate that stream() found.
    double burst(const model::level& way) {
        constexpr double bytes = burst_messages * static_cast<double>(burst_message);
        const double seconds = lone(bytes * way.beta_s_per_byte, [&] {
            std::array<MPI_Request, 2 * burst_messages> requests;
            for (std::size_t i = 0; i < burst_messages; ++i) {
                MPI_Irecv(in_.bytes().data() + i * burst_message, burst_message, MPI_BYTE, from_, tag, comm_,
                          &requests[2 * i]);
                MPI_Isend(out_.bytes().data(), burst_message, MPI_BYTE, to_, tag, comm_, &requests[2 * i + 1]);
            }
            MPI_Waitall(2 * burst_messages, requests.data(), MPI_STATUSES_IGNORE);
        });
        const double ahead = bytes - (seconds - way.alpha_s) / way.beta_s_per_byte;
        return ahead > least_burst ? ahead : 0;
    }

    /// Single steps by size. A lone step begins when the last rank has seen that all are there, and so takes longer
    /// than one of many; of the smallest message that is all there is to see.
    void measure_steps(model::level& way) {
        model::step_fit& fit = way.steps;
        fit = {};
        double meeting_s = 0;
        for (const std::size_t bytes : step_sizes) {
            const double seconds = lone_step(bytes, static_cast<double>(bytes) * way.beta_s_per_byte);
            if (fit.rows == 0) meeting_s = seconds - way.alpha_s;
            fit.bytes[fit.rows] = static_cast<double>(bytes);
            const double least = fit.rows == 0 ? way.alpha_s : fit.seconds[fit.rows - 1];
            fit.seconds[fit.rows++] = std::max(least, seconds - meeting_s);
        }
    }

    /// Collective over the world; the slowest rank counts.
    void measure_level(model::level& way) {
        way.alpha_s = step(8);
        const double around = stream(segment);
        way.beta_s_per_byte = std::max(around / segment, 1e-15);
        way.overhead_s = std::min(stream(8), way.alpha_s);
        way.processor_s_per_byte = std::min(processor_s_per_byte(around), way.beta_s_per_byte);
        way.burst_bytes = burst(way);
        measure_steps(way);
        pairs();
        way.exchange_factor = std::clamp(stream(segment) / around, 1.0, 2.0);
    }

private:
    /// Median, or mean, of a round's times, over about so many seconds, of the slowest rank.
    double repeat(const std::function<void()>& round, bool mean = false) {
        round();
        MPI_Barrier(comm_);
        double begun = MPI_Wtime();
        round();
        const double once = std::max(slowest(MPI_Wtime() - begun), 1e-9);
        const double seconds = mean ? std::max(turns_s, settings_.seconds_per_size) : settings_.seconds_per_size;
        const int rounds = static_cast<int>(std::clamp(seconds / once, 3.0, 2000.0));
        std::vector<double> times;
        const double first = MPI_Wtime();
        for (int i = 0; i < rounds; ++i) {
            begun = MPI_Wtime();
            round();
            times.push_back(MPI_Wtime() - begun);
        }
        return slowest(mean ? (begun - first + times.back()) / rounds : median(times));
    }
    /// Median time of rounds that begin after a pause, all ranks at once.
    double lone(double pause_s, const std::function<void()>& round) {
        const timespec pause{0, static_cast<long>(std::min(pause_s, 0.02) * 1e9)};
        std::vector<double> times;
        double spent = 0;
        while (times.size() < 9 || (spent < settings_.seconds_per_size && times.size() < 500)) {
            if (pause.tv_nsec > 0) nanosleep(&pause, nullptr);
            MPI_Barrier(comm_);
            const double begun = MPI_Wtime();
            round();
            times.push_back(slowest(MPI_Wtime() - begun));
            spent += times.back() + pause_s;
        }
        return median(times);
    }
    double slowest(double mine) {
        double all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm_);
        return all;
    }

    MPI_Comm comm_;
    network_settings settings_;
    int rank_ = 0, size_ = 1, to_ = MPI_PROC_NULL, from_ = MPI_PROC_NULL;
    labour labour_;
    buffer out_, in_;
};

/// By how much work takes longer when all ranks work than when one does.
double measure_sharing(const network_settings& settings) {
    constexpr double rounds = 64;
    double alone = 0;
    if (own_rank() == 0) {
        traffic nobody(MPI_COMM_SELF, settings);
        alone = nobody.work(rounds);
        // The least: whatever else runs here makes it longer.
        for (int again = 0; again < 4; ++again) alone = std::min(alone, nobody.work(rounds));
    }
    sleep_until_all_arrive();
    MPI_Bcast(&alone, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double sharing = traffic(MPI_COMM_WORLD, settings).work(rounds) / std::max(alone, 1e-12);
    return sharing < same_pace ? 1 : sharing;
}

void each_number(model::level& way, const std::function<void(double&)>& visit) {
    for (double* const number : {&way.alpha_s, &way.beta_s_per_byte, &way.overhead_s, &way.exchange_factor,
                                 &way.processor_s_per_byte, &way.burst_bytes})
        visit(*number);
    for (double& number : way.steps.bytes) visit(number);
    for (double& number : way.steps.seconds) visit(number);
}

/// Runs `body` on ranks with a colour, those of a colour in a communicator in the order of `key`, while the others
/// sleep; all ranks then know the slowest's numbers.
void in_groups(bool takes_part, int colour, int key, model::level& found, double& other,
               const std::function<void(MPI_Comm)>& body) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? colour : MPI_UNDEFINED, key, &comm);
    if (takes_part) {
        body(comm);
        MPI_Comm_free(&comm);
    }
    sleep_until_all_arrive();
    MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    each_number(found,
                [](double& number) { MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); });
    MPI_Allreduce(MPI_IN_PLACE, &found.steps.rows, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

}  // namespace

std::vector<int> topology::on_node(int node) const {
    std::vector<int> found;
    for (int rank = 0; rank < ranks; ++rank)
        if (node_of[static_cast<std::size_t>(rank)] == node) found.push_back(rank);
    return found;
}

topology find_topology() {
    topology found;
    const int rank = own_rank();
    MPI_Comm_size(MPI_COMM_WORLD, &found.ranks);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    int leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    found.node_of.resize(static_cast<std::size_t>(found.ranks));
    MPI_Allgather(&leader, 1, MPI_INT, found.node_of.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> leaders = found.node_of;
    std::sort(leaders.begin(), leaders.end());
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
    found.nodes = static_cast<int>(leaders.size());
    for (int& of : found.node_of)
        of = static_cast<int>(std::lower_bound(leaders.begin(), leaders.end(), of) - leaders.begin());
    return found;
}

void sleep_until_all_arrive() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) return;
        const timespec pause{0, 200'000};
        nanosleep(&pause, nullptr);
    }
}

network_found measure_network(const topology& where, const network_settings& settings, model::machine& found) {
    network_found done;
    const int node = where.node_of[static_cast<std::size_t>(own_rank())];
    const std::vector<int> mates = where.on_node(node);
    const auto local = static_cast<int>(std::find(mates.begin(), mates.end(), own_rank()) - mates.begin());
    std::size_t fewest = mates.size(), most = mates.size();
    for (int each = 0; each < where.nodes; ++each) {
        fewest = std::min(fewest, where.on_node(each).size());
        most = std::max(most, where.on_node(each).size());
    }
    // A node has as many cores as keep its ranks at the pace of one alone: less than one where nodes are emulated.
    const double sharing = measure_sharing(settings);
    double cores = static_cast<double>(most) / sharing;
    if (sharing <= 1) cores = std::max(cores, static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)));
    MPI_Allreduce(&cores, &found.cores, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    const model::level nothing{0, 0, 0, 0, 0, 0, {}};
    double unused = 0;
    if (most > 1) {
        found.intra = nothing;
        in_groups(mates.size() > 1, node, local, found.intra, unused, [&](MPI_Comm comm) {
            traffic all(comm, settings);
            all.circles(static_cast<int>(mates.size()));
            all.measure_level(found.intra);
        });
        found.intra.processor_s_per_byte /= sharing;
        done.intra = true;
    }
    if (where.nodes > 1) {
        found.inter = nothing;
        found.host_beta_s_per_byte = 0;
        in_groups(local == 0, 0, node, found.inter, unused, [&](MPI_Comm comm) {
            traffic leaders(comm, settings);
            leaders.circles(where.nodes);
            leaders.measure_level(found.inter);
        });
        found.inter.processor_s_per_byte /= sharing;
        model::level same = nothing;
        const auto flows = static_cast<int>(fewest);
        in_groups(local < flows, 0, local * where.nodes + node, same, found.host_beta_s_per_byte, [&](MPI_Comm comm) {
            traffic all(comm, settings);
            all.circles(where.nodes);
            found.host_beta_s_per_byte = all.stream(segment) / (flows * static_cast<double>(segment));
        });
        // Of one rank nothing but noise is between the two.
        if (flows == 1) found.host_beta_s_per_byte = found.inter.beta_s_per_byte;
        done.inter = true;
    }
    return done;
}

}  // namespace laconic::cli
