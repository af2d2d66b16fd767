/* SPDX-License-Identifier: BSD-3-Clause
   What MPI 4.0 added: large counts, persistent collectives, partitioned communication, sessions. Two ranks or more. */
#include "common.h"

int main(int argc, char** argv) {
    int rank, size, flag, in[8], out[8];
    MPI_Request request;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 8; ++i) out[i] = rank;
    MPI_Sendrecv_c(out, 8, MPI_INT, right, 1, in, 8, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[7] == left);
    MPI_Allreduce_init(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0] == size * (size - 1) / 2);
    MPI_Request_free(&request);
    if (rank == 0) {
        MPI_Psend_init(out, 4, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < 4; ++i) MPI_Pready(i, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Precv_init(in, 4, 2, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Parrived(request, 0, &flag);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(in[7] == 0);
        MPI_Request_free(&request);
    }
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "laconic.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
