/* SPDX-License-Identifier: BSD-3-Clause
   Functions that are rarely called: modes of sending, external packing, distributed and portable datatypes, algebra of
   groups, questions to topologies, nonblocking collectives of all counts, of neighbourhoods too. Any number of ranks.
 */
#include "common.h"

static int rank, size, left, right;

static void modes(void) {
    enum { room = 4096 };
    static char buffer[room];
    char* back;
    int out = rank, in[5], bytes = 0;
    MPI_Request requests[5], sends[3];
    MPI_Status statuses[5];
    for (int tag = 0; tag < 5; ++tag) MPI_Irecv(&in[tag], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &requests[tag]);
    MPI_Barrier(MPI_COMM_WORLD); /* every receive that a ready send wants is there */
    MPI_Buffer_attach(buffer, room);
    MPI_Ssend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Ibsend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[0]);
    MPI_Irsend(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[1]);
    MPI_Issend(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sends[2]);
    MPI_Rsend(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
    MPI_Waitall(3, sends, statuses);
    MPI_Waitall(5, requests, statuses);
    for (int tag = 0; tag < 5; ++tag) CHECK(in[tag] == left);
    MPI_Irecv(&in[0], 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&in[2], 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bsend_init(&out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &sends[0]);
    MPI_Rsend_init(&out, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &sends[1]);
    MPI_Ssend_init(&out, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &sends[2]);
    MPI_Startall(3, sends);
    MPI_Waitall(3, sends, statuses);
    MPI_Waitall(3, requests, statuses);
    CHECK(in[0] == left && in[1] == left && in[2] == left);
    for (int i = 0; i < 3; ++i) MPI_Request_free(&sends[i]);
    MPI_Buffer_detach(&back, &bytes);
    CHECK(back == buffer && bytes == room);
}

static void packing(void) {
    int in[3] = {0}, out[3] = {rank, 2, 3}, bytes = 0, position = 0;
    char packed[64];
    MPI_Aint room = 0, at = 0;
    MPI_Pack_external_size("external32", 3, MPI_INT, &room);
    CHECK(room == 12);
    MPI_Pack_external("external32", out, 3, MPI_INT, packed, room, &at);
    CHECK(at == room && packed[7] == 2); /* the highest byte comes first */
    at = 0;
    MPI_Unpack_external("external32", packed, room, &at, in, 3, MPI_INT);
    CHECK(memcmp(in, out, sizeof in) == 0);
    MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &bytes);
    CHECK(bytes >= 12 && bytes <= (int)sizeof packed);
    MPI_Pack(out, 3, MPI_INT, packed, bytes, &position, MPI_COMM_WORLD);
    in[0] = in[1] = in[2] = position = 0;
    MPI_Unpack(packed, bytes, &position, in, 3, MPI_INT, MPI_COMM_WORLD);
    CHECK(memcmp(in, out, sizeof in) == 0);
}

static void datatypes(void) {
    const int all[2] = {8, 2 * size}, blocks[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    const int each[2] = {MPI_DISTRIBUTE_DFLT_DARG, 1}, grid[2] = {1, size};
    MPI_Datatype type, portable;
    MPI_Count long_bytes = 0, low, extent;
    MPI_Aint lower = -1, wide = -1;
    int bytes = 0;
    MPI_Type_create_darray(size, rank, 2, all, blocks, each, grid, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 8 * 2 * 8);
    MPI_Type_size_x(type, &long_bytes);
    CHECK(long_bytes == bytes);
    MPI_Type_get_extent(type, &lower, &wide);
    CHECK(lower == 0 && wide == (MPI_Aint)8 * 8 * 2 * size);
    MPI_Type_get_extent_x(type, &low, &extent);
    CHECK(low == 0 && extent == wide);
    MPI_Type_get_true_extent(type, &lower, &wide);
    CHECK(lower == (MPI_Aint)8 * 8 * rank);
    MPI_Type_get_true_extent_x(type, &low, &extent);
    CHECK(low == lower && extent == wide);
    MPI_Type_free(&type);
    double out = rank, in = -1;
    MPI_Type_create_f90_real(12, 100, &portable);
    MPI_Sendrecv(&out, 1, portable, right, 8, &in, 1, portable, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == left);
    MPI_Type_create_f90_integer(9, &portable);
    MPI_Type_size(portable, &bytes);
    CHECK(bytes == 4);
    MPI_Type_create_f90_complex(6, 30, &portable);
    MPI_Type_size(portable, &bytes);
    CHECK(bytes == 8);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 8);
}

static void groups(void) {
    MPI_Group world, first, rest, made;
    int none[1] = {0}, there[2] = {-1, -1}, ours[2] = {0, size - 1}, number = -1, same = -1, own = -1;
    int ranges[1][3] = {{0, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(world, &number);
    MPI_Group_rank(world, &own);
    CHECK(number == size && own == rank);
    MPI_Group_incl(world, 1, none, &first);
    MPI_Group_excl(world, 1, none, &rest);
    MPI_Group_translate_ranks(world, 2, ours, rest, there);
    CHECK(there[0] == MPI_UNDEFINED && there[1] == (size > 1 ? size - 2 : MPI_UNDEFINED));
    MPI_Group_union(rest, first, &made); /* all ranks, the first one last */
    MPI_Group_compare(world, made, &same);
    CHECK(same == (size > 1 ? MPI_SIMILAR : MPI_IDENT));
    MPI_Comm turned;
    MPI_Comm_create(MPI_COMM_WORLD, made, &turned);
    MPI_Comm_compare(MPI_COMM_WORLD, turned, &same);
    CHECK(same == (size > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
    MPI_Comm_free(&turned);
    MPI_Group_free(&made);
    MPI_Group_intersection(world, first, &made);
    MPI_Group_compare(first, made, &same);
    CHECK(same == MPI_IDENT);
    MPI_Group_free(&made);
    MPI_Group_difference(world, rest, &made);
    MPI_Group_compare(first, made, &same);
    CHECK(same == MPI_IDENT);
    MPI_Group_free(&made);
    MPI_Group_range_excl(world, 1, ranges, &made);
    MPI_Group_size(made, &number);
    CHECK(number == size / 2);
    if (made != MPI_GROUP_EMPTY) MPI_Group_free(&made);
    if (rest != MPI_GROUP_EMPTY) MPI_Group_free(&rest);
    MPI_Group_free(&first);
    MPI_Group_free(&world);
}

static void topologies(void) {
    MPI_Comm grid, ring;
    int dims[2] = {0, 1}, periods[2] = {1, 0}, coords[2] = {-1, -1}, got[2], kinds[2], number = 0, edges = 0, own = -1;
    int *index = malloc((size_t)size * sizeof *index), *to = malloc(2 * (size_t)size * sizeof *to);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cartdim_get(grid, &number);
    MPI_Cart_get(grid, 2, got, kinds, coords);
    CHECK(number == 2 && got[0] == size && got[1] == 1 && kinds[0] == 1 && kinds[1] == 0 && coords[0] == rank);
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &own);
    CHECK(own == MPI_UNDEFINED || (own >= 0 && own < size));
    MPI_Comm_free(&grid);
    for (int i = 0; i < size; ++i) {
        index[i] = 2 * (i + 1);
        to[2 * i] = (i + size - 1) % size, to[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, to, 0, &ring);
    MPI_Graphdims_get(ring, &number, &edges);
    CHECK(number == size && edges == 2 * size);
    memset(index, 0, (size_t)size * sizeof *index);
    memset(to, 0, 2 * (size_t)size * sizeof *to);
    MPI_Graph_get(ring, size, 2 * size, index, to);
    CHECK(index[size - 1] == 2 * size && to[2 * rank] == left && to[2 * rank + 1] == right);
    MPI_Graph_neighbors_count(ring, rank, &number);
    CHECK(number == 2);
    MPI_Graph_map(MPI_COMM_WORLD, size, index, to, &own);
    CHECK(own == MPI_UNDEFINED || (own >= 0 && own < size));
    MPI_Comm_free(&ring);
    free(to);
    free(index);
}

/* A ring, whose neighbours are twice the same rank where there are two ranks. */
static void neighbours(void) {
    const int sources[2] = {left, right}, targets[2] = {left, right}, counts[2] = {1, 1}, places[2] = {0, 1};
    const MPI_Aint starts[2] = {0, sizeof(int)};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int out[2] = {rank, rank}, in[2], number = 0, other = 0, weighted = -1, from[2], to[2];
    int weights[2] = {7, 8}, of_source = 0, of_target = 0;
    MPI_Comm ring, distributed;
    MPI_Request request;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, targets, weights, MPI_INFO_NULL, 0, &ring);
#define ARRIVES(call)                       \
    in[0] = in[1] = -1, call;               \
    CHECK(in[0] == left && in[1] == right); \
    MPI_Barrier(ring)
#define LATER(call) ARRIVES((call, MPI_Wait(&request, MPI_STATUS_IGNORE)))
    ARRIVES(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring));
    ARRIVES(MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, ring));
    ARRIVES(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring));
    ARRIVES(MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring));
    ARRIVES(MPI_Neighbor_alltoallw(out, counts, starts, types, in, counts, starts, types, ring));
    LATER(MPI_Ineighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring, &request));
    LATER(MPI_Ineighbor_allgatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, ring, &request));
    LATER(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request));
    LATER(MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, &request));
    LATER(MPI_Ineighbor_alltoallw(out, counts, starts, types, in, counts, starts, types, ring, &request));
    MPI_Comm_free(&ring);
    const int degree[1] = {1};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, degree, &right, weights, MPI_INFO_NULL, 0, &distributed);
    MPI_Dist_graph_neighbors_count(distributed, &number, &other, &weighted);
    CHECK(number == 1 && other == 1 && weighted == 1);
    MPI_Dist_graph_neighbors(distributed, 1, from, &of_source, 1, to, &of_target);
    CHECK(from[0] == left && to[0] == right && of_source == 7 && of_target == 7);
    MPI_Comm_free(&distributed);
}

static void nonblocking(void) {
    const size_t room = (size_t)size * sizeof(int);
    int *many = malloc(room), *all = malloc(room), *counts = malloc(room), *places = malloc(room),
        *bytes = malloc(room);
    int one = -1, commutes = 0;
    MPI_Datatype* types = malloc((size_t)size * sizeof *types);
    MPI_Request request;
    for (int i = 0; i < size; ++i) {
        many[i] = 1000 * rank + i, all[i] = -1, counts[i] = 1, places[i] = i, bytes[i] = (int)sizeof(int) * i;
        types[i] = MPI_INT;
    }
#define DONE(holds)                        \
    MPI_Wait(&request, MPI_STATUS_IGNORE); \
    CHECK(holds)
    MPI_Igather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    DONE(rank != 0 || all[size - 1] == size - 1);
    MPI_Igatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, size - 1, MPI_COMM_WORLD, &request);
    DONE(rank != size - 1 || all[size - 1] == size - 1);
    MPI_Iscatter(many, 1, MPI_INT, &one, 1, MPI_INT, size - 1, MPI_COMM_WORLD, &request);
    DONE(one == 1000 * (size - 1) + rank);
    MPI_Iscatterv(many, counts, places, MPI_INT, &one, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    DONE(one == rank);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
    DONE(all[0] == 0 && all[size - 1] == size - 1);
    MPI_Iallgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
    DONE(all[0] == 0 && all[size - 1] == size - 1);
    MPI_Ialltoall(many, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
    DONE(all[size - 1] == 1000 * (size - 1) + rank);
    MPI_Ialltoallw(many, counts, bytes, types, all, counts, bytes, types, MPI_COMM_WORLD, &request);
    DONE(all[0] == rank);
    MPI_Iexscan(&rank, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    DONE(rank == 0 || one == rank * (rank - 1) / 2);
    MPI_Ireduce_scatter(many, &one, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    DONE(one == 1000 * (size - 1) + rank);
    MPI_Op_commutative(MPI_SUM, &commutes);
    CHECK(commutes == 1);
    free(types);
    free(bytes);
    free(places);
    free(counts);
    free(all);
    free(many);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    modes();
    packing();
    datatypes();
    groups();
    topologies();
    neighbours();
    nonblocking();
    MPI_Finalize();
    return 0;
}
