// SPDX-License-Identifier: BSD-3-Clause
// CUDA's allocators, of the runtime and of the driver: calls of the program pass through to the library that it uses;
// where memory of a device begins and ends flows into the recorder's map, with the device's number. No CUDA is needed
// to build this, and none is loaded by it.
//
// What MPI allocates for itself is left out, and what the runtime asks of the driver counts once. A runtime that is
// linked into the program statically is not seen.
#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "preload/quiet.hpp"
#include "record/recorder.hpp"

namespace {

using laconic::preload::notes_memory;
using laconic::preload::quiet;
using laconic::preload::tracing;
using laconic::record::space;
using laconic::record::the_recorder;
using device_address = unsigned long long;

/// What both interfaces answer where there is no CUDA: "not initialized".
const int no_cuda = 3;

/// Where CUDA's libraries lie that are loaded now.
struct library_paths {
    static constexpr std::size_t most = 4, longest = 512;
    std::array<std::array<char, longest>, most> text{};
    std::size_t count = 0;
};

/// An address of ours in place of CUDA's function would call itself for ever.
void* unless_ours(void* found) noexcept {
    Dl_info of_found{}, of_us{};
    if (found == nullptr || dladdr(found, &of_found) == 0 || dladdr(&no_cuda, &of_us) == 0) return found;
    return of_found.dli_fbase == of_us.dli_fbase ? nullptr : found;
}

/// dlsym in an object that is loaded already, and in what it depends on.
void* symbol_in(const char* object, const char* name) noexcept {
    void* const handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    void* const found = unless_ours(dlsym(handle, name));
    dlclose(handle);
    return found;
}

/// Only looks: the loader's lock is held meanwhile, and dlopen takes its locks in another order.
int note_path(dl_phdr_info* info, std::size_t, void* found) {
    auto& paths = *static_cast<library_paths*>(found);
    const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    const std::string_view file = path.substr(path.rfind('/') + 1);
    if (!file.starts_with("libcudart.so") && !file.starts_with("libcudart-") && !file.starts_with("libcuda.so"))
        return 0;
    if (path.size() < library_paths::longest) path.copy(paths.text[paths.count++].data(), path.size());
    return paths.count == library_paths::most ? 1 : 0;
}

/// The function behind ours: of the next library, or, where the program's plug-ins keep CUDA to themselves
/// (RTLD_LOCAL), of what the caller is linked with, or of whichever CUDA is loaded.
void* next_function(const char* name, const void* caller) noexcept {
    if (void* const next = dlsym(RTLD_NEXT, name)) return next;
    Dl_info from{};
    if (dladdr(caller, &from) != 0 && from.dli_fname != nullptr)
        if (void* const found = symbol_in(from.dli_fname, name)) return found;
    library_paths paths;
    dl_iterate_phdr(note_path, &paths);
    for (std::size_t i = 0; i < paths.count; ++i)
        if (void* const found = symbol_in(paths.text[i].data(), name)) return found;
    return nullptr;
}

template <class... Arguments>
int pass_on(const char* name, const void* caller, Arguments... arguments) noexcept {
    void* const found = next_function(name, caller);
    if (found == nullptr) return no_cuda;
    int (*function)(Arguments...) = nullptr;
    std::memcpy(&function, &found, sizeof found);
    const quiet during;
    return function(arguments...);
}

std::uintptr_t number(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }
std::uintptr_t number(device_address address) noexcept { return static_cast<std::uintptr_t>(address); }

/// Memory that a successful call has given is known from now on.
template <class Address>
void note(const Address* memory, std::size_t bytes, space where, const char* question, const void* caller) noexcept {
    if (memory == nullptr || !notes_memory()) return;
    int device = 0;
    if (where == space::device && pass_on(question, caller, &device) != 0) device = 0;
    the_recorder.memory.allocated_by_cuda(number(*memory), bytes, where, static_cast<std::uint16_t>(device));
}

template <class Address, class... More>
int allocate(const char* name, const void* caller, space where, const char* question, Address* memory,
             std::size_t bytes, More... more) noexcept {
    const int result = pass_on(name, caller, memory, bytes, more...);
    if (result == 0) note(memory, bytes, where, question, caller);
    return result;
}

/// Rows of equal length: their distance in bytes is CUDA's choice.
template <class Address, class... More>
int allocate_rows(const char* name, const void* caller, const char* question, Address* memory, std::size_t* pitch,
                  std::size_t width, std::size_t rows, More... more) noexcept {
    const int result = pass_on(name, caller, memory, pitch, width, rows, more...);
    if (result == 0 && pitch != nullptr) note(memory, *pitch * rows, space::device, question, caller);
    return result;
}

/// Forgotten first: another thread may be given the memory as soon as it is free.
template <class Address, class... More>
int release(const char* name, const void* caller, Address memory, More... more) noexcept {
    if (tracing()) the_recorder.memory.released(number(memory));
    return pass_on(name, caller, memory, more...);
}

}  // namespace

// Names and types are CUDA's; streams and pools are handles that only pass through. All functions return 0 when they
// succeed.
#define LACONIC_SEEN __attribute__((visibility("default")))
#define LACONIC_RUNTIME(name, where) #name, __builtin_return_address(0), where, "cudaGetDevice"
#define LACONIC_DRIVER(name, where) #name, __builtin_return_address(0), where, "cuCtxGetDevice"
#define LACONIC_RELEASE(name) #name, __builtin_return_address(0)

extern "C" {

LACONIC_SEEN int cudaMalloc(void** memory, std::size_t bytes) {
    return allocate(LACONIC_RUNTIME(cudaMalloc, space::device), memory, bytes);
}
LACONIC_SEEN int cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t rows) {
    return allocate_rows("cudaMallocPitch", __builtin_return_address(0), "cudaGetDevice", memory, pitch, width, rows);
}
LACONIC_SEEN int cudaMallocAsync(void** memory, std::size_t bytes, void* stream) {
    return allocate(LACONIC_RUNTIME(cudaMallocAsync, space::device), memory, bytes, stream);
}
LACONIC_SEEN int cudaMallocAsync_ptsz(void** memory, std::size_t bytes, void* stream) {
    return allocate(LACONIC_RUNTIME(cudaMallocAsync_ptsz, space::device), memory, bytes, stream);
}
LACONIC_SEEN int cudaMallocFromPoolAsync(void** memory, std::size_t bytes, void* pool, void* stream) {
    return allocate(LACONIC_RUNTIME(cudaMallocFromPoolAsync, space::device), memory, bytes, pool, stream);
}
LACONIC_SEEN int cudaMallocFromPoolAsync_ptsz(void** memory, std::size_t bytes, void* pool, void* stream) {
    return allocate(LACONIC_RUNTIME(cudaMallocFromPoolAsync_ptsz, space::device), memory, bytes, pool, stream);
}
LACONIC_SEEN int cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
    return allocate(LACONIC_RUNTIME(cudaMallocManaged, space::managed), memory, bytes, flags);
}
LACONIC_SEEN int cudaMallocHost(void** memory, std::size_t bytes) {
    return allocate(LACONIC_RUNTIME(cudaMallocHost, space::pinned), memory, bytes);
}
LACONIC_SEEN int cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    return allocate(LACONIC_RUNTIME(cudaHostAlloc, space::pinned), memory, bytes, flags);
}
LACONIC_SEEN int cudaFree(void* memory) { return release(LACONIC_RELEASE(cudaFree), memory); }
LACONIC_SEEN int cudaFreeHost(void* memory) { return release(LACONIC_RELEASE(cudaFreeHost), memory); }
LACONIC_SEEN int cudaFreeAsync(void* memory, void* stream) {
    return release(LACONIC_RELEASE(cudaFreeAsync), memory, stream);
}
LACONIC_SEEN int cudaFreeAsync_ptsz(void* memory, void* stream) {
    return release(LACONIC_RELEASE(cudaFreeAsync_ptsz), memory, stream);
}

LACONIC_SEEN int cuMemAlloc_v2(device_address* memory, std::size_t bytes) {
    return allocate(LACONIC_DRIVER(cuMemAlloc_v2, space::device), memory, bytes);
}
LACONIC_SEEN int cuMemAllocPitch_v2(device_address* memory, std::size_t* pitch, std::size_t width, std::size_t rows,
                                    unsigned element) {
    return allocate_rows("cuMemAllocPitch_v2", __builtin_return_address(0), "cuCtxGetDevice", memory, pitch, width,
                         rows, element);
}
LACONIC_SEEN int cuMemAllocAsync(device_address* memory, std::size_t bytes, void* stream) {
    return allocate(LACONIC_DRIVER(cuMemAllocAsync, space::device), memory, bytes, stream);
}
LACONIC_SEEN int cuMemAllocAsync_ptsz(device_address* memory, std::size_t bytes, void* stream) {
    return allocate(LACONIC_DRIVER(cuMemAllocAsync_ptsz, space::device), memory, bytes, stream);
}
LACONIC_SEEN int cuMemAllocFromPoolAsync(device_address* memory, std::size_t bytes, void* pool, void* stream) {
    return allocate(LACONIC_DRIVER(cuMemAllocFromPoolAsync, space::device), memory, bytes, pool, stream);
}
LACONIC_SEEN int cuMemAllocFromPoolAsync_ptsz(device_address* memory, std::size_t bytes, void* pool, void* stream) {
    return allocate(LACONIC_DRIVER(cuMemAllocFromPoolAsync_ptsz, space::device), memory, bytes, pool, stream);
}
LACONIC_SEEN int cuMemAllocManaged(device_address* memory, std::size_t bytes, unsigned flags) {
    return allocate(LACONIC_DRIVER(cuMemAllocManaged, space::managed), memory, bytes, flags);
}
LACONIC_SEEN int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
    return allocate(LACONIC_DRIVER(cuMemAllocHost_v2, space::pinned), memory, bytes);
}
LACONIC_SEEN int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    return allocate(LACONIC_DRIVER(cuMemHostAlloc, space::pinned), memory, bytes, flags);
}
LACONIC_SEEN int cuMemFree_v2(device_address memory) { return release(LACONIC_RELEASE(cuMemFree_v2), memory); }
LACONIC_SEEN int cuMemFreeHost(void* memory) { return release(LACONIC_RELEASE(cuMemFreeHost), memory); }
LACONIC_SEEN int cuMemFreeAsync(device_address memory, void* stream) {
    return release(LACONIC_RELEASE(cuMemFreeAsync), memory, stream);
}
LACONIC_SEEN int cuMemFreeAsync_ptsz(device_address memory, void* stream) {
    return release(LACONIC_RELEASE(cuMemFreeAsync_ptsz), memory, stream);
}

}  // extern "C"
