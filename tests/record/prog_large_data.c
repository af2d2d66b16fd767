/* SPDX-License-Identifier: BSD-3-Clause
   Messages with large counts in every mode, alone and persistent; datatypes that are made with large counts, and asked
   what they are made of; external packing. Any number of ranks. */
#include "common.h"

enum { slots = 6 };

static int rank, size, left, right, out[slots], in[slots];
static MPI_Request sends[slots], receives[slots];
static MPI_Status statuses[slots];

/* One receive for each tag is there before anyone sends: ready sends are allowed. */
static void expect(int count) {
    for (int tag = 0; tag < count; ++tag) {
        in[tag] = -1, out[tag] = 100 * tag + rank;
        MPI_Irecv_c(&in[tag], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &receives[tag]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void arrived(int count) {
    MPI_Waitall(count, receives, statuses);
    for (int tag = 0; tag < count; ++tag) CHECK(in[tag] == 100 * tag + left && statuses[tag].MPI_TAG == tag);
}

static void modes(void) {
    static char buffer[4096];
    char* back;
    MPI_Count bytes = 0;
    MPI_Buffer_attach_c(buffer, sizeof buffer);
    expect(4);
    MPI_Send_c(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Bsend_c(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Rsend_c(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Ssend_c(&out[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD);
    arrived(4);
    expect(4);
    MPI_Isend_c(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &sends[0]);
    MPI_Ibsend_c(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[1]);
    MPI_Irsend_c(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[2]);
    MPI_Issend_c(&out[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sends[3]);
    MPI_Waitall(4, sends, statuses);
    arrived(4);
    expect(4);
    MPI_Send_init_c(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &sends[0]);
    MPI_Bsend_init_c(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[1]);
    MPI_Rsend_init_c(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[2]);
    MPI_Ssend_init_c(&out[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sends[3]);
    MPI_Startall(4, sends);
    MPI_Waitall(4, sends, statuses);
    arrived(4);
    for (int i = 0; i < 4; ++i) MPI_Request_free(&sends[i]);
    MPI_Buffer_detach_c(&back, &bytes);
    CHECK(back == buffer && bytes == sizeof buffer);
}

static void exchanges(void) {
    MPI_Message message;
    MPI_Status status;
    int one = rank, got = -1;
    MPI_Isend_c(&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[0]);
    MPI_Recv_c(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    CHECK(got == left && status.MPI_SOURCE == left);
    MPI_Wait(&sends[0], MPI_STATUS_IGNORE);
    for (int turn = 0; turn < 2; ++turn) {
        got = -1;
        MPI_Isend_c(&rank, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[0]);
        MPI_Mprobe(left, 2, MPI_COMM_WORLD, &message, &status);
        if (turn == 0) {
            MPI_Mrecv_c(&got, 1, MPI_INT, &message, &status);
        } else {
            MPI_Imrecv_c(&got, 1, MPI_INT, &message, &receives[0]);
            MPI_Wait(&receives[0], &status);
        }
        CHECK(got == left && message == MPI_MESSAGE_NULL);
        MPI_Wait(&sends[0], MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv_replace_c(&one, 1, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, &status);
    CHECK(one == left);
    MPI_Isendrecv_c(&rank, 1, MPI_INT, right, 4, &got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &receives[0]);
    MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
    one = rank;
    MPI_Isendrecv_replace(&one, 1, MPI_INT, right, 5, left, 5, MPI_COMM_WORLD, &receives[0]);
    MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
    CHECK(got == left && one == left);
}

/* What `type`, which is freed, takes on the way around the ring: its bytes, and where they lie. */
static void made(MPI_Datatype type, MPI_Count bytes, MPI_Count first, MPI_Count span) {
    static char from[512], to[512];
    MPI_Count count = -1, low = -1, extent = -1;
    MPI_Status status;
    MPI_Type_commit(&type);
    MPI_Type_size_c(type, &count);
    MPI_Type_get_true_extent_c(type, &low, &extent);
    CHECK(count == bytes && low == first && extent == span && first + span <= (MPI_Count)sizeof from);
    memset(from, rank + 1, sizeof from), memset(to, 0, sizeof to);
    MPI_Sendrecv_c(from, 1, type, right, 6, to, 1, type, left, 6, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, type, &count);
    CHECK(count == 1 && to[first] == left + 1 && to[first + span - 1] == left + 1);
    MPI_Type_free(&type);
}

static void datatypes(void) {
    const MPI_Count lengths[2] = {2, 3}, starts[2] = {1, 5}, places[2] = {4, 32}, sides[2] = {6, 5}, parts[2] = {2, 3};
    const MPI_Count at[2] = {1, 1}, whole[2] = {4, 4};
    const int blocks[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, grid[2] = {1, 1};
    const int each[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Datatype type;
    MPI_Type_indexed_c(2, lengths, starts, MPI_INT, &type), made(type, 20, 4, 28);
    MPI_Type_create_indexed_block_c(2, 2, starts, MPI_INT, &type), made(type, 16, 4, 24);
    MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &type), made(type, 20, 4, 40);
    MPI_Type_create_hindexed_block_c(2, 3, places, MPI_INT, &type), made(type, 24, 4, 40);
    MPI_Type_create_hvector_c(3, 2, 40, MPI_FLOAT, &type), made(type, 24, 0, 88);
    MPI_Type_create_resized_c(MPI_INT, 0, 64, &type), made(type, 4, 0, 4);
    MPI_Type_create_subarray_c(2, sides, parts, at, MPI_ORDER_C, MPI_INT, &type), made(type, 24, 24, 32);
    MPI_Type_create_darray_c(1, 0, 2, whole, blocks, each, grid, MPI_ORDER_C, MPI_INT, &type), made(type, 64, 0, 64);
}

/* Made with large counts it is taken apart with large counts; made with plain ones, with either. */
static void contents(void) {
    const MPI_Count lengths[2] = {2, 3}, places[2] = {0, 16};
    MPI_Count of[4] = {-1, -1, -1, -1}, large[8];
    MPI_Aint addresses[8];
    int integers[8], combiner = -1;
    MPI_Datatype type, types[2];
    MPI_Type_create_hindexed_c(2, lengths, places, MPI_DOUBLE, &type);
    MPI_Type_get_envelope_c(type, &of[0], &of[1], &of[2], &of[3], &combiner);
    CHECK(combiner == MPI_COMBINER_HINDEXED && of[3] == 1 && of[0] + of[1] + of[2] == 5);
    MPI_Type_get_contents_c(type, of[0], of[1], of[2], of[3], integers, addresses, large, types);
    CHECK(types[0] == MPI_DOUBLE && large[0] == 2);
    MPI_Type_free(&type);
    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    MPI_Type_get_envelope_c(type, &of[0], &of[1], &of[2], &of[3], &combiner);
    CHECK(combiner == MPI_COMBINER_VECTOR && of[0] == 3 && of[1] == 0 && of[2] == 0 && of[3] == 1);
    MPI_Type_get_contents_c(type, of[0], of[1], of[2], of[3], integers, addresses, large, types);
    CHECK(integers[0] == 3 && integers[1] == 2 && integers[2] == 4 && types[0] == MPI_INT);
    MPI_Type_free(&type);
}

static void packing(void) {
    const int numbers[3] = {rank, 2, 3};
    int back[3] = {0};
    char packed[64];
    MPI_Count room = 0, position = 0;
    MPI_Pack_external_size_c("external32", 3, MPI_INT, &room);
    CHECK(room == 12);
    MPI_Pack_external_c("external32", numbers, 3, MPI_INT, packed, room, &position);
    CHECK(position == room && packed[7] == 2); /* the highest byte comes first */
    position = 0;
    MPI_Unpack_external_c("external32", packed, room, &position, back, 3, MPI_INT);
    CHECK(memcmp(numbers, back, sizeof back) == 0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    modes();
    exchanges();
    datatypes();
    contents();
    packing();
    MPI_Finalize();
    return 0;
}
