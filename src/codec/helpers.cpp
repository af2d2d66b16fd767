// SPDX-License-Identifier: BSD-3-Clause
// One job at a time. A single word says which job it is and which parts nobody has taken yet: the caller takes the
// first of them, helpers the last. Whoever changes the word has the part, and the job cannot end before that part is
// done. So a helper that comes late, or with an old word in its hands, gets nothing and is waited for by nobody.
#include "codec/helpers.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/own_threads.hpp"
#include "codec/float_environment.hpp"

namespace laconic::codec {
namespace {

/// So long a helper looks for more work before it sleeps: messages of a collective follow each other faster.
constexpr auto patience = std::chrono::microseconds(50);
/// It takes a helper about as long to wake up as one thread takes for so many chunks.
constexpr std::size_t worth_waking = 128;

std::atomic<bool> favours_helpers{false};

using clock_type = std::chrono::steady_clock;

void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// job << 32 | helpers << 16 | end << 8 | first: parts [first, end) are left.
struct ticket {
    std::uint64_t word = 0;

    [[nodiscard]] unsigned first() const noexcept { return word & 0xFF; }
    [[nodiscard]] unsigned end() const noexcept { return word >> 8 & 0xFF; }
    [[nodiscard]] unsigned helpers() const noexcept { return word >> 16 & 0xFFFF; }
    [[nodiscard]] bool open() const noexcept { return first() < end(); }
    [[nodiscard]] std::uint64_t without_first() const noexcept { return word + 1; }
    [[nodiscard]] std::uint64_t without_last() const noexcept { return word - 0x100; }
};

class pool {
public:
    pool() = default;
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;
    ~pool();

    void run(unsigned helpers, unsigned parts, std::size_t chunks, void (*work)(const void*, unsigned) noexcept,
             const void* all) noexcept;

private:
    void recruit(unsigned helpers) noexcept;
    void serve(unsigned number) noexcept;
    /// Takes parts of the job at hand until there are none; the number taken.
    unsigned take_parts() noexcept;

    std::mutex busy_;  // held by the caller whose job it is
    std::vector<std::thread> threads_;
    unsigned most_ = ~0U;       // threads that the system grants
    pid_t process_ = 0;         // that has the threads: a forked one does not
    std::size_t in_a_row_ = 0;  // chunks of jobs that came fast while helpers slept
    clock_type::time_point last_;
    void (*work_)(const void*, unsigned) noexcept = nullptr;
    const void* all_ = nullptr;
    std::atomic<int> processor_{-1};  // on which the caller is: who shares it with him would only be in his way
    // In cache lines of their own: all helpers look at the first, and at the others only when they have done something.
    alignas(64) std::atomic<std::uint64_t> ticket_{0};
    alignas(64) std::atomic<unsigned> done_{0};  // parts, by helpers
    alignas(64) std::atomic<int> calls_{0};      // what sleepers wait on
    std::atomic<unsigned> asleep_{0};
    std::atomic<bool> over_{false};
};

pool::~pool() {
    if (process_ != getpid()) {
        if (!threads_.empty()) base::forget_threads(threads_);
        return;
    }
    over_ = true;
    ++calls_;
    calls_.notify_all();
    for (std::thread& helper : threads_) helper.join();
}

void pool::recruit(unsigned helpers) noexcept {
    if (process_ != getpid()) {
        if (!threads_.empty()) base::forget_threads(threads_);
        process_ = getpid();
        asleep_ = 0;
        most_ = ~0U;
    }
    if (threads_.size() >= std::min(helpers, most_)) return;
    const base::without_signals held_back;
    try {
        threads_.reserve(helpers);
        while (threads_.size() < helpers)
            threads_.emplace_back([this, number = static_cast<unsigned>(threads_.size())] { serve(number); });
    } catch (const std::exception&) {
        // Fewer will do, from now on: asking again costs as much each time.
        most_ = static_cast<unsigned>(threads_.size());
    }
}

unsigned pool::take_parts() noexcept {
    unsigned taken = 0;
    for (ticket now{ticket_.load(std::memory_order_acquire)}; now.open();
         now.word = ticket_.load(std::memory_order_acquire)) {
        if (!ticket_.compare_exchange_weak(now.word, now.without_first(), std::memory_order_acq_rel)) continue;
        work_(all_, now.first());
        ++taken;
    }
    return taken;
}

void pool::serve(unsigned number) noexcept {
    const float_environment standard;
    auto since = clock_type::now();
    while (!over_) {
        const int seen = calls_;
        for (ticket now{ticket_.load(std::memory_order_acquire)};
             now.open() && number < now.helpers() && sched_getcpu() != processor_.load(std::memory_order_relaxed);
             now.word = ticket_.load(std::memory_order_acquire)) {
            if (!ticket_.compare_exchange_weak(now.word, now.without_last(), std::memory_order_acq_rel)) continue;
            work_(all_, now.end() - 1);
            done_.fetch_add(1, std::memory_order_release);
            since = clock_type::now();
        }
        for (int i = 0; i < 32; ++i) relax();
        if (clock_type::now() - since < patience) continue;
        ++asleep_;
        if (!over_) calls_.wait(seen);
        --asleep_;
        since = clock_type::now();
    }
}

void pool::run(unsigned helpers, unsigned parts, std::size_t chunks, void (*work)(const void*, unsigned) noexcept,
               const void* all) noexcept {
    const std::unique_lock mine(busy_, std::try_to_lock);
    // Another thread of the program may outlive the helpers at exit.
    if (!mine.owns_lock() || over_) {
        for (unsigned part = 0; part < parts; ++part) work(all, part);
        return;
    }
    if (threads_.size() < std::min(helpers, most_) || process_ != getpid()) recruit(helpers);
    work_ = work;
    all_ = all;
    processor_.store(sched_getcpu(), std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    const std::uint64_t job = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
    ticket_.store(job << 32 | std::uint64_t{helpers} << 16 | std::uint64_t{parts} << 8, std::memory_order_release);
    if (asleep_ > 0) {
        if (clock_type::now() - last_ > patience) in_a_row_ = 0;
        in_a_row_ += chunks;
        if (in_a_row_ >= worth_waking) {
            in_a_row_ = 0;
            ++calls_;
            calls_.notify_all();
        }
    }
    if (favours_helpers) {
        ++calls_;
        calls_.notify_all();
        const auto until = clock_type::now() + std::chrono::milliseconds(10);
        while (ticket{ticket_.load()}.end() == parts && clock_type::now() < until) std::this_thread::yield();
    }
    const unsigned by_others = parts - take_parts();
    for (int i = 0; done_.load(std::memory_order_acquire) < by_others; ++i) {
        // A helper may wait for this very processor.
        if (i < 2000)
            relax();
        else
            std::this_thread::yield();
    }
    last_ = clock_type::now();
}

pool& everybody() {
    static pool all;
    return all;
}

}  // namespace

void favour_helpers(bool wanted) noexcept { favours_helpers = wanted; }

void help_with(unsigned helpers, unsigned parts, std::size_t chunks, void (*work)(const void*, unsigned) noexcept,
               const void* all) noexcept {
    everybody().run(helpers, parts, chunks, work, all);
}

}  // namespace laconic::codec
