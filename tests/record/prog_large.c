/* SPDX-License-Identifier: BSD-3-Clause
   What MPI 4.0 added, in breadth: every persistent collective, of neighbourhoods too, functions of large counts of
   every chapter, combined nonblocking exchanges, partitions made ready by list and range. The argument names a file.
   Any number of ranks. */
#include "common.h"

static int rank, size, left, right, *many, *all, *counts, *places, *bytes;
static MPI_Count* wide_counts;
static MPI_Aint *wide_places, *wide_bytes;
static MPI_Datatype* types;

static void* room(size_t each) {
    void* made = malloc((size_t)size * each);
    CHECK(made != NULL);
    return made;
}

static void prepare(void) {
    many = room(sizeof *many), all = room(sizeof *all), counts = room(sizeof *counts), places = room(sizeof *places);
    bytes = room(sizeof *bytes), wide_counts = room(sizeof *wide_counts), wide_places = room(sizeof *wide_places);
    wide_bytes = room(sizeof *wide_bytes), types = room(sizeof *types);
    for (int i = 0; i < size; ++i) {
        many[i] = 1000 * rank + i, all[i] = -1, counts[i] = 1, places[i] = i, bytes[i] = (int)sizeof(int) * i;
        wide_counts[i] = 1, wide_places[i] = i, wide_bytes[i] = bytes[i], types[i] = MPI_INT;
    }
}

static void done_with(void) {
    void* each[] = {many, all, counts, places, bytes, wide_counts, wide_places, wide_bytes, types};
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) free(each[i]);
}

static void turn(MPI_Request* request) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* The call makes `request`. Once only: MPICH 4.0 fails where a persistent scatter starts again on three ranks. */
#define TURNED(call, holds)     \
    call;                       \
    turn(&request);             \
    MPI_Request_free(&request); \
    CHECK(holds)

static void persistent(void) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const MPI_Info none = MPI_INFO_NULL;
    const int last = size - 1;
    int one = -1, said = rank == 0 ? 17 : 0;
    MPI_Request request;
    MPI_Barrier_init(comm, none, &request);
    turn(&request);
    turn(&request);
    MPI_Request_free(&request);
    TURNED(MPI_Bcast_init(&said, 1, MPI_INT, 0, comm, none, &request), said == 17);
    TURNED(MPI_Gather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, comm, none, &request),
           rank != 0 || all[last] == last);
    TURNED(MPI_Gatherv_init(&rank, 1, MPI_INT, all, counts, places, MPI_INT, last, comm, none, &request),
           rank != last || all[last] == last);
    TURNED(MPI_Scatter_init(many, 1, MPI_INT, &one, 1, MPI_INT, last, comm, none, &request), one == 1000 * last + rank);
    TURNED(MPI_Scatterv_init(many, counts, places, MPI_INT, &one, 1, MPI_INT, 0, comm, none, &request), one == rank);
    TURNED(MPI_Allgather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, comm, none, &request), all[last] == last);
    TURNED(MPI_Allgatherv_init(&rank, 1, MPI_INT, all, counts, places, MPI_INT, comm, none, &request), all[0] == 0);
    TURNED(MPI_Alltoall_init(many, 1, MPI_INT, all, 1, MPI_INT, comm, none, &request), all[last] == 1000 * last + rank);
    TURNED(MPI_Alltoallv_init(many, counts, places, MPI_INT, all, counts, places, MPI_INT, comm, none, &request),
           all[0] == rank);
    TURNED(MPI_Alltoallw_init(many, counts, bytes, types, all, counts, bytes, types, comm, none, &request),
           all[last] == 1000 * last + rank);
    TURNED(MPI_Reduce_init(&rank, &one, 1, MPI_INT, MPI_MAX, last, comm, none, &request), rank != last || one == last);
    TURNED(MPI_Reduce_scatter_init(many, &one, counts, MPI_INT, MPI_MAX, comm, none, &request),
           one == 1000 * last + rank);
    TURNED(MPI_Reduce_scatter_block_init(many, &one, 1, MPI_INT, MPI_MIN, comm, none, &request), one == rank);
    TURNED(MPI_Scan_init(&rank, &one, 1, MPI_INT, MPI_SUM, comm, none, &request), one == rank * (rank + 1) / 2);
    TURNED(MPI_Exscan_init(&rank, &one, 1, MPI_INT, MPI_SUM, comm, none, &request),
           rank == 0 || one == rank * (rank - 1) / 2);
    TURNED(MPI_Bcast_init_c(&said, 1, MPI_INT, last, comm, none, &request), said == 17);
    TURNED(MPI_Alltoallv_init_c(many, wide_counts, wide_places, MPI_INT, all, wide_counts, wide_places, MPI_INT, comm,
                                none, &request),
           all[0] == rank);
}

static void neighbours(void) {
    const int near[2] = {left, right}, ones[2] = {1, 1}, at[2] = {0, 1};
    const MPI_Aint starts[2] = {0, sizeof(int)};
    const MPI_Datatype both[2] = {MPI_INT, MPI_INT};
    const MPI_Count wide[2] = {1, 1};
    const MPI_Info none = MPI_INFO_NULL;
    int out[2] = {rank, rank}, in[2] = {-1, -1};
    MPI_Comm ring;
    MPI_Request request;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near, ones, 2, near, ones, none, 0, &ring);
#define ARRIVED in[0] == left&& in[1] == right && (in[0] = in[1] = -1) == -1
    TURNED(MPI_Neighbor_allgather_init(&rank, 1, MPI_INT, in, 1, MPI_INT, ring, none, &request), ARRIVED);
    TURNED(MPI_Neighbor_allgatherv_init(&rank, 1, MPI_INT, in, ones, at, MPI_INT, ring, none, &request), ARRIVED);
    TURNED(MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, none, &request), ARRIVED);
    TURNED(MPI_Neighbor_alltoallv_init(out, ones, at, MPI_INT, in, ones, at, MPI_INT, ring, none, &request), ARRIVED);
    TURNED(MPI_Neighbor_alltoallw_init(out, ones, starts, both, in, ones, starts, both, ring, none, &request), ARRIVED);
    MPI_Neighbor_alltoallw_c(out, wide, starts, both, in, wide, starts, both, ring);
    CHECK(ARRIVED);
    MPI_Ineighbor_allgather_c(&rank, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(ARRIVED);
    MPI_Comm_free(&ring);
}

static void large_messages(void) {
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Count got = -1;
    int out[6] = {rank, 1, 2, 3, 4, rank}, in[6], both[6];
    MPI_Irecv_c(in, 6, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 6, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Get_count_c(&status, MPI_INT, &got);
    CHECK(got == 6 && in[5] == left);
    MPI_Send_init_c(out, 5, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init_c(in, 6, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], &status);
    MPI_Get_elements_c(&status, MPI_INT, &got);
    CHECK(got == 5 && in[0] == left);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Isendrecv(out, 6, MPI_INT, right, 3, in, 6, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
    memcpy(both, out, sizeof both);
    MPI_Isendrecv_replace_c(both, 6, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(in[5] == left && both[0] == left);
    MPI_Comm copy;
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

static void large_collectives(void) {
    MPI_Request request;
    int sum = -1, said = rank == 0 ? 5 : 0;
    MPI_Bcast_c(&said, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(said == 5);
    MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Allgatherv_c(&rank, 1, MPI_INT, all, wide_counts, wide_places, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[size - 1] == size - 1);
    MPI_Gatherv_c(&rank, 1, MPI_INT, all, wide_counts, wide_places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoallw_c(many, wide_counts, wide_bytes, types, all, wide_counts, wide_bytes, types, MPI_COMM_WORLD);
    CHECK(all[0] == rank);
    MPI_Reduce_scatter_c(many, &sum, wide_counts, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK(sum == rank);
    MPI_Iscatterv_c(many, wide_counts, wide_places, MPI_INT, &sum, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == rank);
}

static void large_data(const char* name) {
    const MPI_Count lengths[2] = {2, 1}, wide[2] = {0, 16};
    const MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype type, again;
    MPI_Count size_now = 0, low = -1, extent = -1, position = 0, needed = 0;
    int out = rank, in = -1;
    char packed[64];
    MPI_Type_create_struct_c(2, lengths, wide, parts, &type);
    MPI_Type_size_c(type, &size_now);
    CHECK(size_now == 20);
    MPI_Type_vector_c(3, 1, 2, type, &again);
    MPI_Type_get_extent_c(again, &low, &extent);
    CHECK(low == 0 && extent == 5 * 24);
    MPI_Type_free(&again);
    MPI_Type_contiguous_c(4, type, &again);
    MPI_Type_free(&again);
    MPI_Type_free(&type);
    MPI_Pack_size_c(1, MPI_INT, MPI_COMM_WORLD, &needed);
    CHECK(needed >= 4 && needed <= (MPI_Count)sizeof packed);
    MPI_Pack_c(&out, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack_c(packed, sizeof packed, &position, &in, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(in == rank);
    MPI_Win window;
    int* base; /* of a page: in windows of a few bytes MPICH 4.0 puts and gets elsewhere */
    MPI_Win_allocate_c(1024 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_fence(0, window);
    MPI_Put_c(&out, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(*base == left);
    MPI_Get_c(&in, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(in == rank);
    MPI_Win_free(&window);
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at_all_c(file, (MPI_Offset)sizeof out * rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    in = -1;
    MPI_File_read_at_c(file, (MPI_Offset)sizeof out * rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(in == rank);
    in = -1;
    MPI_File_iread_at_c(file, (MPI_Offset)sizeof out * rank, &in, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == rank);
    MPI_File_close(&file);
}

static void partitions(void) {
    int out[6] = {rank, rank, rank, rank, rank, rank}, in[6];
    int listed[2] = {5, 0};
    MPI_Request requests[2];
    MPI_Psend_init(out, 6, 1, MPI_INT, right, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 6, 1, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready_list(2, listed, requests[0]);
    MPI_Pready_range(1, 4, requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(in[0] == left && in[5] == left);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    prepare();
    persistent();
    neighbours();
    large_messages();
    large_collectives();
    large_data(argv[1]);
    partitions();
    done_with();
    MPI_Finalize();
    return 0;
}
