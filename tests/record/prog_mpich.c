/* SPDX-License-Identifier: BSD-3-Clause
   What MPICH has beside the standard: requests of the program's own that it polls, repair of communicators, error
   classes that are taken back, questions about GPUs; and statuses of Fortran 2008, which its Fortran library converts.
   Any number of ranks. */
#include "common.h"

static int rank, polled, waited;

/* Over UCX MPICH 4.0 ends the process in these ("Assertion failed in file src/mpid/ch4/src/ch4_comm.c") whatever
   communicator it is given; what is no communicator it refuses before. */
static void repair(void) {
    MPI_Comm none = MPI_COMM_NULL, made = MPI_COMM_NULL;
    MPI_Group failed;
    int all = 6;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPIX_Comm_failure_ack(none) != MPI_SUCCESS);
    CHECK(MPIX_Comm_failure_get_acked(none, &failed) != MPI_SUCCESS);
    CHECK(MPIX_Comm_agree(none, &all) != MPI_SUCCESS && all == 6);
    CHECK(MPIX_Comm_shrink(none, &made) != MPI_SUCCESS && made == MPI_COMM_NULL);
    CHECK(MPIX_Comm_revoke(none) != MPI_SUCCESS);
}

static int query(void* state, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_INT, *(int*)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void* state) { return (void)state, MPI_SUCCESS; }
static int cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static MPI_Request outstanding;

static int poll(void* state, MPI_Status* status) {
    (void)state, (void)status;
    ++polled;
    return MPI_SUCCESS;
}

static int wait(int count, void** states, double seconds, MPI_Status* status) {
    (void)count, (void)states, (void)seconds, (void)status;
    ++waited;
    return MPI_Grequest_complete(outstanding);
}

/* The one completes while the program waits for it, the other is complete when the program asks. (MPICH 4.0 does not
   see that one completes which it has polled before, and only MPI_Waitall calls the function that waits.) */
static void requests(void) {
    int three = 3, flag = 0, count = -1;
    MPI_Status status;
    MPIX_Grequest_class class;
    MPIX_Grequest_start(query, release, cancel, poll, wait, &three, &outstanding);
    MPI_Waitall(1, &outstanding, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    CHECK(count == 3 && waited == 1);
    MPIX_Grequest_class_create(query, release, cancel, poll, wait, &class);
    MPIX_Grequest_class_allocate(class, &three, &outstanding);
    MPI_Grequest_complete(outstanding);
    MPI_Test(&outstanding, &flag, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    CHECK(flag && count == 3);
}

static void errors(void) {
    int class = -1, code = -1, length = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "of the program");
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "of the program") == 0);
    CHECK(MPIX_Delete_error_string(code) == MPI_SUCCESS);
    CHECK(MPIX_Delete_error_code(code) == MPI_SUCCESS);
    CHECK(MPIX_Delete_error_class(class) == MPI_SUCCESS);
}

static void devices(void) {
    int there = -1;
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &there);
    CHECK(there == MPIX_Query_cuda_support());
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_ZE, &there);
    CHECK(there == MPIX_Query_ze_support());
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &there);
    CHECK(there == MPIX_Query_hip_support());
}

static void statuses(void) {
#ifdef LACONIC_TEST_F08
    MPI_Status status, back;
    MPI_F08_status in_fortran;
    int in = -1, count = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
    MPI_Status_c2f08(&status, &in_fortran);
    memset(&back, 0, sizeof back);
    MPI_Status_f082c(&in_fortran, &back);
    MPI_Get_count(&back, MPI_INT, &count);
    CHECK(in == rank && count == 1 && back.MPI_TAG == 5);
#endif
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    requests();
    errors();
    devices();
    statuses();
    repair();
    MPI_Finalize();
    return 0;
}
