/* SPDX-License-Identifier: BSD-3-Clause
   What a recorder may stumble over: more live buffers than one table of ids holds, beside a thread; a communicator that
   is freed inside a call, whose handle MPI gives to others, other ones on every rank; and, with the argument
   "unlogged", a rank that cannot write its log. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "common.h"

enum { buffers = 300, copies = 8 };

static void* wait_for(void* gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

static void name_buffers(void) {
    char* all[buffers];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t other;
    pthread_mutex_lock(&gate);
    CHECK(pthread_create(&other, NULL, wait_for, &gate) == 0);
    for (int i = 0; i < buffers; ++i) CHECK((all[i] = malloc(64)) != NULL);
    for (int i = 0; i < buffers; ++i) MPI_Send(all[i], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    for (int i = 0; i < buffers; ++i) free(all[i]);
    pthread_mutex_unlock(&gate);
    pthread_join(other, NULL);
}

static int free_inner(MPI_Comm comm, int key, void* inner, void* unused) {
    (void)comm, (void)key, (void)unused;
    return MPI_Comm_free(inner);
}

static void reuse_handles(int rank) {
    MPI_Comm outer, inner, own[copies], everybody[copies];
    int key, one = 1, sum = 0, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    MPI_Comm_dup(MPI_COMM_WORLD, &inner);
    MPI_Comm_set_attr(outer, key, &inner);
    MPI_Comm_free(&outer);
    for (int i = 0; i < copies && rank == 0; ++i) MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
    for (int i = 0; i < copies; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &everybody[i]);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, everybody[i]);
        CHECK(sum == size);
    }
    for (int i = 0; i < copies; ++i) MPI_Comm_free(&everybody[i]);
    for (int i = 0; i < copies && rank == 0; ++i) MPI_Comm_free(&own[i]);
    MPI_Comm_free_keyval(&key);
}

/* The log is opened by the first call that is recorded. */
static void lose_log(void) {
    struct rlimit before, none;
    int flag;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    none = before;
    none.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
    MPI_Initialized(&flag);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
}

int main(int argc, char** argv) {
    int rank;
    const char* of_mpich = getenv("PMI_RANK");
    const char* known = of_mpich ? of_mpich : getenv("OMPI_COMM_WORLD_RANK");
    if (argc > 1 && strcmp(argv[1], "unlogged") == 0 && known && strcmp(known, "1") == 0) lose_log();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    name_buffers();
    reuse_handles(rank);
    MPI_Finalize();
    return 0;
}
