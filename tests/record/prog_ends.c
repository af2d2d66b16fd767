/* SPDX-License-Identifier: BSD-3-Clause
   Programs that do not end as they should. The first argument says how: abort, exit, kill, fork (a child that calls MPI
   and goes), pause or info (recording switched off and on again, by MPI_Pcontrol or MPI_Info_set, and a proper end).
   The second is a number of calls before, none of which came before. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

int main(int argc, char** argv) {
    int rank, flag, calls = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < calls; ++i) {
        const int tag = (int)((unsigned)i * 20011u % 32749u); /* each once, and by no constant step */
        MPI_Sendrecv(&i, 1, MPI_INT, 0, tag, &flag, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        CHECK(flag == i);
    }
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
    if (strcmp(argv[1], "info") == 0) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "laconic_trace", "off");
        MPI_Comm_size(MPI_COMM_WORLD, &flag);
        MPI_Info_set(info, "laconic_trace", "of"); /* still off */
        MPI_Comm_size(MPI_COMM_WORLD, &flag);
        MPI_Info_set(info, "laconic_trace", "on");
        MPI_Comm_rank(MPI_COMM_WORLD, &flag);
        MPI_Info_set(info, "laconic_trace", "OFF"); /* still on */
        MPI_Info_set(info, "laconic", "off");
        MPI_Comm_rank(MPI_COMM_WORLD, &flag);
        MPI_Info_free(&info);
    }
    MPI_Finalize();
    return 0;
}
