// SPDX-License-Identifier: BSD-3-Clause
// A call that one rank cannot make: why flows in, and out of all ranks' calls, where those listen.
#pragma once

#include <utility>

#include "collective/execution.hpp"

namespace laconic::collective {

/// Takes part in a call that this rank cannot even describe: the others, where they agree on their arguments, get its
/// sentence instead of waiting for it. Ends with what all ranks return.
class refusal final : public execution_base {
public:
    /// heard   whether the others agree on their arguments; if not, it is over at once
    refusal(mpi::channel& channel, status why, bool heard) : channel_(channel), why_(std::move(why)), heard_(heard) {}

    void begin(bool blocking) override;
    bool advance() override;
    [[nodiscard]] bool over() const noexcept override { return over_; }
    [[nodiscard]] result<collective_report> outcome() override { return told_; }
    void waited(double) noexcept override {}

private:
    mpi::channel& channel_;
    status why_, told_;
    bool heard_;
    bool over_ = false, started_ = false;
    std::uint64_t turn_ = 0;
    agreement agreement_;
};

/// Whether ranks agree on their arguments in calls with these options, short ones of algorithm `auto` apart, and those
/// for which it has just found that MPI's own function is best.
[[nodiscard]] bool agrees(operation op, reduction combine, const collective_options& options);

}  // namespace laconic::collective
