// SPDX-License-Identifier: BSD-3-Clause
// What threads of the library have in common: they take no signals, and nobody waits for them in a forked process.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <new>
#include <utility>

namespace laconic::base {

/// Threads that are made while it lives take no signals: those are for the program's own.
class without_signals {
public:
    without_signals() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    without_signals(const without_signals&) = delete;
    without_signals& operator=(const without_signals&) = delete;
    ~without_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

/// Empties a handle, or several, of threads that are neither joined nor detached: after a fork they do not exist here,
/// and their handles may be those of others by now.
template <class Handles>
void forget_threads(Handles& threads) noexcept {
    auto* const kept = new (std::nothrow) Handles;
    if (kept != nullptr) std::swap(*kept, threads);
}

}  // namespace laconic::base
