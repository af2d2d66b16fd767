/* SPDX-License-Identifier: BSD-3-Clause
 * The collectives from C: every rank contributes rank + 1 in every element of a request that is started twice; exit
 * status 0 when both sums are within the bound. */
#include <mpi.h>

#include <laconic/laconic.h>
#include <math.h>
#include <stdio.h>

enum { count = 10000 };

static int failed(const char* what) {
    fprintf(stderr, "%s: %s\n", what, laconic_last_message());
    return 1;
}

static int run(void) {
    static float mine[count], sum[count];
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    laconic_collective_options options = {.kind = LACONIC_ABSOLUTE, .bound = 1e-3};
    laconic_request request = LACONIC_REQUEST_NULL;
    if (laconic_allreduce_init(mine, sum, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options, &request) != LACONIC_OK)
        return failed("init");
    for (int round = 1; round <= 2; ++round) {
        for (int i = 0; i < count; ++i) mine[i] = (float)(round * (rank + 1));
        if (laconic_start(&request) != LACONIC_OK) return failed("start");
        if (laconic_wait(&request) != LACONIC_OK) return failed("wait");
        const double exact = 0.5 * round * ranks * (ranks + 1);
        for (int i = 0; i < count; ++i)
            if (fabs((double)sum[i] - exact) > 1e-3 + 1e-6 * exact) {
                fprintf(stderr, "element %d: %g instead of %g\n", i, (double)sum[i], exact);
                return 1;
            }
    }
    return laconic_request_free(&request) == LACONIC_OK ? 0 : failed("free");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int failures = run();
    MPI_Finalize();
    return failures;
}
