// SPDX-License-Identifier: BSD-3-Clause
// The lock around the recorder's tables: nothing at all while the process has one thread, one atomic exchange
// otherwise.
#pragma once

#include <sched.h>
#include <sys/single_threaded.h>

#include <atomic>

namespace laconic::record {

class spin_lock {
public:
    /// Returns whether the lock was taken: unlock() wants to know, since a thread may start in between.
    [[nodiscard]] bool lock() noexcept {
        if (__libc_single_threaded) return false;
        for (int tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries) {
            // The holder may have lost its core: more threads than cores are common where tests run.
            while (held_.load(std::memory_order_relaxed)) {
                if (++tries > 64) sched_yield();
            }
        }
        return true;
    }
    void unlock(bool taken) noexcept {
        if (taken) held_.store(false, std::memory_order_release);
    }

private:
    std::atomic<bool> held_{false};
};

class spin_guard {
public:
    explicit spin_guard(spin_lock& lock) noexcept : lock_(lock), taken_(lock.lock()) {}
    ~spin_guard() { lock_.unlock(taken_); }
    spin_guard(const spin_guard&) = delete;
    spin_guard& operator=(const spin_guard&) = delete;

private:
    spin_lock& lock_;
    bool taken_;
};

}  // namespace laconic::record
