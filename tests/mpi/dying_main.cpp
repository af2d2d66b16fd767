// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 dies in the middle of a collective; nobody may report success, and the job has to end: see dying.py. Ranks
// that come to the end say so.
//
// usage: dying OPERATION ROW fatal|return blocking|started ROOT
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "laconic/collective.hpp"

namespace {

using call = laconic::collective_call<float>;

laconic::result<laconic::collective_report> run(const call& what, const laconic::collective_options& options,
                                                bool started, bool dies) {
    if (!started && dies) std::raise(SIGKILL);
    if (!started) return laconic::run(what, MPI_COMM_WORLD, options);
    auto request = laconic::start(what, MPI_COMM_WORLD, options);
    if (!request.ok()) return request.error();
    // Started, but not tested: it might have done its part of a row without agreement.
    if (dies) std::raise(SIGKILL);
    return request->wait();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
    const bool moves = std::string(argv[1]) == "bcast";
    if (std::string(argv[3]) == "return") MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const bool started = std::string(argv[4]) == "started";
    const int root = std::atoi(argv[5]);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<float> in(1 << 20, 1.5F + static_cast<float>(rank));
    std::vector<float> out(in.size());
    laconic::collective_options options;
    options.limit = laconic::bound::abs(1e-3);
    options.algorithm = argv[2];
    options.ranks_per_node = 2;
    const call what = moves
                          ? call::bcast(std::span<float>(in), root)
                          : call::allreduce(std::span<const float>(in), std::span<float>(out), laconic::reduction::sum);
    for (int turn = 0; turn < 3; ++turn) {
        const auto done = run(what, options, started, rank == 1 && turn == 2);
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
