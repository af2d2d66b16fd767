// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 dies in the middle of a collective, at the call that the first argument names; nobody may report success, and
// the job has to end: see dying.py. Ranks that come to the end say so.
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "laconic/collective.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::string row = argc > 1 ? argv[1] : "fused";
    const bool returns = argc > 2 && std::string(argv[2]) == "return";
    if (returns) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<float> in(1 << 20, 1.5F + static_cast<float>(rank));
    std::vector<float> out(in.size());
    laconic::collective_options options;
    options.limit = laconic::bound::abs(1e-3);
    options.algorithm = row;
    options.ranks_per_node = 2;
    for (int call = 0; call < 3; ++call) {
        if (rank == 1 && call == 2) std::raise(SIGKILL);
        const auto done = laconic::allreduce<float>(in, out, laconic::reduction::sum, MPI_COMM_WORLD, options);
        if (!done.ok()) {
            std::printf("refused: %s\n", done.error().message().c_str());
            std::fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    std::printf("finished\n");
    std::fflush(stdout);
    MPI_Finalize();
    return 0;
}
