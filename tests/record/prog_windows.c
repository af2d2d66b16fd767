/* SPDX-License-Identifier: BSD-3-Clause
   One-sided communication in every kind of epoch, and files by every kind of pointer. Any number of ranks; the argument
   names a file to write. */
#include "common.h"

static int rank, size;

static void epochs(void) {
    MPI_Win window;
    MPI_Group world, left_group, right_group;
    MPI_Request requests[2];
    int *memory, flag, *model, one = 1, ten = 10, got = -1, old = -1, zero = 0;
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Win_allocate(8 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 8; ++i) memory[i] = 0;
    MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &flag);
    MPI_Win_set_name(window, "eight numbers");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &left_group);
    MPI_Group_incl(world, 1, &right, &right_group);
    MPI_Barrier(MPI_COMM_WORLD);
    /* Post, start, complete, wait. */
    MPI_Win_post(left_group, 0, window);
    MPI_Win_start(right_group, 0, window);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    CHECK(memory[0] == left);
    /* Everyone's memory at once. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(0, window);
    MPI_Raccumulate(&ten, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window, &requests[0]);
    MPI_Rput(&rank, 1, MPI_INT, right, 3, 1, MPI_INT, window, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get_accumulate(&zero, 1, MPI_INT, &got, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, right, 4, window);
    MPI_Win_flush_local_all(window);
    MPI_Win_unlock_all(window);
    CHECK(got == size && old == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    /* One alone. */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    MPI_Get(&got, 1, MPI_INT, right, 3, 1, MPI_INT, window);
    MPI_Win_unlock(right, window);
    CHECK(got == rank);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Group_free(&right_group);
    MPI_Group_free(&left_group);
    MPI_Group_free(&world);
    /* Memory that the ranks of a node share. */
    MPI_Comm node;
    int *shared, *of_first, unit, on_node, me;
    MPI_Aint bytes;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    MPI_Comm_rank(node, &me);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &shared, &window);
    MPI_Win_fence(0, window);
    *shared = me;
    MPI_Win_fence(0, window);
    MPI_Win_shared_query(window, on_node - 1, &bytes, &unit, &of_first);
    CHECK(*of_first == on_node - 1 && bytes == sizeof(int));
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
}

static void pointers(const char* path) {
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Datatype every;
    MPI_Offset at, bytes;
    int numbers[3] = {rank, rank, rank}, back[3] = {-1, -1, -1}, count, atomic;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    /* Every rank has each size-th number, after the first 16 bytes. */
    MPI_Type_vector(3, 1, size, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(file, 16 + 4 * (MPI_Offset)rank, MPI_INT, every, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, numbers, 3, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 3);
    /* Another rank may have written it. */
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, back, 2, MPI_INT, &status);
    MPI_File_get_position(file, &at);
    MPI_File_get_byte_offset(file, at, &bytes);
    CHECK(back[1] == rank && at == 2 && bytes == 16 + 4 * (MPI_Offset)(rank + 2 * size));
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, back, 3, MPI_INT);
    MPI_File_read_all_end(file, back, &status);
    CHECK(back[2] == rank);
    MPI_File_iwrite_at_all(file, 0, numbers, 3, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_set_atomicity(file, 1);
    MPI_File_get_atomicity(file, &atomic);
    CHECK(atomic == 1);
    MPI_File_set_atomicity(file, 0);
    MPI_File_sync(file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_shared(file, numbers, 1, MPI_INT, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, back, 1, MPI_INT, &status);
    CHECK(back[0] >= 0 && back[0] < size);
    MPI_File_set_size(file, 4);
    MPI_File_preallocate(file, 64);
    MPI_File_get_size(file, &bytes);
    CHECK(bytes == 64);
    MPI_File_close(&file);
    MPI_Type_free(&every);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    CHECK(argc == 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    epochs();
    pointers(argv[1]);
    MPI_Finalize();
    return 0;
}
