/* SPDX-License-Identifier: BSD-3-Clause
   Every collective with large counts, of neighbourhoods too, in three forms: at once, begun and waited for, persistent.
   What arrives is checked each time. Any number of ranks. */
#include "common.h"

static int rank, size, left, right, last, one, told, *many, *all;
static MPI_Count* counts;
static MPI_Aint *places, *bytes;
static MPI_Datatype* types;
static MPI_Comm ring;

static void* room(size_t each) {
    void* made = malloc((size_t)size * each);
    CHECK(made != NULL);
    return made;
}

/* Nothing has arrived yet. */
static void clear(void) {
    one = -1, told = rank == 0 ? 17 : 0;
    for (int i = 0; i < size; ++i) all[i] = -1, many[i] = 1000 * rank + i;
}

/* `holds` after each of the three forms, whose names differ in the first letters. A persistent one is started once
   only: MPICH 4.0 fails where a persistent scatter starts again on three ranks. */
#define EVERY_FORM(name, begun, holds, comm, ...)                                 \
    do {                                                                          \
        MPI_Request request;                                                      \
        clear(), MPI_##name##_c(__VA_ARGS__, comm);                               \
        CHECK(holds);                                                             \
        clear(), MPI_##begun##_c(__VA_ARGS__, comm, &request);                    \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                    \
        CHECK(holds);                                                             \
        clear(), MPI_##name##_init_c(__VA_ARGS__, comm, MPI_INFO_NULL, &request); \
        MPI_Start(&request);                                                      \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                    \
        MPI_Request_free(&request);                                               \
        CHECK(holds);                                                             \
    } while (0)
#define IN_THE_WORLD(name, begun, holds, ...) EVERY_FORM(name, begun, holds, MPI_COMM_WORLD, __VA_ARGS__)
#define IN_THE_RING(name, begun, ...) \
    EVERY_FORM(name, begun, in[0] == left && in[1] == right && (in[0] = in[1] = -1) == -1, ring, __VA_ARGS__)

static void with_roots(void) {
    IN_THE_WORLD(Bcast, Ibcast, told == 17, &told, 1, MPI_INT, 0);
    IN_THE_WORLD(Gather, Igather, rank != last || all[last] == last, &rank, 1, MPI_INT, all, 1, MPI_INT, last);
    IN_THE_WORLD(Gatherv, Igatherv, rank != 0 || all[last] == last, &rank, 1, MPI_INT, all, counts, places, MPI_INT, 0);
    IN_THE_WORLD(Scatter, Iscatter, one == 1000 * last + rank, many, 1, MPI_INT, &one, 1, MPI_INT, last);
    IN_THE_WORLD(Scatterv, Iscatterv, one == rank, many, counts, places, MPI_INT, &one, 1, MPI_INT, 0);
    IN_THE_WORLD(Reduce, Ireduce, rank != last || one == last, &rank, &one, 1, MPI_INT, MPI_MAX, last);
}

static void among_all(void) {
    const int below = rank * (rank - 1) / 2;
    IN_THE_WORLD(Allgather, Iallgather, all[0] == 0 && all[last] == last, &rank, 1, MPI_INT, all, 1, MPI_INT);
    IN_THE_WORLD(Allgatherv, Iallgatherv, all[0] == 0 && all[last] == last, &rank, 1, MPI_INT, all, counts, places,
                 MPI_INT);
    IN_THE_WORLD(Alltoall, Ialltoall, all[last] == 1000 * last + rank, many, 1, MPI_INT, all, 1, MPI_INT);
    IN_THE_WORLD(Alltoallv, Ialltoallv, all[last] == 1000 * last + rank, many, counts, places, MPI_INT, all, counts,
                 places, MPI_INT);
    IN_THE_WORLD(Alltoallw, Ialltoallw, all[last] == 1000 * last + rank, many, counts, bytes, types, all, counts, bytes,
                 types);
    IN_THE_WORLD(Allreduce, Iallreduce, one == size * last / 2, &rank, &one, 1, MPI_INT, MPI_SUM);
    IN_THE_WORLD(Reduce_scatter, Ireduce_scatter, one == 1000 * last + rank, many, &one, counts, MPI_INT, MPI_MAX);
    IN_THE_WORLD(Reduce_scatter_block, Ireduce_scatter_block, one == rank, many, &one, 1, MPI_INT, MPI_MIN);
    IN_THE_WORLD(Scan, Iscan, one == below + rank, &rank, &one, 1, MPI_INT, MPI_SUM);
    IN_THE_WORLD(Exscan, Iexscan, rank == 0 || one == below, &rank, &one, 1, MPI_INT, MPI_SUM);
    /* In place there is nothing to say of what is sent. */
    clear();
    all[rank] = rank;
    MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[0] == 0 && all[last] == last);
}

static void between_neighbours(void) {
    const int near[2] = {left, right}, weights[2] = {1, 1};
    const MPI_Count ones[2] = {1, 1};
    const MPI_Aint starts[2] = {0, 1}, at[2] = {0, sizeof(int)};
    const MPI_Datatype both[2] = {MPI_INT, MPI_INT};
    int out[2] = {rank, rank}, in[2] = {-1, -1};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near, weights, 2, near, weights, MPI_INFO_NULL, 0, &ring);
    IN_THE_RING(Neighbor_allgather, Ineighbor_allgather, &rank, 1, MPI_INT, in, 1, MPI_INT);
    IN_THE_RING(Neighbor_allgatherv, Ineighbor_allgatherv, &rank, 1, MPI_INT, in, ones, starts, MPI_INT);
    IN_THE_RING(Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT);
    IN_THE_RING(Neighbor_alltoallv, Ineighbor_alltoallv, out, ones, starts, MPI_INT, in, ones, starts, MPI_INT);
    IN_THE_RING(Neighbor_alltoallw, Ineighbor_alltoallw, out, ones, at, both, in, ones, at, both);
    MPI_Comm_free(&ring);
}

static void add(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
    (void)type;
    for (MPI_Count i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void operations(void) {
    MPI_Op sum;
    const int five = 5;
    MPI_Op_create_c(add, 1, &sum);
    clear(), MPI_Allreduce_c(&rank, &one, 1, MPI_INT, sum, MPI_COMM_WORLD);
    CHECK(one == size * last / 2);
    MPI_Reduce_local_c(&five, &one, 1, MPI_INT, sum);
    CHECK(one == size * last / 2 + 5);
    MPI_Op_free(&sum);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size, last = size - 1;
    many = room(sizeof *many), all = room(sizeof *all), counts = room(sizeof *counts), places = room(sizeof *places);
    bytes = room(sizeof *bytes), types = room(sizeof *types);
    for (int i = 0; i < size; ++i)
        counts[i] = 1, places[i] = i, bytes[i] = (MPI_Aint)sizeof(int) * i, types[i] = MPI_INT;
    with_roots();
    among_all();
    between_neighbours();
    operations();
    void* each[] = {many, all, counts, places, bytes, types};
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) free(each[i]);
    MPI_Finalize();
    return 0;
}
