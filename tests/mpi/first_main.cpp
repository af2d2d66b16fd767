// SPDX-License-Identifier: BSD-3-Clause
// The first call of a process, which makes whatever processes keep: the last rank has no memory for one of its
// requests, or for all from there on. All ranks must return the same.
//
// usage: test_first_<flavour> ROW GRANTED one|all
// prints "as it should be: <code>, <whether a request has failed>"
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "counted_memory.hpp"
#include "laconic/laconic.h"

int main(int argc, char** argv) {
    using namespace laconic::test;
    MPI_Init(&argc, &argv);
    if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<float> values(3000, 1.0F);
    std::vector<float> sums(values.size());
    laconic_collective_options options{};
    options.bound = 1e-3;
    options.algorithm = argv[1];
    options.check = 1;
    const long granted = std::strtol(argv[2], nullptr, 10);
    if (rank == ranks - 1) std::string_view(argv[3]) == "all" ? fail_all_after(granted) : fail_one_after(granted);
    const int code =
        laconic_allreduce(values.data(), sums.data(), values.size(), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
    const int failed = grant_all() ? 1 : 0;
    std::array<int, 3> all{code, -code, failed};
    MPI_Allreduce(MPI_IN_PLACE, all.data(), 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const bool fine = all[0] == -all[1] && (code == LACONIC_OK || (all[2] != 0 && code == LACONIC_ERR_MEMORY));
    if (rank == 0 && fine) std::printf("as it should be: %d, %d\n", code, all[2]);
    if (!fine) std::printf("rank %d returns %d, another one %d\n", rank, code, all[0] == code ? -all[1] : all[0]);
    MPI_Finalize();
    return fine ? 0 : 1;
}
