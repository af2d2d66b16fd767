// SPDX-License-Identifier: BSD-3-Clause
// Ranks agree: facts and failures of each flow in, one status for all flows out, naming the rank and what is wrong.
#pragma once

#include <array>
#include <memory>

#include "laconic/exchange.hpp"
#include "mpi/channel.hpp"
#include "redistribute/exchange/ranges.hpp"

namespace laconic::redistribute {

/// Collective, blocking. ok when every rank says ok; else on all ranks the failure of the lowest rank among those with
/// the highest code, with its number in front.
[[nodiscard]] status all_ok(mpi::channel& channel, const status& local);

/// Collective, blocking: ok when plan, element and options (those that must) are the same on all ranks; else mismatch.
[[nodiscard]] status same_everywhere(mpi::channel& channel, const plan& what, exchange_element element,
                                     const exchange_options& options);

/// Before a run: whether all ranks can, and the ranges of all fields over all ranks.
///
/// Greatest numbers by messages of our own: in every round a rank hears from up to seven others, then knows what eight
/// times as many ranks have said. MPI's own calls take a hop for each doubling, and Open MPI's twice as many.
class run_agreement {
public:
    /// ranges: of how many fields. May throw bad_alloc.
    explicit run_agreement(std::size_t ranges)
        : numbers_(2 + 2 * ranges), packet_(std::make_unique<std::int64_t[]>(numbers_ * radix)) {
        requests_.fill(MPI_REQUEST_NULL);
    }

    /// Least and greatest finite value of a field on this rank; to be told before start().
    void set_range(std::size_t field, double min, double max) noexcept;
    void clear_ranges() noexcept;
    /// To be told before start(), too.
    void set_time(std::int64_t ns) noexcept { packet_[1] = ns; }
    /// The longest of all ranks.
    [[nodiscard]] std::int64_t time() const noexcept { return packet_[1]; }
    [[nodiscard]] status start(mpi::channel& channel, const status& local);
    /// ok while messages are on their way, and, with `over` set, when all ranks are ok; else as all_ok(). A failure's
    /// text is not copied: the open run is still to be declined, which takes no memory. waits  for them, in MPI
    [[nodiscard]] status test(const status& local, bool waits, bool& over);
    /// Whether test() failed because a rank did, not MPI.
    [[nodiscard]] bool refused() const noexcept { return refused_; }
    /// After an MPI error: gives up, without freeing it, what a message under way may still read or write.
    void abandon() noexcept {
        if (under_way_ > 0) static_cast<void>(packet_.release());
    }
    /// Over all ranks; both 0 when there are no finite values.
    [[nodiscard]] value_limits range(std::size_t field) const noexcept;

private:
    static constexpr int radix = 8;
    [[nodiscard]] status begin_round();
    void end_round() noexcept;

    mpi::channel* channel_ = nullptr;
    std::array<MPI_Request, 2 * (radix - 1)> requests_{};
    int under_way_ = 0;  // requests of the round
    int stride_ = 1;     // of the round; what is known are the numbers of so many ranks, this one the last of them
    bool refused_ = false;
    std::size_t numbers_;
    // A failure's key; a time; of each field greatest and complement of least value. Behind it those that arrive.
    std::unique_ptr<std::int64_t[]> packet_;
};

}  // namespace laconic::redistribute
