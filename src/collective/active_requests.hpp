// SPDX-License-Identifier: BSD-3-Clause
// The requests that are under way on this rank. Executions flow in as they are started; whoever waits for one, a
// progress thread among them, moves all of them on.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "collective/execution.hpp"

namespace laconic::collective {

/// How many there are. Short calls look at it without their lock.
inline constinit std::atomic<std::size_t> active_count = 0;

/// Requests that are under way: whoever waits for one moves all of them on, as MPI does.
struct active_requests {
    std::recursive_mutex mutex;
    // Counts reasons for a progress thread to look: there is work, or it is to stop. A condition_variable_any would
    // take memory.
    std::atomic<int> changes = 0;
    std::vector<execution_base*> all;
    std::size_t places = 0;  // of requests, under way or not

    /// Moves all of them on, and one that is not among them.
    bool advance(execution_base* one = nullptr) {
        const std::scoped_lock lock(mutex);
        bool moved = one != nullptr && one->advance();
        for (std::size_t i = 0; i < all.size(); ++i) moved |= all[i]->advance();
        return moved;
    }
    /// The same; where nothing moved, others may use the processor.
    void advance_or_yield() noexcept {
        if (!advance()) sched_yield();
    }
    /// Without a place among them: who runs it drives it.
    void begin(execution_base& one, bool blocking) {
        const std::scoped_lock lock(mutex);
        one.begin(blocking);
    }
    /// Memory for one more to be under way at a time: to begin takes none, so that no rank fails there alone.
    void reserve_place() {
        const std::scoped_lock lock(mutex);
        if (all.capacity() <= places) all.reserve(2 * places + 8);
        ++places;
    }
    void give_place_back() noexcept {
        const std::scoped_lock lock(mutex);
        --places;
    }
    void add(execution_base* one) {
        const std::scoped_lock lock(mutex);
        all.push_back(one);
        ++active_count;
        try {
            one->begin(false);
        } catch (...) {
            remove(one);
            throw;
        }
        look();
    }
    void remove(execution_base* one) {
        const std::scoped_lock lock(mutex);
        active_count -= std::erase(all, one);
    }
    bool is_over(execution_base& one) {
        const std::scoped_lock lock(mutex);
        return one.over();
    }
    [[nodiscard]] result<collective_report> outcome_of(execution_base& one) {
        const std::scoped_lock lock(mutex);
        return one.outcome();
    }
    void waited(execution_base& one, double seconds) {
        const std::scoped_lock lock(mutex);
        one.waited(seconds);
    }
    template <class Call>
    bool claim(Call& call) const {
        return active_count == 0 && call.claim();
    }
    /// Until a request is under way that is not over, or `stop`.
    void wait_for_work(const std::atomic<bool>& stop) {
        while (true) {
            const int seen = changes;
            if (stop || has_work()) return;
            changes.wait(seen);
        }
    }
    void wake(std::atomic<bool>& stop) {
        stop = true;
        look();
    }

private:
    void look() {
        ++changes;
        changes.notify_all();
    }
    [[nodiscard]] bool has_work() {
        const std::scoped_lock lock(mutex);
        return std::ranges::any_of(all, [](auto* one) { return !one->over(); });
    }
};
inline active_requests& active() {
    // Never destroyed: programs may leave requests behind at exit. And not of memory that a rank may lack.
    alignas(active_requests) static std::array<std::byte, sizeof(active_requests)> storage;
    static auto* const all = new (storage.data()) active_requests;
    return *all;
}

}  // namespace laconic::collective
