/* SPDX-License-Identifier: BSD-3-Clause
   Collectives in every form: with one and with many counts, blocking and not, over one group and between two, with
   process topologies and their neighbourhoods. Any number of ranks. */
#include "common.h"

static int rank, size, *many, *counts, *places;

static int sum_to(int n) { return n * (n - 1) / 2; }

static void of_one_group(void) {
    int one = rank, got = -1, out[2] = {rank, rank}, both[2];
    MPI_Datatype* types = malloc((size_t)size * sizeof *types);
    int* bytes = malloc((size_t)size * sizeof *bytes);
    MPI_Gather(&one, 1, MPI_INT, many, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    if (rank == size - 1) CHECK(many[size - 1] == size - 1);
    MPI_Scatterv(many, counts, places, MPI_INT, &got, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK(got == rank);
    MPI_Allgather(&one, 1, MPI_INT, many, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(many[size - 1] == size - 1);
    for (int i = 0; i < size; ++i) many[i] = rank * size + i, types[i] = MPI_INT, bytes[i] = 4 * i;
    int* turned = malloc((size_t)size * sizeof *turned);
    MPI_Alltoall(many, 1, MPI_INT, turned, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(turned[size - 1] == (size - 1) * size + rank);
    MPI_Alltoallw(many, counts, bytes, types, turned, counts, bytes, types, MPI_COMM_WORLD);
    CHECK(turned[0] == rank);
    MPI_Scan(&one, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(got == sum_to(rank + 1));
    got = 0;
    MPI_Exscan(&one, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rank == 0 || got == sum_to(rank));
    for (int i = 0; i < size; ++i) many[i] = i;
    MPI_Reduce_scatter(many, &got, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(got == rank);
    MPI_Reduce_scatter_block(many, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(got == rank * size);
    both[0] = both[1] = 1;
    MPI_Reduce_local(out, both, 2, MPI_INT, MPI_PROD);
    CHECK(both[0] == rank);
    struct {
        double value;
        int where;
    } mine = {rank % 3, rank}, most;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(most.value == (size > 2 ? 2 : size - 1));
    free(turned);
    free(bytes);
    free(types);
}

static void nonblocking(void) {
    MPI_Request requests[6];
    int one = rank, sums[4] = {0}, all = rank == 0 ? 17 : 0, *turned = malloc((size_t)size * sizeof *turned);
    for (int i = 0; i < size; ++i) many[i] = rank;
    MPI_Ibcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&one, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Iscan(&one, &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
    MPI_Ialltoallv(many, counts, places, MPI_INT, turned, counts, places, MPI_INT, MPI_COMM_WORLD, &requests[3]);
    MPI_Ireduce_scatter_block(many, &sums[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[4]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[5]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    CHECK(all == 17 && sums[0] == sum_to(size) && sums[1] == sum_to(rank + 1) && sums[2] == sum_to(size));
    CHECK(turned[size - 1] == size - 1);
    free(turned);
}

/* The lower and the upper half, and everything that goes between them. */
static void between_groups(void) {
    MPI_Comm half, pair;
    const int lower = rank < size / 2, of_other = lower ? size - size / 2 : size / 2;
    int one = rank, sum = -1;
    if (size < 2) return;
    MPI_Comm_split(MPI_COMM_WORLD, lower, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? size / 2 : 0, 3, &pair);
    MPI_Allgather(&one, 1, MPI_INT, many, 1, MPI_INT, pair);
    CHECK(many[of_other - 1] == (lower ? size - 1 : size / 2 - 1));
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_MAX, pair);
    CHECK(sum == (lower ? size - 1 : size / 2 - 1));
    int own;
    MPI_Comm_rank(half, &own);
    one = 23;
    MPI_Bcast(&one, 1, MPI_INT, !lower ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL, pair);
    CHECK(lower || one == 23);
    if (own == 0) {
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 4, &sum, 1, MPI_INT, 0, 4, pair, MPI_STATUS_IGNORE);
        CHECK(sum == (lower ? size / 2 : 0));
    }
    MPI_Barrier(pair);
    MPI_Comm_free(&pair);
    MPI_Comm_free(&half);
}

static void neighbourhoods(void) {
    MPI_Comm ring, graph, old;
    MPI_Request request;
    int periodic = 1, left, right, in[2] = {-1, -1}, out[2] = {rank, rank}, ones[2] = {1, 1}, at[2] = {0, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Cart_shift(ring, 0, 1, &left, &right);
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    CHECK(in[0] == left && in[1] == right);
    MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int coordinate, of_coordinate;
    MPI_Cart_coords(ring, rank, 1, &coordinate);
    MPI_Cart_rank(ring, &coordinate, &of_coordinate);
    CHECK(of_coordinate == rank);
    MPI_Comm_free(&ring);
    int neighbours[2] = {(rank + size - 1) % size, (rank + 1) % size};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, ones, 2, neighbours, ones, MPI_INFO_NULL, 0, &graph);
    int sources, dests, weighted;
    MPI_Dist_graph_neighbors_count(graph, &sources, &dests, &weighted);
    CHECK(sources == 2 && dests == 2);
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Aint bytes[2] = {0, 4};
    MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, ones, at, MPI_INT, graph);
    CHECK(in[0] == neighbours[0] && in[1] == neighbours[1]);
    MPI_Neighbor_alltoallw(out, ones, bytes, types, in, ones, bytes, types, graph);
    MPI_Comm_free(&graph);
    /* A ring again, in the way of MPI 1: node i's neighbours end at index[i]. */
    int* ends = malloc((size_t)size * sizeof *ends);
    int* edges = malloc(2 * (size_t)size * sizeof *edges);
    for (int i = 0; i < size; ++i) {
        ends[i] = 2 * i + 2;
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &old);
    int found[2], topology;
    MPI_Graph_neighbors(old, rank, 2, found);
    MPI_Topo_test(old, &topology);
    CHECK(topology == MPI_GRAPH && found[1] == neighbours[1]);
    MPI_Comm_free(&old);
    free(edges);
    free(ends);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    many = calloc((size_t)size, sizeof *many);
    counts = malloc((size_t)size * sizeof *counts);
    places = malloc((size_t)size * sizeof *places);
    for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
    of_one_group();
    nonblocking();
    between_groups();
    neighbourhoods();
    free(places);
    free(counts);
    free(many);
    MPI_Finalize();
    return 0;
}
