// SPDX-License-Identifier: BSD-3-Clause
// malloc and its kin: calls of the program pass through to the next allocator, whichever that is; where memory begins
// and ends flows into the recorder's map. While nothing is traced a hook costs one branch.
//
// Memory that MPI allocates for itself is left out, but every release is looked at: the program's memory may be freed
// from within MPI (by a callback). All else in the library is hidden; what takes the allocator's place must be seen.
#pragma GCC visibility push(default)
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#pragma GCC visibility pop

#include <dlfcn.h>
#include <errno.h>

#include <cstring>

#include "preload/quiet.hpp"
#include "record/next_allocator.hpp"
#include "record/recorder.hpp"

namespace {

using laconic::preload::notes_memory;
using laconic::preload::tracing;
using laconic::record::the_recorder;

struct next_functions {
    void* (*malloc)(std::size_t);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void (*free)(void*);
    int (*posix_memalign)(void**, std::size_t, std::size_t);
    void* (*aligned_alloc)(std::size_t, std::size_t);
    void* (*memalign)(std::size_t, std::size_t);
    void* (*valloc)(std::size_t);
    void* (*pvalloc)(std::size_t);
    void* (*reallocarray)(void*, std::size_t, std::size_t);
    void* (*mmap)(void*, std::size_t, int, int, int, off_t);
    int (*munmap)(void*, std::size_t);
};
constinit next_functions next{};

/// dlsym may itself allocate before the next allocator is known: that memory comes from here and is never given back.
constexpr std::size_t early_bytes = 16384;
alignas(16) char early_memory[early_bytes];
constinit std::size_t early_used = 0;
constinit bool looking_up = false;

void* early(std::size_t bytes) noexcept {
    const std::size_t rounded = (bytes + 15) / 16 * 16;
    if (early_used + rounded > early_bytes) return nullptr;
    void* memory = early_memory + early_used;
    early_used += rounded;
    return memory;
}

bool is_early(const void* memory) noexcept { return memory >= early_memory && memory < early_memory + early_bytes; }

template <class Function>
void look_up(Function& function, const char* name) noexcept {
    void* found = dlsym(RTLD_NEXT, name);
    std::memcpy(&function, &found, sizeof found);
}

/// False while the lookup itself is under way.
bool ready() noexcept {
    if (next.munmap) [[likely]]
        return true;
    if (looking_up) return false;
    looking_up = true;
    look_up(next.malloc, "malloc");
    look_up(next.calloc, "calloc");
    look_up(next.realloc, "realloc");
    look_up(next.free, "free");
    look_up(next.posix_memalign, "posix_memalign");
    look_up(next.aligned_alloc, "aligned_alloc");
    look_up(next.memalign, "memalign");
    look_up(next.valloc, "valloc");
    look_up(next.pvalloc, "pvalloc");
    look_up(next.reallocarray, "reallocarray");
    look_up(next.mmap, "mmap");
    look_up(next.munmap, "munmap");
    looking_up = false;
    return true;
}

void* noted(void* memory, std::size_t bytes) noexcept {
    if (memory && notes_memory()) the_recorder.memory.allocated(memory, bytes);
    return memory;
}

void forgotten(const void* memory) noexcept {
    if (tracing() && memory) the_recorder.memory.released(memory);
}

void* moved_from_early(void* old, std::size_t bytes) noexcept {
    void* fresh = next.malloc(bytes);
    const auto available = static_cast<std::size_t>(early_memory + early_bytes - static_cast<char*>(old));
    if (fresh) std::memcpy(fresh, old, bytes < available ? bytes : available);
    return fresh;
}

}  // namespace

namespace laconic::record::next_allocator {

void* resize(void* old, std::size_t bytes) noexcept { return ready() ? next.realloc(old, bytes) : nullptr; }
void give_back(void* memory) noexcept {
    if (memory && ready()) next.free(memory);
}

}  // namespace laconic::record::next_allocator

extern "C" {

void* malloc(std::size_t bytes) {
    if (!ready()) return early(bytes);
    return noted(next.malloc(bytes), bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    if (!ready()) return early(count * bytes);
    return noted(next.calloc(count, bytes), count * bytes);
}

void free(void* memory) {
    if (!memory || is_early(memory) || !ready()) return;
    forgotten(memory);
    next.free(memory);
}

void* realloc(void* old, std::size_t bytes) {
    if (!ready()) return early(bytes);
    if (is_early(old)) return noted(moved_from_early(old, bytes), bytes);
    // Forgotten first: another thread may be given the old memory as soon as it is free.
    forgotten(old);
    return noted(next.realloc(old, bytes), bytes);
}

void* reallocarray(void* old, std::size_t count, std::size_t bytes) {
    std::size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return nullptr;
    }
    return realloc(old, total);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    if (!ready()) return ENOMEM;
    const int result = next.posix_memalign(memory, alignment, bytes);
    if (result == 0) noted(*memory, bytes);
    return result;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return ready() ? noted(next.aligned_alloc(alignment, bytes), bytes) : nullptr;
}

void* memalign(std::size_t alignment, std::size_t bytes) {
    return ready() ? noted(next.memalign(alignment, bytes), bytes) : nullptr;
}

void* valloc(std::size_t bytes) { return ready() ? noted(next.valloc(bytes), bytes) : nullptr; }

void* pvalloc(std::size_t bytes) { return ready() ? noted(next.pvalloc(bytes), bytes) : nullptr; }

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    if (!ready()) return MAP_FAILED;
    void* memory = next.mmap(where, bytes, protection, flags, file, offset);
    if (memory != MAP_FAILED && (protection & PROT_WRITE)) noted(memory, bytes);
    return memory;
}

int munmap(void* where, std::size_t bytes) {
    if (!ready()) return -1;
    if (tracing()) the_recorder.memory.unmapped(where, bytes);
    return next.munmap(where, bytes);
}

}  // extern "C"
