/* SPDX-License-Identifier: BSD-3-Clause
   What one MPI call costs: each kind is repeated in batches, and the time per call of the batch at the lower tenth is
   printed (others are disturbed on a shared machine), one line per kind: name and nanoseconds. One rank; run plain and
   under the recorder (tools/bench_record.py does both). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { batches = 31, calls = 4000 };

static double buffer_a[16], buffer_b[16], large[256];

static void comm_rank(int i) {
    int rank;
    (void)i;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
static void send_to_self(int i) {
    (void)i;
    MPI_Sendrecv(buffer_a, 1, MPI_DOUBLE, 0, 1, buffer_b, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void nonblocking_to_self(int i) {
    MPI_Request requests[2];
    (void)i;
    MPI_Irecv(buffer_b, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(buffer_a, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void allreduce_self(int i) {
    (void)i;
    MPI_Allreduce(buffer_a, buffer_b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
static void changing_tags(int i) {
    MPI_Sendrecv(buffer_a, 1, MPI_DOUBLE, 0, i, buffer_b, 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void irregular(int i) {
    /* Which of 64 places the message starts at follows no rule. */
    static unsigned chance = 1;
    (void)i;
    chance = chance * 1664525U + 1013904223U;
    const int at = (int)(chance >> 26), tag = (int)(chance >> 20 & 63);
    MPI_Sendrecv(large + at, 1 + tag % 4, MPI_DOUBLE, 0, tag, large + 128, 4, MPI_DOUBLE, 0, tag, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}
static void* volatile memory; /* the compiler must not see through it */
static void allocation(int i) {
    memory = malloc((size_t)(64 + i % 512));
    free(memory);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void measure(const char* name, void (*call)(int)) {
    double ns[batches];
    for (int batch = 0; batch < batches; ++batch) {
        const double start = PMPI_Wtime();
        for (int i = 0; i < calls; ++i) call(i);
        ns[batch] = (PMPI_Wtime() - start) * 1e9 / calls;
    }
    qsort(ns, batches, sizeof *ns, compare);
    printf("%s %.1f\n", name, ns[batches / 10]);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    measure("comm_rank", comm_rank);
    measure("send_to_self", send_to_self);
    measure("nonblocking_to_self", nonblocking_to_self);
    measure("allreduce_self", allreduce_self);
    measure("changing_tags", changing_tags);
    measure("irregular", irregular);
    measure("malloc_free", allocation);
    MPI_Finalize();
    return 0;
}
