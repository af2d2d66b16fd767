/* SPDX-License-Identifier: BSD-3-Clause
   Regular communication to trace: a pattern, a number of iterations and a number of doubles per message flow in; every
   rank checks what it received, and rank 0 prints the seconds that the iterations took, the most memory it held, and
   the seconds of MPI_Finalize.

   usage: patterns PATTERN ITERATIONS [DOUBLES] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, doubles = 64;
static double *out, *in; /* room for six messages each */
static MPI_Comm grid;

static void check(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "patterns: rank %d: %s\n", rank, what);
    exit(1);
}

static int from(const double* message) { return (int)message[doubles - 1]; }

/* One exchange with the neighbours of a grid, non-periodic (as the paper's 5 points) or periodic (its 7). */
static void stencil(int dimensions) {
    MPI_Request requests[12];
    MPI_Status statuses[12];
    int neighbours[6], n = 0;
    for (int d = 0; d < dimensions; ++d, n += 2) MPI_Cart_shift(grid, d, 1, &neighbours[n], &neighbours[n + 1]);
    for (int i = 0; i < n; ++i) MPI_Irecv(in + i * doubles, doubles, MPI_DOUBLE, neighbours[i], i, grid, &requests[i]);
    for (int i = 0; i < n; ++i)
        MPI_Isend(out + i * doubles, doubles, MPI_DOUBLE, neighbours[i], i ^ 1, grid, &requests[n + i]);
    MPI_Waitall(2 * n, requests, statuses);
    for (int i = 0; i < n; ++i)
        if (neighbours[i] != MPI_PROC_NULL) check(from(in + i * doubles) == neighbours[i], "a neighbour's message");
}

static void make_grid(int dimensions, int periodic) {
    int dims[3] = {0, 0, 0}, periods[3] = {periodic, periodic, periodic};
    MPI_Dims_create(size, dimensions, dims);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &grid);
}

static void start_2d(void) { make_grid(2, 0); }
static void start_3d(void) { make_grid(3, 1); }
static void stencil_2d(int turn) { (void)turn, stencil(2); }
static void stencil_3d(int turn) { (void)turn, stencil(3); }

static void exchange(int partner) {
    MPI_Sendrecv(out, doubles, MPI_DOUBLE, partner, 1, in, doubles, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(from(in) == partner, "the partner's message");
}

/* Blocks (i, j) and (j, i) of a square grid of ranks change places, as in NAS CG; the rest of the ranks look on. */
static void transpose(int turn) {
    int side = 1;
    (void)turn;
    while ((side + 1) * (side + 1) <= size) ++side;
    if (rank < side * side) exchange(rank % side * side + rank / side);
}

static void butterfly(int turn) {
    (void)turn;
    for (int bit = 1; bit < size; bit <<= 1)
        if ((rank ^ bit) < size) exchange(rank ^ bit);
}

static void fan(int turn) {
    (void)turn;
    if (rank != 0) {
        MPI_Recv(in, doubles, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(from(in) == 0, "the root's message");
        return;
    }
    for (int to = 1; to < size; ++to) MPI_Send(out, doubles, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
}

/* Everyone to the root, which takes them as they come: another order in every run. */
static void any_source(int turn) {
    (void)turn;
    if (rank != 0) {
        MPI_Send(out, doubles, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        for (int i = 1; i < size; ++i) {
            MPI_Recv(in, doubles, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
            check(from(in) == status.MPI_SOURCE, "the message of the rank that the status names");
        }
    }
    MPI_Barrier(MPI_COMM_WORLD); /* else two turns of a rank could meet */
}

/* A binomial tree down from rank 0. */
static void tree(int turn) {
    int bit = 1;
    (void)turn;
    while (bit < size && (rank & bit) == 0) bit <<= 1;
    if (rank != 0) {
        MPI_Recv(in, doubles, MPI_DOUBLE, rank - bit, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(from(in) == rank - bit, "the parent's message");
    }
    for (bit >>= 1; bit > 0; bit >>= 1)
        if (rank + bit < size) MPI_Send(out, doubles, MPI_DOUBLE, rank + bit, 4, MPI_COMM_WORLD);
}

/* A call that costs next to nothing: what is traced per second at most. */
static void ranks(int turn) {
    int now;
    (void)turn;
    MPI_Comm_rank(MPI_COMM_WORLD, &now);
}

/* A tag that never came before: nothing repeats. */
static void tags(int turn) {
    MPI_Sendrecv(out, doubles, MPI_DOUBLE, 0, turn % 32768, in, doubles, MPI_DOUBLE, 0, turn % 32768, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    check(from(in) == rank, "the own message");
}

static const struct {
    const char* name;
    void (*start)(void);
    void (*turn)(int);
} patterns[] = {{"stencil2d", start_2d, stencil_2d},
                {"stencil3d", start_3d, stencil_3d},
                {"transpose", NULL, transpose},
                {"butterfly", NULL, butterfly},
                {"fan", NULL, fan},
                {"anysource", NULL, any_source},
                {"tree", NULL, tree},
                {"ranks", NULL, ranks},
                {"tags", NULL, tags}};

/* In seconds, with or without MPI. */
static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* The most memory that this process held at once, in kB. */
static long most_memory(void) {
    char line[128];
    long most = -1;
    FILE* const facts = fopen("/proc/self/status", "r");
    while (facts != NULL && most < 0 && fgets(line, sizeof line, facts) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) most = atol(line + 6);
    }
    if (facts != NULL) fclose(facts);
    return most;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(argc == 3 || argc == 4, "usage: patterns PATTERN ITERATIONS [DOUBLES]");
    const long iterations = atol(argv[2]);
    if (argc == 4) doubles = atoi(argv[3]);
    check(iterations > 0 && doubles > 0, "iterations and doubles are positive numbers");
    out = malloc(6 * (size_t)doubles * sizeof *out);
    in = calloc(6 * (size_t)doubles, sizeof *in);
    check(out != NULL && in != NULL, "no memory for the messages");
    for (int i = 0; i < 6 * doubles; ++i) out[i] = rank;
    size_t chosen = 0;
    while (chosen < sizeof patterns / sizeof *patterns && strcmp(patterns[chosen].name, argv[1]) != 0) ++chosen;
    check(chosen < sizeof patterns / sizeof *patterns, "unknown pattern");
    if (patterns[chosen].start != NULL) patterns[chosen].start();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (long turn = 0; turn < iterations; ++turn) patterns[chosen].turn((int)turn);
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    if (patterns[chosen].start != NULL) MPI_Comm_free(&grid);
    free(out);
    free(in);
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = now();
    MPI_Finalize();
    if (rank == 0) printf("%.6f s %ld kB, MPI_Finalize %.6f s\n", seconds, most_memory(), now() - before);
    return 0;
}
