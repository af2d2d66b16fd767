// SPDX-License-Identifier: BSD-3-Clause
// Life of the recorder: it wakes before main() when the environment asks for it, learns at MPI_Init who it is, and
// closes its files when the process ends, however that comes about. The child of a fork records nothing.
#include "record/recorder.hpp"

#include <mpi.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

namespace laconic::record {
namespace {

/// Memory for the recorder that no static constructor touches: start() may run before this file's own.
union recorder_memory {
    constexpr recorder_memory() noexcept : empty() {}
    ~recorder_memory() {}
    char empty;
    recorder value;
};
constinit recorder_memory memory_of_the_recorder;

constinit thread_local thread_state* own_state = nullptr;

/// In place of a folder: calls are taken apart and nothing is kept, to measure what that costs.
constexpr const char* drop_everything = "-";

}  // namespace

constinit std::atomic<bool> tracing_on{false};
constinit recorder& the_recorder = memory_of_the_recorder.value;

bool inside_call() noexcept { return own_state && own_state->inside; }

/// Gives the thread's number back when the thread ends, so that short-lived threads share a few numbers.
struct thread_end {
    ~thread_end() {
        if (!own_state) return;
        {
            const spin_guard guard(the_recorder.lock);
            the_recorder.threads_.release(own_state->number);
        }
        delete own_state;
        own_state = nullptr;
    }
    void touch() noexcept {}
};
static thread_local thread_end at_thread_end;

void recorder::start() noexcept {
    try {
        new (this) recorder;
        const char* folder = std::getenv("LACONIC_TRACE_LOG");
        if (folder) folder_ = folder;
        if (!trace_.start() && folder_.empty()) return;
        if (keeps_log()) mkdir(folder_.c_str(), 0777);
        clock.start();
        objects.fill();
        memory.read_images();
        pthread_atfork(nullptr, nullptr, [] {
            tracing_on = false;
            the_recorder.log_.abandon();
            the_recorder.trace_.abandon();
        });
        tracing_on = true;
    } catch (const std::exception&) {
        tracing_on = false;
    }
}

void recorder::end() noexcept {
    if (!tracing_on) return;
    const spin_guard guard(lock);
    log_.flush();
}

thread_state* recorder::new_thread() noexcept {
    auto* fresh = new (std::nothrow) thread_state;
    if (!fresh) return nullptr;
    {
        const spin_guard guard(lock);
        fresh->number = threads_.acquire();
    }
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void* base = nullptr;
        std::size_t bytes = 0;
        if (pthread_attr_getstack(&attributes, &base, &bytes) == 0) {
            fresh->stack_begin = reinterpret_cast<std::uintptr_t>(base);
            fresh->stack_end = fresh->stack_begin + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    at_thread_end.touch();
    own_state = fresh;
    return fresh;
}

thread_state* recorder::enter() noexcept {
    thread_state* thread = own_state;
    if (!thread) [[unlikely]]
        thread = new_thread();
    if (!thread || thread->inside) return nullptr;
    thread->inside = true;
    return thread;
}

void recorder::emit(const thread_state& thread) noexcept {
    if (paused_) return;
    if (!named_) [[unlikely]] {
        named_ = true;
        try {
            name_log();
        } catch (const std::bad_alloc&) {
            // A log that is not open takes nothing; the others wait for this rank where ranks agree.
        }
    }
    const std::uint64_t start_ns = clock.to_ns(thread.start_ticks);
    const std::uint64_t end_ns = clock.to_ns(thread.end_ticks);
    log_.record(thread.bytes.bytes(), start_ns, end_ns);
    trace_.call(thread.bytes.bytes(), start_ns, end_ns);
}

void recorder::finalising(const thread_state& thread) noexcept {
    speaks_mpi_ = false;
    if (paused_) return;
    try {
        const auto inputs = thread.bytes.bytes();
        trace::bytes signature(inputs.begin(), inputs.end());
        signature.push_back(std::byte{0});  // success
        const std::uint64_t now_ns = clock.to_ns(clock.ticks());
        trace_.call(signature, now_ns, now_ns);
    } catch (const std::bad_alloc&) {
        // One call less in the trace.
        return;
    }
}

bool recorder::keeps_log() const noexcept { return !folder_.empty() && folder_ != drop_everything; }

void recorder::name_log() {
    if (!keeps_log()) return;
    // Where the folder cannot be written there is no log; the program goes on, and this rank takes part where ranks
    // agree.
    static_cast<void>(log_.open(folder_ + "/pid-" + std::to_string(getpid()) + ".log"));
}

bool recorder::initialised() {
    int flag = 0;
    if (PMPI_Initialized(&flag) != MPI_SUCCESS || !flag || world.size > 0) return false;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world.size);
    world.peers = world.size;
    world.code = 1;
    speaks_mpi_ = true;
    object_table& communicators = objects.of(object::comm);
    if (auto* known = communicators.find(reinterpret_bits(MPI_COMM_WORLD))) known->place = objects.keep(world);
    place self;
    self.code = 3;
    self.size = self.peers = 1;
    if (auto* known = communicators.find(reinterpret_bits(MPI_COMM_SELF))) known->place = objects.keep(self);
    memory.read_images();
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    if (!named_) {
        named_ = true;
        name_log();
    }
    // Spawned worlds count their ranks from 0 again: their logs keep the name with the process id.
    spawned_ = parent != MPI_COMM_NULL;
    if (!spawned_) log_.rename(folder_ + "/rank-" + std::to_string(world.rank) + ".log");
    return true;
}

}  // namespace laconic::record
