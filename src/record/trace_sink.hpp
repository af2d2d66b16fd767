// SPDX-License-Identifier: BSD-3-Clause
// The compressed trace of a process: options and calls flow in; one file for all ranks flows out at MPI_Finalize, and
// until then each rank keeps what it has recorded in part files beside it, which outlive a crash.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "record/spin_lock.hpp"
#include "record/trace_gather.hpp"
#include "trace/recorder.hpp"

namespace laconic::record {

/// call() is called under the recorder's lock; join() and finish() without it, and take it for moments.
class trace_sink {
public:
    /// Reads the options trace and trace_*. Returns whether a trace is wanted. A bad value is
    /// reported by rank 0 in join().
    [[nodiscard]] bool start();

    void call(trace::view signature, std::uint64_t start_ns, std::uint64_t end_ns) noexcept;

    /// MPI has started. Collective over MPI_COMM_WORLD when a trace is wanted: a communicator of our own, and part
    /// files, from which those of an earlier run into the same file are removed. The trace of a spawned world goes to
    /// FILE.spawned-PID, by its rank 0.
    void join(bool spawned, spin_lock& lock) noexcept;
    /// MPI is about to end. Collective as join(). Writes the file and removes the part files; if that fails, rank 0
    /// says so on stderr and they stay.
    void finish(spin_lock& lock) noexcept;
    /// In the child of a fork.
    void abandon() noexcept;

private:
    struct early_call {
        trace::bytes signature;
        std::uint64_t start_ns = 0, end_ns = 0;
    };
    [[nodiscard]] std::string folder() const { return file_ + ".parts"; }
    void begin(bool spawned, spin_lock& lock);
    [[nodiscard]] std::unique_ptr<trace::recorder> make_recorder();
    [[nodiscard]] contribution part_of(const trace::recorder* all) const noexcept;
    void end(std::unique_ptr<trace::recorder> all);

    bool wanted_ = false;
    std::string file_;
    std::string trouble_;  ///< why this rank records nothing, or less than it should
    trace::recorder_options options_;
    std::unique_ptr<trace::recorder> recorder_;  ///< from join() to finish()
    std::vector<early_call> early_;              ///< before it is known which rank this is
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace laconic::record
