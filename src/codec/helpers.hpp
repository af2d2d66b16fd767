// SPDX-License-Identifier: BSD-3-Clause
// Threads of the process that help whoever has work in parts. Nobody ever waits for a thread that has not begun: what
// helpers do not come to in time the caller does, so a busy machine costs little more than having no helpers.
#pragma once

#include <cstddef>

namespace laconic::codec {

/// Most parts of a job.
inline constexpr unsigned most_parts = 64;

/// Calls work(all, part) once for every part, on the calling thread and on up to `helpers` others; returns when all are
/// done. The caller takes the first parts, in order, the others the last ones. Where another thread's job is under way
/// the caller works alone. Threads are made by the first call that wants them, stay until the process ends, and sleep
/// unless there was work a moment ago.
///
/// parts    at most most_parts
/// chunks   in all of them: sleeping helpers are woken for long jobs, and when short ones follow each other
void help_with(unsigned helpers, unsigned parts, std::size_t chunks, void (*work)(const void*, unsigned) noexcept,
               const void* all) noexcept;

/// For tests: callers wake helpers and give them 10 ms to take a part before they take one themselves.
void favour_helpers(bool wanted) noexcept;

}  // namespace laconic::codec
