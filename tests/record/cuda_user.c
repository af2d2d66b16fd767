/* SPDX-License-Identifier: BSD-3-Clause
   Memory from each of CUDA's allocators is given to `exchange`, and freed. Linked into the program, or a plug-in of its
   own that alone knows CUDA. */
#include <stddef.h>

#include "common.h"

int cudaSetDevice(int device);
int cudaMalloc(void** memory, size_t bytes);
int cudaFree(void* memory);
int cudaMallocAsync(void** memory, size_t bytes, void* stream);
int cudaFreeAsync(void* memory, void* stream);
int cudaMallocManaged(void** memory, size_t bytes, unsigned flags);
int cudaMallocHost(void** memory, size_t bytes);
int cudaFreeHost(void* memory);
int cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t rows);
int cuMemAlloc_v2(unsigned long long* memory, size_t bytes);
int cuMemFree_v2(unsigned long long memory);
int fakeAlive(void);

void use_cuda(int rank, void (*exchange)(void*)) {
    void *first, *second, *rows;
    unsigned long long number;
    size_t pitch;
    CHECK(cudaSetDevice(rank % 2) == 0);
    CHECK(cudaMalloc(&first, 4096) == 0 && cudaMalloc(&second, 1 << 20) == 0);
    exchange(first);
    exchange((char*)second + 64);
    CHECK(cudaFree(first) == 0);
    /* The id that is free again, on the other device. */
    CHECK(cudaSetDevice(1 - rank % 2) == 0 && cudaMallocAsync(&first, 64, NULL) == 0);
    exchange((char*)first + 16);
    CHECK(cudaFreeAsync(first, NULL) == 0 && cudaFree(second) == 0 && cudaFree(NULL) == 0);
    CHECK(cudaMallocManaged(&first, 64, 1) == 0);
    exchange((char*)first + 24);
    CHECK(cudaFree(first) == 0);
    CHECK(cudaMallocHost(&first, 64) == 0);
    exchange((char*)first + 32);
    CHECK(cudaFreeHost(first) == 0);
    CHECK(cudaMallocPitch(&rows, &pitch, 100, 3) == 0);
    exchange((char*)rows + 2 * pitch);
    CHECK(cudaFree(rows) == 0);
    CHECK(cuMemAlloc_v2(&number, 64) == 0);
    exchange((void*)(size_t)(number + 40));
    CHECK(cuMemFree_v2(number) == 0);
    /* What fails leaves nothing behind. */
    CHECK(cudaMalloc(&first, (size_t)1 << 40) == 2 && fakeAlive() == 0);
}
