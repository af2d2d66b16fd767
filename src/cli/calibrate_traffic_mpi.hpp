// SPDX-License-Identifier: BSD-3-Clause
// Ranks that exchange messages, all of them at once, as collectives make them: a pair that has the machine to itself
// would say too little of the time that bytes take where hosts share cores. Times flow in; alpha, beta and their like
// flow out.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>

#include "cli/calibrate_network_mpi.hpp"
#include "cli/files.hpp"
#include "model/machine.hpp"

namespace laconic::cli {

/// Work for the processor alone: nothing that waits for memory.
class labour {
public:
    void work(double rounds) noexcept {
        for (double done = 0; done < rounds; ++done)
            for (float& value : values_) value = 0.5F * value + 1;
    }

private:
    std::array<float, 1024> values_{};
};

/// Each rank sends to one and receives from one. All calls are collective over the communicator.
class traffic {
public:
    traffic(MPI_Comm comm, const network_settings& settings);

    /// To the next rank from the one before; `strand` ranks in a circle, one circle after the other.
    void circles(int strand) noexcept;
    /// With the neighbour; the last of an odd number has none.
    void pairs() noexcept;

    /// Seconds per message of `bytes` when `window` of them are on their way from every rank, and every rank works
    /// `rounds` for each of them.
    [[nodiscard]] double stream(std::size_t bytes, double rounds = 0);
    /// Seconds of `rounds` of work on all ranks at once. The mean, which has the turns of ranks that share a core in
    /// it.
    [[nodiscard]] double work(double rounds);
    /// Everything that a level has; ends with pairs().
    /// may_burst  whether its links may let bytes pass at once after a pause
    void measure_level(model::level& way, bool may_burst);

    static constexpr std::size_t segment = 128 << 10;  ///< bytes of the engine's messages
    static constexpr int window = 32;

private:
    /// One message of so many bytes each way.
    void exchange(std::size_t bytes);
    /// Starts `count` messages of so many bytes each way; two requests each.
    void start(std::size_t bytes, int count, MPI_Request* requests);
    [[nodiscard]] double processor_s_per_byte(double stream_s);
    [[nodiscard]] double measure_steps(model::level& way);
    [[nodiscard]] double burst(const model::level& way, double meeting_s);
    /// Median, or mean, of a round's times, over about so many seconds, of the slowest rank.
    [[nodiscard]] double repeat(const std::function<void()>& round, bool mean = false);
    /// Median, or least where ranks take turns, of the times of rounds that begin after a pause, all ranks at once.
    [[nodiscard]] double lone(double pause_s, const std::function<void()>& round);

    MPI_Comm comm_;
    network_settings settings_;
    int rank_ = 0, size_ = 1, to_ = MPI_PROC_NULL, from_ = MPI_PROC_NULL;
    labour labour_;
    buffer out_, in_;
};

}  // namespace laconic::cli
