/* SPDX-License-Identifier: BSD-3-Clause
   Datatypes, packing, one-sided communication, files; two ranks or more. The argument names a file to write. */
#include "common.h"

static void datatypes(int rank) {
    MPI_Datatype vector, structure, copy, part;
    int lengths[2] = {1, 2}, integers[3], position = 0, size;
    struct {
        int number;
        double pair[2];
    } record = {rank, {1, 2}};
    MPI_Aint displacements[2], base, addresses[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, contained[2];
    char packed[64];
    MPI_Type_vector(3, 2, 5, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Get_address(&record, &base);
    MPI_Get_address(&record.pair, &displacements[1]);
    displacements[0] = 0;
    displacements[1] = MPI_Aint_diff(displacements[1], base);
    MPI_Type_create_struct(2, lengths, displacements, types, &structure);
    MPI_Type_commit(&structure);
    MPI_Type_dup(structure, &copy);
    int counts[4], combiner;
    MPI_Type_get_envelope(structure, &counts[0], &counts[1], &counts[2], &combiner);
    CHECK(combiner == MPI_COMBINER_STRUCT && counts[0] == 3 && counts[1] == 2 && counts[2] == 2);
    MPI_Type_get_contents(structure, 3, 2, 2, integers, addresses, contained);
    CHECK(contained[1] == MPI_DOUBLE && addresses[1] == displacements[1]);
    int sizes[2] = {8, 8}, subsizes[2] = {4, 2}, starts[2] = {1, 3};
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_FLOAT, &part);
    MPI_Type_size(part, &size);
    CHECK(size == 32);
    MPI_Pack(&record, 1, structure, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CHECK(position == 20);
    MPI_Type_free(&part);
    MPI_Type_free(&copy);
    MPI_Type_free(&structure);
    MPI_Type_free(&vector);
}

static void one_sided(int rank, int size) {
    MPI_Win window;
    MPI_Request request;
    int *memory, one = 1, got = -1, *own = calloc(16, sizeof *own);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = rank;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, window);
    CHECK(memory[1] == (rank + size - 1) % size);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 2, MPI_SUM, window);
    MPI_Rget(own + 2, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(0, window);
    CHECK(own[2] == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
#ifndef OPEN_MPI
    /* Open MPI 4.1 refuses windows on the program's own memory when it has only shared memory to communicate. */
    MPI_Win_create(own, 16 * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
#endif
    free(own);
    void* given;
    MPI_Alloc_mem(128, MPI_INFO_NULL, &given);
    MPI_Bcast((char*)given + 8, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Free_mem(given);
}

static void files(const char* path, int rank, int size) {
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset bytes;
    int numbers[2] = {rank, rank}, back[2] = {-1, -1}, count;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 2 * rank, numbers, 2, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 2);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_iread_at(file, 2 * ((rank + 1) % size), back, 2, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(back[0] == (rank + 1) % size);
    MPI_File_get_size(file, &bytes);
    CHECK(bytes == (MPI_Offset)(8 * size));
    MPI_File_close(&file);
    CHECK(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    CHECK(argc == 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    datatypes(rank);
    one_sided(rank, size);
    files(argv[1], rank, size);
    MPI_Finalize();
    return 0;
}
