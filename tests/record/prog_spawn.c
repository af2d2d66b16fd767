/* SPDX-License-Identifier: BSD-3-Clause
   The world starts two more processes, by one command or by two, merges with them and parts again. The argument "two"
   says by two. Run on any number of ranks. */
#include "common.h"

int main(int argc, char** argv) {
    MPI_Comm parent, others, together;
    int sum = 0, one = 1, rank, size, errors[2] = {-1, -1};
    const int by_two = argc == 2 && strcmp(argv[1], "two") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        char *arguments[] = {"child", NULL}, *commands[2] = {argv[0], argv[0]}, **lists[2] = {arguments, arguments};
        const int each[2] = {1, 1};
        const MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (by_two)
            MPI_Comm_spawn_multiple(2, commands, lists, each, infos, 0, MPI_COMM_WORLD, &others, errors);
        else
            MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, errors);
        CHECK(rank != 0 || (errors[0] == MPI_SUCCESS && errors[1] == MPI_SUCCESS));
    } else {
        CHECK(argc == 2 && strcmp(argv[1], "child") == 0);
        others = parent;
    }
    MPI_Intercomm_merge(others, parent != MPI_COMM_NULL, &together);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, together);
    if (parent == MPI_COMM_NULL) CHECK(sum == size + 2);
    MPI_Comm_free(&together);
    MPI_Comm_disconnect(&others);
    MPI_Finalize();
    return 0;
}
