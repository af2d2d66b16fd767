/* SPDX-License-Identifier: BSD-3-Clause
   Communicators, groups, topologies, attributes, info, and collectives with roots; four ranks or more. */
#include "common.h"

static int copies, deletions;

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)key, (void)extra;
    *(void**)out = in;
    *flag = 1;
    ++copies;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
    (void)key, (void)value, (void)extra;
    int rank;
    MPI_Comm_rank(comm, &rank); /* a call from within a call is MPI's business, not the program's */
    ++deletions;
    return MPI_SUCCESS;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void communicators(int rank, int size) {
    MPI_Comm copy, half, even, cart, row, pair, merged, late;
    MPI_Group all, some;
    MPI_Request request;
    for (int round = 0; round < 2; ++round) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, -rank, &half);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int ranges[1][3] = {{0, size - 1, 2}};
    MPI_Group_range_incl(all, 1, ranges, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &even);
    CHECK((even == MPI_COMM_NULL) == (rank % 2 == 1));
    if (even != MPI_COMM_NULL) {
        MPI_Comm_free(&even);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &even);
        MPI_Barrier(even);
        MPI_Comm_free(&even);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, source, dest;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_shift(cart, 1, 1, &source, &dest);
    MPI_Cart_sub(cart, keep, &row);
    int sent = rank, received[4];
    MPI_Neighbor_allgather(&sent, 1, MPI_INT, received, 1, MPI_INT, cart);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size - 1 : size / 2 - 1, 9, &pair);
    int remote;
    MPI_Comm_remote_size(pair, &remote);
    CHECK(remote == size - size / 2 || remote == size / 2);
    MPI_Intercomm_merge(pair, rank < size / 2, &merged);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&pair);
    MPI_Comm_idup(half, &late, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(late);
    MPI_Comm_free(&late);
    MPI_Comm_free(&half);
}

static void attributes(void) {
    MPI_Comm copy;
    int key, flag, *value, *upper, number = 7;
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &number);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    CHECK(flag && value == &number && copies == 1);
    MPI_Comm_free(&copy);
    CHECK(deletions == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag);
    CHECK(flag && *upper >= 32767);
}

static void collectives(int rank, int size) {
    MPI_Op sum;
    MPI_Request request;
    int *all = malloc((size_t)size * sizeof *all), *counts = malloc((size_t)size * sizeof *counts);
    int *starts = malloc((size_t)size * sizeof *starts), mine = rank, total = 0;
    for (int i = 0; i < size; ++i) counts[i] = 1, starts[i] = i;
    MPI_Op_create(add, 1, &sum);
    MPI_Allreduce(&mine, &total, 1, MPI_INT, sum, MPI_COMM_WORLD);
    CHECK(total == size * (size - 1) / 2);
    MPI_Op_free(&sum);
    MPI_Bcast(&total, 1, MPI_INT, 1, MPI_COMM_WORLD);
    /* What only the root says may be anything elsewhere. */
    MPI_Gatherv(&mine, 1, MPI_INT, all, rank == 2 ? counts : NULL, rank == 2 ? starts : NULL, MPI_INT, 2,
                MPI_COMM_WORLD);
    if (rank == 2) CHECK(all[size - 1] == size - 1);
    MPI_Scatter(rank == 2 ? all : NULL, 1, MPI_INT, &mine, 1, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(&mine, counts, starts, MPI_INT, &total, counts, starts, MPI_INT, MPI_COMM_SELF);
    MPI_Ireduce(&mine, &total, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) CHECK(total == size - 1);
    free(all);
    free(counts);
    free(starts);
}

static void errors_and_info(void) {
    MPI_Info info;
    char value[32];
    int flag, code;
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "blue");
    MPI_Info_get(info, "colour", sizeof value - 1, value, &flag);
    CHECK(flag && strcmp(value, "blue") == 0);
    MPI_Info_get(info, "absent", sizeof value - 1, value, &flag);
    CHECK(!flag);
    MPI_Info_free(&info);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Send(&flag, 1, MPI_INT, 100000, 0, MPI_COMM_WORLD);
    CHECK(code != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
    int rank, size, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicators(rank, size);
    attributes();
    collectives(rank, size);
    errors_and_info();
    MPI_Finalize();
    return 0;
}
