/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 sends a number of bytes, given on the command line, to rank 1; a host name per rank and the time that took
 * flow out. Exit status 1 when both ranks sit on one host or the bytes are wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, length = 0, bad = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char names[2][MPI_MAX_PROCESSOR_NAME] = {{0}}, mine[MPI_MAX_PROCESSOR_NAME] = {0};
    MPI_Get_processor_name(mine, &length);
    MPI_Allgather(mine, sizeof mine, MPI_CHAR, names, sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
    const int count = argc > 1 ? atoi(argv[1]) : 0;
    unsigned char* bytes = malloc((size_t)count + 1);
    /* Not compressible, not constant: nothing on the way could make it smaller. */
    for (int i = 0; i < count; ++i) bytes[i] = (unsigned char)(rank == 0 ? (unsigned)i * 2654435761U >> 13 : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    char done = 0;
    if (rank == 0) {
        MPI_Send(bytes, count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&done, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("{\"hosts\": [\"%s\", \"%s\"], \"seconds\": %.6f}\n", names[0], names[1], MPI_Wtime() - start);
    } else {
        MPI_Recv(bytes, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&done, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        for (int i = 0; i < count; ++i) bad |= bytes[i] != (unsigned char)((unsigned)i * 2654435761U >> 13);
    }
    bad |= strcmp(names[0], names[1]) == 0;
    free(bytes);
    MPI_Finalize();
    return bad;
}
