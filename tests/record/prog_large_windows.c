/* SPDX-License-Identifier: BSD-3-Clause
   One-sided communication with large counts: windows that are allocated, shared and on the program's own memory, and
   every operation, with a request and without. Any number of ranks. */
#include "common.h"

/* Windows of a page at least: in windows of a few bytes MPICH 4.0 puts and gets elsewhere. */
enum { numbers = 1024 };

static int rank, size, left, right;

static void fill(int* memory) {
    for (int i = 0; i < numbers; ++i) memory[i] = 100 * rank + i;
}

/* `memory` is the rank's own part of the window. */
static void operations(MPI_Win window, int* memory) {
    const int own = rank, one = 1;
    int got = -1, old = -1;
    MPI_Win_fence(0, window);
    fill(memory);
    MPI_Win_fence(0, window);
    MPI_Put_c(&own, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Get_c(&got, 1, MPI_INT, right, 1, 1, MPI_INT, window);
    MPI_Accumulate_c(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
    MPI_Get_accumulate_c(&one, 1, MPI_INT, &old, 1, MPI_INT, right, 3, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    CHECK(memory[0] == left && got == 100 * right + 1 && old == 100 * right + 3 && memory[3] == 100 * rank + 4);
    if (rank == 0) CHECK(memory[2] == 2 + size);
    MPI_Win_fence(0, window);
}

/* Operations with requests want a passive target. */
static void with_requests(MPI_Win window, int* memory) {
    const int own = rank, one = 1;
    int got = -1, old = -1;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    fill(memory);
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Rput_c(&own, 1, MPI_INT, right, 10, 1, MPI_INT, window, &requests[0]);
    MPI_Rget_c(&got, 1, MPI_INT, right, 11, 1, MPI_INT, window, &requests[1]);
    MPI_Raccumulate_c(&one, 1, MPI_INT, right, 12, 1, MPI_INT, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate_c(&one, 1, MPI_INT, &old, 1, MPI_INT, right, 13, 1, MPI_INT, MPI_SUM, window, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    CHECK(got == 100 * right + 11 && old == 100 * right + 13);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    CHECK(memory[10] == left && memory[12] == 100 * rank + 13 && memory[13] == 100 * rank + 14);
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void of_a_node(void) {
    int *own, *of_last = NULL, ranks, me;
    MPI_Aint bytes = 0, unit = 0;
    MPI_Comm node;
    MPI_Win window;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &me);
    MPI_Comm_size(node, &ranks);
    MPI_Win_allocate_shared_c(numbers * sizeof *own, sizeof *own, MPI_INFO_NULL, node, &own, &window);
    MPI_Win_shared_query_c(window, ranks - 1, &bytes, &unit, &of_last);
    CHECK(bytes == numbers * sizeof *own && unit == sizeof *own);
    MPI_Win_fence(0, window);
    own[7] = me;
    MPI_Win_fence(0, window);
    CHECK(of_last[7] == ranks - 1);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
    int *given, *mine = malloc(numbers * sizeof *mine);
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Win_allocate_c(numbers * sizeof *given, sizeof *given, MPI_INFO_NULL, MPI_COMM_WORLD, &given, &window);
    operations(window, given);
    with_requests(window, given);
    MPI_Win_free(&window);
    MPI_Win_create_c(mine, numbers * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    operations(window, mine);
    with_requests(window, mine);
    MPI_Win_free(&window);
    of_a_node();
    MPI_Finalize();
    free(mine);
    return 0;
}
