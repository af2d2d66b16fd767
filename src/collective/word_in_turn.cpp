// SPDX-License-Identifier: BSD-3-Clause
// Turn, agreement, answer.
#include "collective/word_in_turn.hpp"

#include <new>
#include <utility>

namespace laconic::collective {

std::optional<status> word_in_turn::advance(const call_shape& shape, const status& local, bool& moved) try {
    std::optional<status> answer;
    if (channel_.broken()) {
        answer = broken();
    } else if (!started_) {
        if (!store_.is_turn(turn_)) return {};
        started_ = moved = true;
        answer = agreement_.start(channel_, store_.letter(), shape, {}, local);
        if (answer->ok()) return {};
    } else {
        result<bool> heard = agreement_.test();
        if (heard && !*heard) return {};
        if (!heard) store_.refused(heard.code());
        answer = std::move(heard).error();
    }
    // As of an execution: a call that MPI has failed in on one rank leaves the channel of all.
    if (answer->code() == errc::mpi) channel_.mark_broken();
    moved = true;
    leave();
    return answer;
} catch (const std::bad_alloc&) {
    channel_.desert();
    moved = true;
    leave();
    return no_memory();
}

}  // namespace laconic::collective
