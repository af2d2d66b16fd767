// SPDX-License-Identifier: BSD-3-Clause
// The recorder of a process: what all calls share (objects, requests, memory, clock, where records go) and what each
// thread has of its own. Environment and calls flow in; records flow out in the order in which calls end.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "record/agreement.hpp"
#include "record/clock.hpp"
#include "record/encoder.hpp"
#include "record/memory_map.hpp"
#include "record/objects.hpp"
#include "record/requests.hpp"
#include "record/side_log.hpp"
#include "record/spin_lock.hpp"
#include "record/trace_sink.hpp"

namespace laconic::record {

/// A request or handle that the call under way may use up.
struct at_stake {
    std::uint64_t bits = 0;
    std::uint32_t index = flat_map::none;  ///< in the table of requests, or of its class of objects
};

struct thread_state {
    bool inside = false;  ///< within a recorded call: what MPI itself calls is not the program's
    std::uint32_t number = 0;
    std::uint64_t start_ticks = 0, end_ticks = 0;
    std::uintptr_t stack_begin = 0, stack_end = 0;
    std::uint64_t agreed_code = 0;  ///< of the communicator that the call under way has made
    place agreed_place;
    std::uintptr_t library_memory = 0;  ///< what MPI_Win_allocate gave in the call under way
    encoder bytes;
    std::vector<at_stake> stakes;
    std::vector<MPI_Status> statuses;
};

/// Whether the calling thread is in a recorded call.
[[nodiscard]] bool inside_call() noexcept;

/// Whether calls are recorded: the one thing that is looked at when they are not.
extern std::atomic<bool> tracing_on;

class recorder {
public:
    /// Reads the environment; called once, before main(), on the_recorder's bare memory. Unless a side log or a trace
    /// is asked for nothing is kept and tracing_on stays false.
    void start() noexcept;
    /// The process ends, whether MPI_Finalize was called or not.
    void end() noexcept;

    /// The calling thread's state; null when nothing is to be recorded.
    [[nodiscard]] thread_state* enter() noexcept;

    void emit(const thread_state& thread) noexcept;
    /// MPI has started: who this process is. Under the lock; returns whether MPI started just now.
    [[nodiscard]] bool initialised();
    /// After initialised() said so, without the lock: collective where a trace is wanted.
    void trace_begins() noexcept { trace_.join(spawned_, lock); }
    /// MPI_Finalize begins: into the trace goes what it will have been, since the trace ends before it. Under the lock.
    void finalising(const thread_state& thread) noexcept;
    /// After finalising(), without the lock: collective where a trace is wanted.
    void trace_ends() noexcept { trace_.finish(lock); }
    /// Between MPI_Init and MPI_Finalize.
    [[nodiscard]] bool speaks_mpi() const noexcept { return speaks_mpi_; }
    void flush() noexcept { log_.flush(); }
    /// Recording stops and goes on; ids are kept up meanwhile.
    void pause(bool paused) noexcept { paused_ = paused; }

    spin_lock lock;
    object_tables objects;
    request_table requests;
    memory_map memory;
    tick_clock clock;
    flat_map pointers;  ///< addresses of functions and attribute values -> their numbers
    place world;
    communicator_ids agreed;

private:
    [[nodiscard]] thread_state* new_thread() noexcept;
    [[nodiscard]] bool keeps_log() const noexcept;
    void name_log();

    bool speaks_mpi_ = false;
    bool paused_ = false;
    bool named_ = false;
    bool spawned_ = false;
    std::string folder_;
    side_log log_;
    trace_sink trace_;
    id_pool threads_;
    friend struct thread_end;
};

/// The one recorder of the process. It is never destroyed: threads may call MPI until the very end.
extern recorder& the_recorder;

}  // namespace laconic::record
