// SPDX-License-Identifier: BSD-3-Clause
// Waiting in simulated time. The collective sources test their requests again and again until one of them is over; in
// a simulation time stands still meanwhile. This header is put in front of those sources: their MPI_Test becomes
// scale_test(), which remembers what was not over yet, and scale_wait() sleeps until one of these is. Exchanges test
// all their requests at once and yield the processor, which in a simulation nobody else wants: scale_yield() sleeps
// instead.
#pragma once

#include <mpi.h>
#include <sched.h>

namespace laconic::scale {

int scale_test(MPI_Request* request, int* over, MPI_Status* status);

/// Stand for MPI_Request_get_status and the MPI_Wait after it, which finds the request over (mpi/completion.hpp).
int scale_get_status(MPI_Request* request, int* over);
int scale_finish(MPI_Request* request, MPI_Status* status);

/// Stand for MPI_Testall and sched_yield: the latter waits for what the former last tested in vain.
int scale_testall(int count, MPI_Request* requests, int* over, MPI_Status* statuses);
int scale_yield();

/// Stands for MPI_Iallreduce in place, but is over when it returns: SMPI 3.32 adds what arrives to what it still sends.
int scale_iallreduce(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request);

/// Until one of the requests is over that were tested in vain since the last forget(); at once when there is none.
/// returns false when there was none.
bool scale_wait();
void forget();

}  // namespace laconic::scale

#ifndef LACONIC_SCALE_REAL_MPI
#define MPI_Test(request, over, status) laconic::scale::scale_test(request, over, status)
#define MPI_Request_get_status(request, over, status) laconic::scale::scale_get_status(&(request), over)
#define MPI_Wait(request, status) laconic::scale::scale_finish(request, status)
#define MPI_Testall(count, requests, over, statuses) laconic::scale::scale_testall(count, requests, over, statuses)
#define sched_yield() laconic::scale::scale_yield()
#define MPI_Iallreduce(in_place, values, count, type, op, comm, request) \
    laconic::scale::scale_iallreduce(values, count, type, op, comm, request)
#endif
