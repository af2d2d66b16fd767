// SPDX-License-Identifier: BSD-3-Clause
// An agreement of the ranks for calls that have nothing else to say to each other: a call's shape, or why this rank
// cannot make it, flows in when the turn of the call has come; what the ranks agreed on flows out.
#pragma once

#include <cstdint>
#include <optional>

#include "collective/agreement.hpp"
#include "collective/call_store.hpp"

namespace laconic::collective {

class word_in_turn {
public:
    explicit word_in_turn(mpi::channel& channel) noexcept : channel_(channel), store_(call_store::of(channel)) {}

    /// The call takes its place among those of the channel; advance() is called until it has an answer.
    /// blocking   as of execution_base::begin()
    void begin(bool blocking) noexcept {
        if (!blocking) store_.forbid_blocking();
        started_ = false;
        static_cast<void>(store_.next_call());
        turn_ = store_.draw_turn(channel_);
    }

    /// What the ranks agreed on, once; the turn has ended then. Nothing while it is not there.
    /// moved   set where something was done, else left alone
    /// local   as of agreement::start()
    [[nodiscard]] std::optional<status> advance(const call_shape& shape, const status& local, bool& moved);

private:
    void leave() noexcept {
        agreement_.release();
        store_.end_turn();
    }

    mpi::channel& channel_;
    call_store& store_;
    std::uint64_t turn_ = 0;
    bool started_ = false;
    agreement agreement_;
};

}  // namespace laconic::collective
