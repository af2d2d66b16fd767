// SPDX-License-Identifier: BSD-3-Clause
// Sums of two fields that travel while the program computes: one is started, the other prepared once and started in
// every step. A thread moves them on where MPI lets threads call it; else the program does, between two pieces of work.
//
// usage: mpiexec -n 4 started-<flavour>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "laconic/collective.hpp"

namespace {

using laconic::collective_call;
using laconic::reduction;

constexpr std::size_t count = 200000;
constexpr int steps = 3;

std::vector<float> field(int rank, int step) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::sin(1e-3F * static_cast<float>(i) + static_cast<float>(rank + step));
    return values;
}

/// What a program does meanwhile; returns so that nothing is left out.
template <class Request>
double compute(Request& one, Request& other, bool moves_by_itself) {
    double sum = 0;
    for (int piece = 0; piece < 100; ++piece) {
        for (int i = 1; i < 1000; ++i) sum += 1.0 / i;
        if (!moves_by_itself && one.test()) static_cast<void>(other.test());
    }
    return sum;
}

/// How far a sum is from MPI's own, at the most.
double difference(const std::vector<float>& mine, const std::vector<float>& sum) {
    std::vector<float> exact(count);
    MPI_Allreduce(mine.data(), exact.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double most = 0;
    for (std::size_t i = 0; i < count; ++i)
        most = std::max(most, std::fabs(static_cast<double>(sum[i]) - static_cast<double>(exact[i])));
    return most;
}

int run(bool moves_by_itself) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    laconic::collective_options options;
    options.limit = laconic::bound::abs(1e-3);
    options.algorithm = "homcomp_f";

    std::vector<float> pressure, sum_of_pressure(count), energy(count), sum_of_energy(count);
    auto every_step = laconic::prepare(collective_call<float>::allreduce(energy, sum_of_energy, reduction::sum),
                                       MPI_COMM_WORLD, options);
    if (!every_step.ok()) return std::fprintf(stderr, "started: %s\n", every_step.error().message().c_str()), 1;

    double worst = 0, work = 0;
    for (int step = 0; step < steps; ++step) {
        pressure = field(rank, step);
        const std::vector<float> next = field(rank, step + steps);
        std::copy(next.begin(), next.end(), energy.begin());
        auto once = laconic::start(collective_call<float>::allreduce(pressure, sum_of_pressure, reduction::sum),
                                   MPI_COMM_WORLD, options);
        const laconic::status begun = every_step->start();
        if (!once.ok() || !begun.ok()) return std::fprintf(stderr, "started: a call was refused\n"), 1;
        work += compute(*once, *every_step, moves_by_itself);
        const auto first = once->wait(), second = every_step->wait();
        if (!first.ok() || !second.ok()) return std::fprintf(stderr, "started: a call failed\n"), 1;
        worst = std::max({worst, difference(pressure, sum_of_pressure), difference(energy, sum_of_energy)});
    }
    // MPI's own sums are rounded after every addition.
    const bool within = worst <= options.limit.value + 1e-5;
    if (rank == 0)
        std::printf("%d sums beside work (%.0f), moved by %s: largest error %.3g, bound %.3g: %s\n", 2 * steps, work,
                    moves_by_itself ? "a thread" : "test()", worst, options.limit.value, within ? "within" : "BEYOND");
    return within ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    const bool has_thread = laconic::start_progress_thread().ok();
    const int failed = run(has_thread);
    MPI_Finalize();
    return failed;
}
