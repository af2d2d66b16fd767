// SPDX-License-Identifier: BSD-3-Clause
// What an allocator of a device takes from the host's allocators for itself is none of the program's memory: while a
// quiet stands, the calling thread's malloc and mmap leave no segments.
#pragma once

#include "record/recorder.hpp"

namespace laconic::preload {

inline constinit thread_local int quiets = 0;

struct quiet {
    quiet() noexcept { ++quiets; }
    ~quiet() { --quiets; }
    quiet(const quiet&) = delete;
    quiet& operator=(const quiet&) = delete;
};

[[nodiscard]] inline bool tracing() noexcept { return record::tracing_on.load(std::memory_order_relaxed); }
/// Whether what is allocated now is the program's, and to be recorded.
[[nodiscard]] inline bool notes_memory() noexcept { return tracing() && quiets == 0 && !record::inside_call(); }

}  // namespace laconic::preload
