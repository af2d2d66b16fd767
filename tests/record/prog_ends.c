/* SPDX-License-Identifier: BSD-3-Clause
   Programs that do not end as they should. The argument says how: abort, exit, kill, fork (a child that calls MPI and
   goes) or pause (recording switched off and on again, and a proper end). */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

int main(int argc, char** argv) {
    int rank, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; ++i) MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(argv[1], "exit") == 0) _exit(4);
    if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
    if (strcmp(argv[1], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            MPI_Initialized(&flag);
            _exit(flag ? 0 : 1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 0);
    }
    if (strcmp(argv[1], "pause") == 0) {
        MPI_Comm copy;
        MPI_Pcontrol(0);
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Barrier(copy);
        MPI_Pcontrol(1);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
