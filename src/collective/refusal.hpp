// SPDX-License-Identifier: BSD-3-Clause
// A call that one rank cannot make: why flows in, and out of all ranks' calls, where those listen.
#pragma once

#include <string>
#include <utility>

#include "collective/execution.hpp"
#include "collective/word_in_turn.hpp"

namespace laconic::collective {

/// When ranks agree on their arguments in calls with certain options, short ones of algorithm `auto` apart, and those
/// for which it has just found that MPI's own function is best.
struct hearing {
    bool always = false;
    std::string machine;  ///< while this file is new to them
};
[[nodiscard]] hearing hearing_of(operation op, reduction combine, const collective_options& options);

/// Takes part in a call that this rank cannot even describe: the others, where they agree on their arguments, get its
/// sentence instead of waiting for it. Ends with what all ranks return.
class refusal final : public execution_base {
public:
    /// heard   when the others agree on their arguments
    refusal(mpi::channel& channel, status why, hearing heard)
        : word_(channel), why_(std::move(why)), heard_(std::move(heard)) {}

    void begin(bool blocking) override;
    bool advance() override;
    [[nodiscard]] bool over() const noexcept override { return over_; }
    [[nodiscard]] result<collective_report> outcome() override { return std::move(told_); }
    void waited(double) noexcept override {}

private:
    /// Nobody listens. Where this rank alone is to blame for its arguments it may make the call anew.
    void end_unheard() noexcept {
        over_ = true;
        if (why_.code() == errc::out_of_memory) word_.channel().mark_broken();
    }

    word_in_turn word_;
    status why_, told_;
    hearing heard_;
    bool over_ = false;
};

}  // namespace laconic::collective
