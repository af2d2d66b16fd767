/* SPDX-License-Identifier: BSD-3-Clause
   Messages that say what they are, for whoever reads the trace: up to 9999 a tag is the message's bytes; from 10000 on
   it is 10000 + 100 * sender + receiver, ranks of the world, mostly in communicators that have other ranks. Four ranks
   or more. */
#include "common.h"

static int rank, size;

/* Around the ring of the world; the receiver ignores the status. */
static void ring(MPI_Datatype type, int count, int bytes) {
    static char out[8192], in[8192];
    MPI_Sendrecv(out, count, type, (rank + 1) % size, bytes, in, count, type, (rank + size - 1) % size, bytes,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* More than any MPI sends before its receiver is there. */
static void large_ring(void) {
    static char out[1 << 20], in[1 << 20];
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(out, 1 << 20, MPI_BYTE, right, 10000 + 100 * rank + right, in, 1 << 20, MPI_BYTE, left,
                 10000 + 100 * left + rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void made(MPI_Datatype* type, int count, int bytes) {
    MPI_Type_commit(type);
    ring(*type, count, bytes);
    MPI_Type_free(type);
}

static void datatypes(void) {
    MPI_Datatype type, inner, types[2] = {MPI_DOUBLE, MPI_SHORT};
    int lengths[2] = {2, 5}, starts[2] = {0, 7}, sides[2] = {6, 5}, parts[2] = {2, 3}, at[2] = {1, 1};
    MPI_Aint places[2] = {0, 64};
    ring(MPI_INT, 3, 12);
    ring(MPI_DOUBLE, 5, 40);
    ring(MPI_CHAR, 7, 7);
    ring(MPI_SHORT, 9, 18);
    ring(MPI_FLOAT, 11, 44);
    ring(MPI_DOUBLE_INT, 3, 36);
    ring(MPI_UINT16_T, 13, 26);
    ring(MPI_C_DOUBLE_COMPLEX, 2, 32);
    MPI_Type_contiguous(6, MPI_INT, &type), made(&type, 2, 48);
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &type), made(&type, 1, 48);
    MPI_Type_create_hvector(3, 2, 40, MPI_FLOAT, &type), made(&type, 2, 48);
    MPI_Type_indexed(2, lengths, starts, MPI_INT, &type), made(&type, 3, 84);
    MPI_Type_create_hindexed(2, lengths, places, MPI_SHORT, &type), made(&type, 1, 14);
    MPI_Type_create_indexed_block(2, 3, starts, MPI_INT, &type), made(&type, 1, 24);
    MPI_Type_create_hindexed_block(2, 3, places, MPI_DOUBLE, &type), made(&type, 1, 48);
    MPI_Type_create_struct(2, lengths, places, types, &type), made(&type, 2, 52);
    MPI_Type_create_subarray(2, sides, parts, at, MPI_ORDER_C, MPI_INT, &type), made(&type, 1, 24);
    MPI_Type_dup(MPI_LONG, &type), made(&type, 4, 32);
    MPI_Type_create_resized(MPI_INT, 0, 64, &type), made(&type, 4, 16);
    MPI_Type_contiguous(3, MPI_DOUBLE, &inner);
    MPI_Type_vector(2, 2, 3, inner, &type), made(&type, 1, 96);
    MPI_Type_free(&inner);
}

/* Everyone to everyone in a communicator, through nonblocking and persistent requests too. */
static void meet(MPI_Comm comm, int there) {
    int me, number, mine = rank, others[64], dests[64];
    MPI_Comm_rank(comm, &me);
    if (there)
        MPI_Comm_remote_size(comm, &number);
    else
        MPI_Comm_size(comm, &number);
    /* Who is who in it is said by a message without a tag of its own. */
    MPI_Request requests[128];
    MPI_Status statuses[128];
    for (int i = 0; i < number; ++i) {
        MPI_Irecv(&others[i], 1, MPI_INT, i, 4, comm, &requests[2 * i]);
        MPI_Isend(&mine, 1, MPI_INT, i, 4, comm, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * number, requests, statuses);
    for (int i = 0; i < number; ++i) {
        MPI_Recv_init(&dests[i], 1, MPI_INT, MPI_ANY_SOURCE, 10000 + 100 * others[i] + rank, comm, &requests[2 * i]);
        MPI_Send_init(&mine, 1, MPI_INT, i, 10000 + 100 * rank + others[i], comm, &requests[2 * i + 1]);
    }
    MPI_Startall(2 * number, requests);
    for (int left = 2 * number; left > 0; --left) {
        int which;
        MPI_Waitany(2 * number, requests, &which, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2 * number; ++i) MPI_Request_free(&requests[i]);
}

static void communicators(void) {
    MPI_Comm turned, part, copy, grid, row, column, pair, merged, mixed;
    MPI_Group world, some;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    meet(turned, 0);
    MPI_Comm_split(turned, rank % 2, rank, &part);
    meet(part, 0);
    MPI_Comm_dup(part, &copy);
    meet(copy, 0);
    MPI_Comm_free(&copy);
    int order[2] = {3, 1};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, order, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &mixed);
    if (mixed != MPI_COMM_NULL) {
        meet(mixed, 0);
        MPI_Comm_free(&mixed);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 1, &mixed);
        meet(mixed, 0);
        MPI_Comm_free(&mixed);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    int dims[2] = {2, size / 2}, periods[2] = {0, 0}, rows[2] = {0, 1}, columns[2] = {1, 0};
    MPI_Cart_create(turned, 2, dims, periods, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        meet(grid, 0);
        MPI_Cart_sub(grid, rows, &row);
        meet(row, 0);
        MPI_Cart_sub(grid, columns, &column);
        meet(column, 0);
        MPI_Comm_free(&row);
        MPI_Comm_free(&column);
        MPI_Comm_free(&grid);
    }
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 9, &pair);
    meet(pair, 1);
    MPI_Intercomm_merge(pair, rank % 2 == 0, &merged);
    meet(merged, 0);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&pair);
    MPI_Comm_free(&part);
    MPI_Comm_free(&turned);
}

/* The bytes of these are in test_otf2.py. */
static void collectives(void) {
    MPI_Comm part;
    static int out[1024], in[1024];
    int counts[64], starts[64];
    MPI_Comm_split(MPI_COMM_WORLD, rank < 3, 0, &part);
    if (rank < 3) {
        for (int i = 0; i < 3; ++i) counts[i] = i + 1, starts[i] = 8 * i;
        MPI_Bcast(out, 5, MPI_INT, 1, part);
        MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 2, part);
        MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, 0, part);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT, part);
        MPI_Alltoall(out, 6, MPI_INT, in, 6, MPI_INT, part);
        MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, starts, MPI_INT, part);
        MPI_Reduce(out, in, 7, MPI_INT, MPI_SUM, 1, part);
        MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, part);
        MPI_Reduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, part);
        MPI_Allreduce(out, in, 9, MPI_INT, MPI_MAX, part);
        MPI_Gatherv(out, rank + 1, MPI_INT, in, counts, starts, MPI_INT, 0, part);
        MPI_Exscan(out, in, 4, MPI_INT, MPI_SUM, part);
    }
    MPI_Comm_free(&part);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    datatypes();
    large_ring();
    communicators();
    collectives();
    MPI_Finalize();
    return 0;
}
