/* SPDX-License-Identifier: BSD-3-Clause
   The world starts two more processes, merges with them and parts again. Run on any number of ranks. */
#include "common.h"

int main(int argc, char** argv) {
    MPI_Comm parent, others, together;
    int sum = 0, one = 1, size, errors[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        char* arguments[] = {"child", NULL};
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, errors);
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
