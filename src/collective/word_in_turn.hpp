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
    explicit word_in_turn(mpi::channel& channel) noexcept : channel_(channel) {}

    /// The call takes its place among those of the channel; only then may the rest be used. False: no memory, and the
    /// channel is broken, as the others go on.
    /// blocking   as of execution_base::begin()
    /// speaks     whether advance() is going to be called until it has an answer, or withdraw(); else the call is none
    [[nodiscard]] bool begin(bool blocking, bool speaks) noexcept {
        store_ = call_store::of(channel_);
        if (store_ == nullptr) {
            channel_.mark_broken();
            return false;
        }
        if (!blocking) store_->forbid_blocking();
        started_ = false;
        if (speaks) number_ = store_->next_call(), turn_ = store_->draw_turn();
        return true;
    }
    [[nodiscard]] mpi::channel& channel() const noexcept { return channel_; }
    [[nodiscard]] call_store& store() const noexcept { return *store_; }
    [[nodiscard]] bool is_next() const noexcept { return !started_ && store_->is_turn(turn_); }

    /// What the ranks agreed on, once; the turn has ended then. Nothing while it is not there.
    /// moved   set where something was done, else left alone
    /// local   as of agreement::start()
    [[nodiscard]] std::optional<status> advance(const call_shape& shape, const status& local, bool& moved);
    /// In its turn, in place of advance(): nobody listens, and the call was none.
    void withdraw() noexcept {
        store_->take_back_call(number_);
        leave();
    }

private:
    void leave() noexcept {
        agreement_.release();
        store_->end_turn();
    }

    mpi::channel& channel_;
    call_store* store_ = nullptr;
    std::uint64_t number_ = 0, turn_ = 0;
    bool started_ = false;
    agreement agreement_;
};

}  // namespace laconic::collective
