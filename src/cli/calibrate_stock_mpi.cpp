// SPDX-License-Identifier: BSD-3-Clause
// MPI's own calls on all ranks: times flow in, how far they are from the model's best classic algorithm flows out.
#include <mpi.h>

#include <algorithm>
#include <array>

#include "cli/bench_tools.hpp"
#include "cli/calibrate_network_mpi.hpp"
#include "model/cost.hpp"

namespace laconic::cli {
namespace {

/// No MPI is further from the best; what is measured beyond it is a busy machine.
constexpr double worst_factor = 10;
/// What would take longer than so many seconds is taken to be as far from the best as the largest size before it.
constexpr double patience_s = 3;
constexpr std::array<std::size_t, 9> sizes{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10,
                                           1 << 20, 4 << 20, 16 << 20, 64 << 20};
static_assert(sizes.size() <= model::stock_fit::most);

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

    /// The slowest rank's time, median of several rounds.
    double time(model::operation op, std::size_t bytes, double seconds) {
        // The first rounds open connections.
        const double first = once(op, bytes);
        if (first > 1) return first;
        const int rounds = static_cast<int>(std::clamp(seconds / once(op, bytes), first > 0.1 ? 1.0 : 5.0, 50.0));
        std::vector<double> times;
        for (int round = 0; round < rounds; ++round) times.push_back(once(op, bytes));
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
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

void measure_stock(const topology& where, const network_settings& settings, model::machine& found) {
    stock_call call(where.ranks, settings.stock_largest);
    for (int i = 0; i < model::operation_count; ++i) {
        model::stock_fit& fit_of = found.stock[static_cast<std::size_t>(i)];
        fit_of = {};
        for (const std::size_t bytes : sizes) {
            // Every rank has at least one element.
            if (bytes > settings.stock_largest || bytes / sizeof(float) < static_cast<std::size_t>(where.ranks))
                continue;
            const auto op = static_cast<model::operation>(i);
            model::question what;
            what.op = op;
            what.bytes = bytes;
            what.ranks = where.ranks;
            what.nodes = where.nodes;
            const double best = model::estimate_classic(found, what).total_s;
            if (fit_of.rows > 0 && best * fit_of.factor[fit_of.rows - 1] > patience_s) break;
            const double factor = call.time(op, bytes, settings.seconds_per_size) / best;
            fit_of.bytes[fit_of.rows] = static_cast<double>(bytes);
            fit_of.factor[fit_of.rows] = std::clamp(factor, 0.1, worst_factor);
            ++fit_of.rows;
        }
    }
}

}  // namespace laconic::cli
