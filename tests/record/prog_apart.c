/* SPDX-License-Identifier: BSD-3-Clause
   One call makes two communicators without a common rank, which the trace does not tell apart: for each of four ranks
   eight operations in them. */
#include "common.h"

int main(int argc, char** argv) {
    int rank, size, own, out = 1, in[2];
    MPI_Comm half;
    MPI_Group world, mine;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 4);
    const int members[2] = {rank / 2 * 2, rank / 2 * 2 + 1};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &mine);
    MPI_Comm_create(MPI_COMM_WORLD, mine, &half);
    MPI_Comm_rank(half, &own);
    CHECK(own == rank % 2);
    const int peer = 1 - own;
    MPI_Sendrecv(&out, 1, MPI_INT, peer, 1, in, 1, MPI_INT, peer, 1, half, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, peer, 2, half, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, peer, 2, half, &requests[1]);
    MPI_Status both[2];
    MPI_Waitall(2, requests, both);
    MPI_Irecv(in, 1, MPI_INT, peer, 3, half, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Status status;
    MPI_Wait(&requests[0], &status);
    MPI_Iallreduce(&out, in, 1, MPI_INT, MPI_SUM, half, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Allreduce(&out, in, 1, MPI_INT, MPI_SUM, half);
    CHECK(in[0] == 2);
    MPI_Comm_free(&half);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
