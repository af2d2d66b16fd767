// SPDX-License-Identifier: BSD-3-Clause
// The collective from C++ and from C: every rank contributes rank + 1 in every element; exit status 0 when both sums
// are within the bound.
#include <mpi.h>

#include <laconic/laconic.h>
#include <laconic/collective.hpp>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace {

int check(const std::vector<float>& sum, int ranks, const char* interface) {
    const double exact = 0.5 * ranks * (ranks + 1);
    for (const float x : sum)
        if (std::abs(x - exact) > 1e-3 + 1e-6 * exact)
            return std::fprintf(stderr, "%s: %g instead of %g\n", interface, static_cast<double>(x), exact), 1;
    return 0;
}

int run() {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::vector<float> mine(10000, static_cast<float>(rank + 1));
    std::vector<float> sum(mine.size());

    laconic::collective_options options;
    options.limit = laconic::bound::abs(1e-3);
    const auto report = laconic::allreduce(std::span<const float>(mine), std::span(sum), laconic::reduction::sum,
                                           MPI_COMM_WORLD, options);
    if (!report) return std::fprintf(stderr, "%s\n", report.error().message().c_str()), 1;
    int failures = check(sum, ranks, "C++");

    laconic_collective_options c_options = {};
    c_options.bound = 1e-3;
    if (laconic_allreduce(mine.data(), sum.data(), sum.size(), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &c_options) !=
        LACONIC_OK)
        return std::fprintf(stderr, "%s\n", laconic_last_message()), 1;
    failures += check(sum, ranks, "C");
    if (rank == 0)
        std::printf("%d ranks: %llu bytes sent\n", ranks, static_cast<unsigned long long>(report->sent_bytes));
    return failures;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int failures = run();
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
