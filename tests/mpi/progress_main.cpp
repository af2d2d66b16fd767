// SPDX-License-Identifier: BSD-3-Clause
// The progress thread: a started collective ends while its program only computes, and blocking calls go on beside it.
#include <mpi.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "laconic/laconic.h"
#include "run.hpp"
#include "scenario.hpp"

namespace {

using namespace laconic;
using namespace laconic::test;

/// The last value to change is watched, from the outside as it were.
bool changes(const float& watched, float from) {
    const volatile float& value = watched;
    for (int look = 0; look < 2000 && value == from; ++look) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return value != from;
}

/// A collective of this row that is under way.
struct under_way {
    explicit under_way(const char* row) {
        what.algorithm = row;
        what.limit = bound::abs(1e-3);
        what.count = 50000;
        arrays = lay_out<float>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
        request = start(arrays.call, MPI_COMM_WORLD, options_of(what));
        check(request.ok(), what.text() + ": " + request.error().message());
    }
    void check_end() {
        const auto done = request->wait();
        check(done.ok(), what.text() + ": " + done.error().message());
        if (done.ok()) check_outcome(what, arrays, *done);
    }

    scenario what;
    laid_out<float> arrays;
    result<collective_request> request = collective_request();
};

void check_thread(const char* row) {
    under_way call(row);
    if (!call.request.ok()) return;
    check(changes(call.arrays.out.back(), -77), call.what.text() + ": nothing moves by itself");
    call.check_end();
}

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Once a collective is over the thread sleeps, waited for or not: a program that does nothing takes no processor time.
void check_sleep() {
    under_way call("fused");
    if (!call.request.ok()) return;
    while (!call.request->test()) std::this_thread::yield();
    const double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const double taken = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
    check(taken < 0.05, "the progress thread is busy with nothing: " + std::to_string(taken) + " of 0.2 s");
    call.check_end();
}

void check_beside_blocking() {
    for (int round = 0; round < 20; ++round) {
        scenario what;
        what.algorithm = round % 2 == 0 ? "fused" : "argm";
        what.limit = bound::abs(1e-3);
        what.count = 20000;
        what.ranks_per_node = 2;
        laid_out<float> arrays = lay_out<float>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
        auto started = start(arrays.call, MPI_COMM_WORLD, options_of(what));
        scenario other = what;
        other.algorithm = "c_coll";
        other.count = 7000;
        check_scenario<double>(other, false);
        if (!started.ok()) continue;
        const auto done = started->wait();
        check(done.ok(), what.text() + ": " + done.error().message());
        if (done.ok()) check_outcome(what, arrays, *done);
    }
}

/// Threads with communicators of their own, made and freed again and again: what is found without a lock is never
/// another's.
void check_threads() {
    constexpr int threads = 3;
    std::array<MPI_Comm, threads> bases{};
    for (MPI_Comm& base : bases) MPI_Comm_dup(MPI_COMM_WORLD, &base);
    std::array<int, threads> wrong{};
    const auto work = [&](std::size_t k) {
        const collective_options options = options_for("auto", bound::abs(1e-3));
        const std::vector<float> in(50 + k, static_cast<float>(k + 1));
        std::vector<float> out(in.size());
        std::array<MPI_Comm, 4> comms{};
        for (MPI_Comm& comm : comms) MPI_Comm_dup(bases[k], &comm);
        for (std::size_t life = 0; life < 30; ++life) {
            for (std::size_t i = 0; i < 20; ++i) {
                MPI_Comm comm = comms[i / 2 % comms.size()];
                const auto done = allreduce<float>(std::span<const float>(in), out, reduction::sum, comm, options);
                if (!done.ok() || out.back() != static_cast<float>(size_of(comm)) * in.back()) ++wrong[k];
            }
            MPI_Comm& replaced = comms[life % comms.size()];
            MPI_Comm_free(&replaced);
            MPI_Comm_dup(bases[k], &replaced);
        }
        for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    };
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < threads; ++k) others.emplace_back(work, k);
    work(0);
    for (std::thread& other : others) other.join();
    for (std::size_t k = 0; k < threads; ++k) check(wrong[k] == 0, "sums of a thread: " + std::to_string(wrong[k]));
    for (MPI_Comm& base : bases) MPI_Comm_free(&base);
}

/// Threads of this process that would take SIGUSR2.
std::size_t threads_with_signals() {
    std::size_t count = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream about(thread.path() / "status");
        for (std::string line; std::getline(about, line);) {
            if (line.rfind("SigBlk:", 0) != 0) continue;
            const std::uint64_t blocked = std::stoull(line.substr(7), nullptr, 16);
            count += (blocked >> (SIGUSR2 - 1) & 1) == 0;
        }
    }
    return count;
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level == MPI_THREAD_MULTIPLE) {
        check_threads();
        const std::size_t with_signals = threads_with_signals();
        check(start_progress_thread().ok() && laconic_start_progress_thread() == LACONIC_OK, "start_progress_thread");
        for (const char* row : {"fused", "ring_raw", "stock", "argm"}) check_thread(row);
        check(threads_with_signals() == with_signals, "the progress thread takes signals of the program");
        check_sleep();
        check_beside_blocking();
        stop_progress_thread();
        laconic_stop_progress_thread();
        check(start_progress_thread().ok(), "start_progress_thread after its end");
        // It is left running: MPI_Finalize ends it.
        check_thread("homcomp");
    }
    const bool ok = failures_of_all_ranks() == 0;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf("progress_thread  %s\n", level != MPI_THREAD_MULTIPLE ? "skipped" : ok ? "ok" : "FAILED");
    MPI_Finalize();
    return ok ? 0 : 1;
}
