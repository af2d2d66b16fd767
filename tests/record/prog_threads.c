/* SPDX-License-Identifier: BSD-3-Clause
   Three threads per rank under MPI_THREAD_MULTIPLE, each exchanging with its like on the next rank over its own
   communicator, and making communicators meanwhile. */
#include <pthread.h>

#include "common.h"

enum { threads = 3, rounds = 200 };

static int rank, size;
static pthread_barrier_t together; /* all threads are alive at once: none takes over the number of another */

static void* work(void* own) {
    MPI_Comm comm = *(MPI_Comm*)own, copy;
    pthread_barrier_wait(&together);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < rounds; ++i) {
        int out = i + rank, in = -1;
        MPI_Request requests[2];
        MPI_Irecv(&in, 1, MPI_INT, left, i % 7, comm, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, right, i % 7, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(in == i + left);
        free(malloc((size_t)(i + 1) * 64));
    }
    MPI_Comm_dup(comm, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    pthread_barrier_wait(&together);
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    pthread_t other[threads];
    MPI_Comm comms[threads];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        pthread_barrier_init(&together, NULL, threads);
        for (int i = 0; i < threads; ++i) pthread_create(&other[i], NULL, work, &comms[i]);
        for (int i = 0; i < threads; ++i) pthread_join(other[i], NULL);
        for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
    }
    MPI_Finalize();
    return 0;
}
