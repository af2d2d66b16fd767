/* SPDX-License-Identifier: BSD-3-Clause
   Sends memory that a stand-in of CUDA has given (cuda_user.c), which is linked or, if an argument names it, opened as
   plug-ins are. Any number of ranks. */
#include <dlfcn.h>

#include "common.h"

typedef void user(int rank, void (*exchange)(void*));
__attribute__((weak)) user use_cuda;

static int rank, size;

static void exchange(void* memory) {
    int* numbers = memory;
    numbers[0] = rank;
    MPI_Sendrecv_replace(numbers, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    CHECK(numbers[0] == (rank + size - 1) % size);
}

int main(int argc, char** argv) {
    user* use = use_cuda;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!plugin) fprintf(stderr, "%s\n", dlerror());
        CHECK(plugin);
        *(void**)&use = dlsym(plugin, "use_cuda");
    }
    CHECK(use);
    use(rank, exchange);
    MPI_Finalize();
    return 0;
}
