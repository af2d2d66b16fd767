// SPDX-License-Identifier: BSD-3-Clause
// Pairs of ranks exchange messages while the others sleep; times flow in, alpha, beta and their like flow out.
#include "cli/calibrate_network_mpi.hpp"

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "cli/bench_tools.hpp"
#include "model/cost.hpp"

namespace laconic::cli {
namespace {

constexpr int tag = 77;
constexpr std::size_t segment = 128 << 10;
constexpr int window = 32;
/// No MPI is further from the best; what is measured beyond it is a busy machine.
constexpr double worst_factor = 10;
constexpr double best_factor = 1.2;

double median(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

int own_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// Repeats `round` on both ranks of a pair for about so many seconds and gives the median of its times on the first
/// rank. Both must make the same number of rounds: the first rank decides it.
double repeat(bool first, int partner, double seconds, const std::function<void()>& round) {
    round();
    const double started = MPI_Wtime();
    round();
    const double once = std::max(MPI_Wtime() - started, 1e-9);
    int rounds = static_cast<int>(std::clamp(seconds / once, 3.0, 2000.0));
    if (first)
        MPI_Send(&rounds, 1, MPI_INT, partner, tag, MPI_COMM_WORLD);
    else
        MPI_Recv(&rounds, 1, MPI_INT, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const double begun = MPI_Wtime();
        round();
        times.push_back(MPI_Wtime() - begun);
    }
    return median(times);
}

class pair_measure {
public:
    pair_measure(bool first, int partner, const network_settings& settings)
        : first_(first),
          partner_(partner),
          settings_(settings),
          out_(touched(std::max(settings.largest, segment))),
          in_(touched(std::max(settings.largest, window * segment))) {}

    /// Half of a round trip.
    double ping_pong(std::size_t bytes) {
        const auto count = static_cast<int>(bytes);
        return repeat(first_, partner_, settings_.seconds_per_size,
                      [&] { first_ ? (send(count), receive(count)) : (receive(count), send(count)); }) /
               2;
    }

    /// Seconds per message of `bytes` when `window` of them are on their way, in one direction or in both.
    double stream(std::size_t bytes, bool both) {
        const auto count = static_cast<int>(bytes);
        const double whole = repeat(first_, partner_, settings_.seconds_per_size, [&] {
            std::array<MPI_Request, 2 * window> requests;
            int posted = 0;
            for (int i = 0; i < window; ++i) {
                if (both || !first_)
                    MPI_Irecv(in_.bytes().data() + static_cast<std::size_t>(i) * bytes, count, MPI_BYTE, partner_, tag,
                              MPI_COMM_WORLD, &requests[static_cast<std::size_t>(posted++)]);
                if (both || first_)
                    MPI_Isend(out_.bytes().data(), count, MPI_BYTE, partner_, tag, MPI_COMM_WORLD,
                              &requests[static_cast<std::size_t>(posted++)]);
            }
            MPI_Waitall(posted, requests.data(), MPI_STATUSES_IGNORE);
            first_ ? receive(0) : send(0);
        });
        return whole / window;
    }

    model::level measure() {
        std::vector<timing> timings;
        for (std::size_t bytes = 1; bytes <= settings_.largest; bytes *= 4)
            timings.push_back({static_cast<double>(bytes), ping_pong(bytes)});
        model::level way;
        fit(timings, way);
        const double one_way = stream(segment, false);
        // Segments that follow each other may be faster than one large message, and never slower than the wire.
        way.beta_s_per_byte = std::min(way.beta_s_per_byte, one_way / segment);
        way.exchange_factor = std::clamp(stream(segment, true) / one_way, 1.0, 2.0);
        way.overhead_s = std::min(stream(8, false), way.alpha_s);
        return way;
    }

private:
    void send(int count) { MPI_Send(out_.bytes().data(), count, MPI_BYTE, partner_, tag, MPI_COMM_WORLD); }
    void receive(int count) {
        MPI_Recv(in_.bytes().data(), count, MPI_BYTE, partner_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    bool first_;
    int partner_;
    network_settings settings_;
    buffer out_, in_;
};

/// The level between two ranks, known to all.
model::level measure_pair(int a, int b, const network_settings& settings) {
    const int rank = own_rank();
    model::level way;
    if (rank == a || rank == b) way = pair_measure(rank == a, rank == a ? b : a, settings).measure();
    sleep_until_all_arrive();
    MPI_Bcast(&way, sizeof way, MPI_BYTE, a, MPI_COMM_WORLD);
    return way;
}

/// Ranks of two nodes stream in pairs at the same time: seconds per byte of the node.
double measure_injection(const std::vector<int>& from, const std::vector<int>& to, const network_settings& settings) {
    const std::size_t flows = std::min(from.size(), to.size());
    const int rank = own_rank();
    double per_message = 0;
    for (std::size_t i = 0; i < flows; ++i)
        if (rank == from[i] || rank == to[i])
            per_message =
                pair_measure(rank == from[i], rank == from[i] ? to[i] : from[i], settings).stream(segment, false);
    sleep_until_all_arrive();
    double slowest = 0;
    MPI_Allreduce(&per_message, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest / static_cast<double>(flows * segment);
}

/// Larger arrays than were measured: an MPI library may have a better algorithm for them. From 16 times the largest
/// size on, it is taken to be as good as the best that libraries could be forced to.
void assume_the_best_beyond(model::stock_fit& fit_of) {
    if (fit_of.rows == 0 || fit_of.rows == model::stock_fit::most) return;
    fit_of.bytes[fit_of.rows] = 16 * fit_of.bytes[fit_of.rows - 1];
    fit_of.factor[fit_of.rows] = std::min(fit_of.factor[fit_of.rows - 1], best_factor);
    ++fit_of.rows;
}

/// MPI's own call of an operation over `bytes` as model::question counts them.
class stock_call {
public:
    stock_call(int ranks, std::size_t largest) : ranks_(ranks), in_(touched(largest)), out_(touched(largest)) {
        // Values that can be added for ever.
        std::fill(in_.as<float>().begin(), in_.as<float>().end(), 0.0F);
    }

    void run(model::operation op, std::size_t bytes) {
        const auto all = static_cast<int>(bytes / sizeof(float));
        const int part = all / ranks_;
        float* const in = in_.as<float>().data();
        float* const out = out_.as<float>().data();
        switch (op) {
            case model::operation::allreduce: MPI_Allreduce(in, out, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
            case model::operation::reduce: MPI_Reduce(in, out, all, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); break;
            case model::operation::reduce_scatter:
                MPI_Reduce_scatter_block(in, out, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
                break;
            case model::operation::allgather:
                MPI_Allgather(in, part, MPI_FLOAT, out, part, MPI_FLOAT, MPI_COMM_WORLD);
                break;
            case model::operation::gather:
                MPI_Gather(in, part, MPI_FLOAT, out, part, MPI_FLOAT, 0, MPI_COMM_WORLD);
                break;
            case model::operation::scatter:
                MPI_Scatter(in, part, MPI_FLOAT, out, part, MPI_FLOAT, 0, MPI_COMM_WORLD);
                break;
            case model::operation::bcast: MPI_Bcast(in, all, MPI_FLOAT, 0, MPI_COMM_WORLD); break;
            case model::operation::alltoall:
                MPI_Alltoall(in, part, MPI_FLOAT, out, part, MPI_FLOAT, MPI_COMM_WORLD);
                break;
        }
    }

    /// The slowest rank's time; of several rounds the lower quartile, so that noise makes stock look faster, not
    /// slower.
    double time(model::operation op, std::size_t bytes, double seconds) {
        // The first rounds open connections.
        static_cast<void>(once(op, bytes));
        const int rounds = static_cast<int>(std::clamp(seconds / once(op, bytes), 5.0, 50.0));
        std::vector<double> times;
        for (int round = 0; round < rounds; ++round) times.push_back(once(op, bytes));
        std::sort(times.begin(), times.end());
        return times[times.size() / 4];
    }

private:
    double once(model::operation op, std::size_t bytes) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begun = MPI_Wtime();
        run(op, bytes);
        const double mine = MPI_Wtime() - begun;
        double slowest = 0;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return std::max(slowest, 1e-9);
    }

    int ranks_;
    buffer in_, out_;
};

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

void fit(const std::vector<timing>& timings, model::level& way) {
    std::vector<double> small;
    for (const timing& one : timings)
        if (one.bytes <= 8 || small.empty()) small.push_back(one.seconds);
    way.alpha_s = median(small);
    // Shapers and caches let shorter messages pass faster than a stream of them.
    const double from = std::min(1048576.0, timings.back().bytes);
    double products = 0, squares = 0;
    for (const timing& one : timings) {
        if (one.bytes < from) continue;
        const double weight = 1 / (one.seconds * one.seconds);
        products += weight * std::max(0.0, one.seconds - way.alpha_s) * one.bytes;
        squares += weight * one.bytes * one.bytes;
    }
    // A clock too coarse for the largest message: the fastest that a file can say.
    way.beta_s_per_byte = std::max(products / squares, 1e-15);
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
    // The fullest node, the first of equals.
    std::vector<int> fullest;
    for (int node = 0; node < where.nodes; ++node)
        if (const std::vector<int> ranks = where.on_node(node); ranks.size() > fullest.size()) fullest = ranks;
    if (fullest.size() > 1) {
        found.intra = measure_pair(fullest[0], fullest[1], settings);
        done.intra = true;
    }
    if (where.nodes > 1) {
        const std::vector<int> from = where.on_node(0), to = where.on_node(1);
        found.inter = measure_pair(from[0], to[0], settings);
        found.host_beta_s_per_byte = measure_injection(from, to, settings);
        done.inter = true;
    }
    return done;
}

void measure_stock(const topology& where, const network_settings& settings, model::machine& found) {
    stock_call call(where.ranks, settings.stock_largest);
    for (int i = 0; i < model::operation_count; ++i) {
        model::stock_fit& fit_of = found.stock[static_cast<std::size_t>(i)];
        fit_of = {};
        for (const std::size_t bytes : {std::size_t{1} << 10, std::size_t{16} << 10, std::size_t{256} << 10,
                                        std::size_t{2} << 20, settings.stock_largest}) {
            // Every rank has at least one element, and sizes grow.
            if (bytes > settings.stock_largest || bytes / sizeof(float) < static_cast<std::size_t>(where.ranks))
                continue;
            if (fit_of.rows > 0 && static_cast<double>(bytes) <= fit_of.bytes[fit_of.rows - 1]) continue;
            const auto op = static_cast<model::operation>(i);
            model::question what;
            what.op = op;
            what.bytes = bytes;
            what.ranks = where.ranks;
            what.nodes = where.nodes;
            const double factor =
                call.time(op, bytes, settings.seconds_per_size) / model::estimate_classic(found, what).total_s;
            fit_of.bytes[fit_of.rows] = static_cast<double>(bytes);
            fit_of.factor[fit_of.rows] = std::clamp(factor, 0.1, worst_factor);
            ++fit_of.rows;
        }
        assume_the_best_beyond(fit_of);
    }
}

}  // namespace laconic::cli
