/* SPDX-License-Identifier: BSD-3-Clause
   Windows on memory of the program's own: attached and detached while the window lives, and given when it is made. Any
   number of ranks. */
#include "common.h"

static int rank, size, left, right;

/* Addresses travel, the heap's and the stack's. */
static void dynamic(void) {
    MPI_Win window;
    MPI_Aint here, there, apart;
    int *numbers = calloc(16, sizeof *numbers), on_stack[4] = {-1, -1, -1, -1}, got = -1, *flavour, flag;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavour, &flag);
    CHECK(flag && *flavour == MPI_WIN_FLAVOR_DYNAMIC);
    for (int turn = 0; turn < 3; ++turn) {
        int* memory = turn == 1 ? on_stack : numbers + 4 * turn;
        MPI_Win_attach(window, memory, 4 * (MPI_Aint)sizeof(int));
        memory[1] = rank;
        MPI_Get_address(memory, &here);
        MPI_Sendrecv(&here, 1, MPI_AINT, left, 1, &there, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        apart = MPI_Aint_add(there, 2 * (MPI_Aint)sizeof(int));
        MPI_Win_lock_all(0, window);
        MPI_Put(&rank, 1, MPI_INT, right, apart, 1, MPI_INT, window);
        MPI_Get(&got, 1, MPI_INT, right, MPI_Aint_add(there, sizeof(int)), 1, MPI_INT, window);
        MPI_Win_unlock_all(window);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
        CHECK(memory[2] == left && got == right);
        MPI_Win_unlock(rank, window);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(window, memory);
    }
    MPI_Win_free(&window);
    free(numbers);
}

static void own_memory(void) {
    MPI_Win window;
    int* numbers = calloc(8, sizeof *numbers);
    MPI_Win_create(numbers, 8 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, right, 3, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(numbers[3] == left);
    MPI_Win_free(&window);
    free(numbers);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    dynamic();
    own_memory();
    MPI_Finalize();
    return 0;
}
