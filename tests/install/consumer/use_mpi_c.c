/* SPDX-License-Identifier: BSD-3-Clause
 * The collectives from C: every rank contributes rank + 1 in every element of a request that is started twice. Then an
 * exchange: rows become patches. Exit status 0 when both sums are within the bound and each element is where it
 * belongs. */
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

static int redistribute(void) {
    enum { width = 6 };
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t extents[2] = {ranks, width}, blocks[2] = {ranks, 1}, counts[2] = {1, ranks};
    const laconic_plan_request request = {
        .dimensions = 2, .extents = extents, .ranks = ranks, .blocks = blocks, .patches = counts};
    laconic_plan plan = LACONIC_PLAN_NULL;
    laconic_exchange exchange = LACONIC_EXCHANGE_NULL;
    if (laconic_plan_make(&request, &plan) != LACONIC_OK) return failed("plan");
    if (laconic_exchange_make(plan, sizeof(int), 0, MPI_COMM_WORLD, NULL, &exchange) != LACONIC_OK)
        return failed("exchange");
    int row[width], columns[count];
    for (int x = 0; x < width; ++x) row[x] = width * rank + x;
    if (laconic_exchange_run(exchange, row, width, columns, count, NULL, NULL) != LACONIC_OK) return failed("run");
    const int32_t* patches = NULL;
    size_t mine = 0;
    if (laconic_plan_patches(plan, rank, &patches, &mine) != LACONIC_OK) return failed("patches");
    for (size_t i = 0; i < mine; ++i) {
        int64_t lower[2], upper[2];
        size_t at = 0;
        if (laconic_plan_patch(plan, patches[i], lower, upper) != LACONIC_OK ||
            laconic_exchange_offset(exchange, i, &at) != LACONIC_OK)
            return failed("patch");
        for (int64_t y = lower[0]; y < upper[0]; ++y)
            for (int64_t x = lower[1]; x < upper[1]; ++x, ++at)
                if (columns[at] != width * y + x) {
                    fprintf(stderr, "patch %d: %d is out of place\n", (int)patches[i], columns[at]);
                    return 1;
                }
    }
    if (laconic_plan_free(&plan) != LACONIC_OK) return failed("free a plan");
    return laconic_exchange_free(&exchange) == LACONIC_OK ? 0 : failed("free an exchange");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int failures = run() + redistribute();
    MPI_Finalize();
    return failures;
}
