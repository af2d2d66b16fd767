// SPDX-License-Identifier: BSD-3-Clause
// A thread that moves started collectives on while the program computes.
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "base/own_threads.hpp"
#include "collective/active_requests.hpp"
#include "laconic/collective.hpp"

namespace laconic {
namespace {

using collective::active;

class progress_thread {
public:
    void start() {
        const std::scoped_lock lock(mutex_);
        if (thread_.joinable()) return;
        stop_ = false;
        process_ = ::getpid();
        const base::without_signals held_back;
        thread_ = std::thread([this] {
            while (!stop_) {
                active().wait_for_work(stop_);
                active().advance_or_yield();
            }
        });
    }
    void stop() {
        const std::scoped_lock lock(mutex_);
        active().wake(stop_);
        if (thread_.joinable()) thread_.join();
    }
    /// At the end of the program. A forked process has the handle without the thread, and the thread itself, in which
    /// MPI may have ended the program, cannot wait for its own end: both keep the handle.
    ~progress_thread() {
        if (!thread_.joinable()) return;
        if (process_ == ::getpid() && thread_.get_id() != std::this_thread::get_id())
            stop();
        else
            base::forget_threads(thread_);
    }

private:
    std::mutex mutex_;
    std::thread thread_;
    pid_t process_ = 0;
    std::atomic<bool> stop_{false};
};
progress_thread& progress() {
    static progress_thread one;
    return one;
}

}  // namespace

status start_progress_thread() try {
    if (auto bad = mpi::check_running(); !bad.ok()) return bad;
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        return {errc::unsupported,
                "a progress thread needs MPI_THREAD_MULTIPLE; ask MPI_Init_thread for it, or call test() now and then"};
    if (auto bad = mpi::before_finalize(&stop_progress_thread); !bad.ok()) return bad;
    progress().start();
    return {};
} catch (const std::bad_alloc&) {
    return collective::no_memory();
} catch (const std::system_error&) {
    return {errc::unsupported, "the system gives no further thread; call test() now and then"};
}
void stop_progress_thread() noexcept { progress().stop(); }

}  // namespace laconic
