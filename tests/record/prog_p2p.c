/* SPDX-License-Identifier: BSD-3-Clause
   Point-to-point communication in all its forms on a ring; two ranks or more. */
#include "common.h"

enum { n = 64 };

static void blocking(int left, int right, double* out, double* in) {
    MPI_Status status;
    int count;
    MPI_Sendrecv(out, n, MPI_DOUBLE, right, 11, in, n, MPI_DOUBLE, left, 11, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == n && status.MPI_SOURCE == left && in[0] == left);
    MPI_Sendrecv_replace(in, n, MPI_DOUBLE, right, 12, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void nonblocking(int left, int right, double* out, double* in) {
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int index, flag, done, indices[4];
    for (int round = 0; round < 3; ++round) {
        MPI_Irecv(in, 8, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in + 8, 8, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(out, 8, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(out + 8, 8, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, statuses);
        CHECK(statuses[1].MPI_SOURCE == left && statuses[0].MPI_TAG == 1);
    }
    MPI_Irecv(in, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 8, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    CHECK(requests[index] == MPI_REQUEST_NULL);
    do MPI_Testany(2, requests, &index, &flag, &statuses[0]);
    while (!flag);
    MPI_Irecv(in, 8, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, 8, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &requests[1]);
    for (int over = 0; over < 2; over += done) MPI_Waitsome(2, requests, &done, indices, statuses);
    MPI_Irecv(in, 8, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 8, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &requests[1]);
    do MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
}

static void persistent(int left, int right, double* out, double* in) {
    MPI_Request requests[2];
    MPI_Recv_init(in, n, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, n, MPI_DOUBLE, right, 6, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 2; ++round) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    CHECK(requests[0] != MPI_REQUEST_NULL);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void probing(int left, int right, double* out, double* in) {
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Isend(out, 5, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &request);
    MPI_Probe(left, 7, MPI_COMM_WORLD, &status);
    MPI_Recv(in, 5, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 5, MPI_DOUBLE, right, 8, MPI_COMM_WORLD, &request);
    MPI_Mprobe(left, 8, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, 5, MPI_DOUBLE, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 5, MPI_DOUBLE, left, 999, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    int cancelled;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *out = malloc(n * sizeof *out), *in = calloc(n, sizeof *in);
    for (int i = 0; i < n; ++i) out[i] = rank;
    blocking(left, right, out, in);
    nonblocking(left, right, out, in);
    persistent(left, right, out, in);
    probing(left, right, out, in);
    in = realloc(in, 4 * n * sizeof *in);
    MPI_Sendrecv(out, 1, MPI_DOUBLE, right, 13, in + n, 1, MPI_DOUBLE, left, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
