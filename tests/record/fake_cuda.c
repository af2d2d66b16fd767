/* SPDX-License-Identifier: BSD-3-Clause
   Stands in for libcudart and libcuda where there is no GPU: allocators hand out host memory, so that MPI can send it,
   and count what is alive. As in the real ones, the runtime asks the driver. */
#include <stdlib.h>

typedef unsigned long long address;

static int device, alive;

int cudaSetDevice(int number) { return device = number, 0; }
int cudaGetDevice(int* number) { return *number = device, 0; }
int cuCtxGetDevice(int* number) { return *number = device, 0; }
int fakeAlive(void) { return alive; }

static int give(void** memory, size_t bytes) { return ++alive, (*memory = calloc(1, bytes)) ? 0 : 2; }
static int take(void* memory) { return memory ? (--alive, free(memory), 0) : 0; }

int cuMemAlloc_v2(address* memory, size_t bytes) {
    void* given = NULL;
    const int result = give(&given, bytes);
    *memory = (address)(size_t)given;
    return result;
}
int cuMemFree_v2(address memory) { return take((void*)(size_t)memory); }

int cudaMalloc(void** memory, size_t bytes) {
    address given = 0;
    const int result = bytes > 1 << 30 ? 2 : cuMemAlloc_v2(&given, bytes);
    *memory = (void*)(size_t)given;
    return result;
}
int cudaFree(void* memory) { return cuMemFree_v2((address)(size_t)memory); }
int cudaMallocAsync(void** memory, size_t bytes, void* stream) { return (void)stream, cudaMalloc(memory, bytes); }
int cudaFreeAsync(void* memory, void* stream) { return (void)stream, cudaFree(memory); }
int cudaMallocManaged(void** memory, size_t bytes, unsigned flags) { return flags == 1 ? give(memory, bytes) : 1; }
int cudaMallocHost(void** memory, size_t bytes) { return give(memory, bytes); }
int cudaFreeHost(void* memory) { return take(memory); }
int cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t rows) {
    *pitch = (width + 511) / 512 * 512;
    return give(memory, *pitch * rows);
}
