/* SPDX-License-Identifier: BSD-3-Clause
 * A compressed allreduce beside MPI's: a field on each rank flows in, the sum over the ranks flows out twice, and the
 * largest difference of the two is printed against the bound. Then a call that is wrong on one rank only, which fails
 * on all of them with the same sentence.
 *
 * usage: mpiexec -n 4 allreduce_c-<flavour> */
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "laconic/laconic.h"

enum { count = 1000000 };

/* Sums of both kinds, and how far they are apart: *error at the most, where *largest is the largest of the sums. */
static int compare(const float* field, float* exact, float* sum, const laconic_collective_options* options,
                   double* error, double* largest) {
    MPI_Allreduce(field, exact, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    const int code = laconic_allreduce(field, sum, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, options);
    *error = *largest = 0;
    for (size_t i = 0; code == LACONIC_OK && i < count; ++i) {
        const double here = fabs((double)sum[i] - (double)exact[i]);
        if (!(here <= *error)) *error = here;
        if (fabs((double)exact[i]) > *largest) *largest = fabs((double)exact[i]);
    }
    return code;
}

static int run(void) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    float* const field = malloc(count * sizeof *field);
    float* const exact = malloc(count * sizeof *exact);
    float* const sum = malloc(count * sizeof *sum);
    if (field == NULL || exact == NULL || sum == NULL) {
        fprintf(stderr, "allreduce_c: rank %d: no memory\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    for (size_t i = 0; i < count; ++i) field[i] = (float)sin(1e-3 * (double)i + rank);

    /* The bound is on every element of the sum. Without `algorithm` the cost model chooses a row. */
    laconic_collective_options options = {.kind = LACONIC_ABSOLUTE, .bound = 1e-3, .algorithm = "homcomp_f"};
    double error = 0, largest = 0;
    int code = compare(field, exact, sum, &options, &error, &largest);
    /* Both sums are rounded to float, MPI's after every addition. */
    const double rounding = ranks * largest * FLT_EPSILON;
    if (code != LACONIC_OK) fprintf(stderr, "allreduce_c: rank %d: %s\n", rank, laconic_last_message());
    const int within = code == LACONIC_OK && error <= options.bound + rounding;
    if (code == LACONIC_OK && rank == 0)
        printf("largest error %.3g, bound %.3g and %.1g of rounding: %s\n", error, options.bound, rounding,
               within ? "within" : "BEYOND");

    /* A mistake on the last rank: all are told, nobody waits for ever, and the next call works. */
    laconic_collective_options wrong = options;
    if (rank == ranks - 1) wrong.bound = -1;
    code = laconic_allreduce(field, sum, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &wrong);
    if (rank == 0) printf("refused everywhere (code %d): %s\n", code, laconic_last_message());
    const int refused = code == LACONIC_ERR_BOUND;
    const int works = compare(field, exact, sum, &options, &error, &largest) == LACONIC_OK;

    free(field);
    free(exact);
    free(sum);
    int good = within && refused && works;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return good ? 0 : 1;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = run();
    MPI_Finalize();
    return code;
}
