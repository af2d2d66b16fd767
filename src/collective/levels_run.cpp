// SPDX-License-Identifier: BSD-3-Clause
// Level by level. A level that fails without an error of MPI does not desert the others: later ones run with what they
// say is no result.
#include "collective/levels_run.hpp"

#include <utility>

namespace laconic::collective {

template <class T>
status levels_run<T>::begin(const stage_request<T>& request, hierarchy& levels) {
    release();
    request_ = request;
    levels_ = &levels;
    scratch_ = call_store::of(*request_.channel).memory().borrow();
    return scratch_ == nullptr ? no_memory() : scratch_->bytes.reserve(0);
}

template <class T>
stage_request<T> levels_run<T>::raw_inside(operation op, schedule_kind schedule) const {
    stage_request<T> inside = request_;
    inside.op = op;
    inside.who = &levels_->inside;
    inside.what = {schedule, payload_kind::raw, codec_id::raw};
    inside.segment_bytes = request_.node_segment_bytes;
    inside.data.divisor = 1;
    inside.copies_input = false;
    return inside;
}

template <class T>
stage_request<T> levels_run<T>::between_nodes() const {
    stage_request<T> across = request_;
    across.who = &levels_->across;
    across.what = {schedule_kind::ring, request_.what.payload, request_.what.codec};
    across.data.divisor = 1;
    across.copies_input = false;
    return across;
}

template <class T>
void levels_run<T>::start(const quantisation<T>& plan) {
    plan_ = plan;
    failure_ = {};
    times_ = {};
    if (in_memory()) {
        drawn_ = levels_->drawn++;
        holds_ = true;
    }
    at_ = level::first;
    in_motion_ = true;
    started_ = false;
    prepare_level();
}

template <class T>
void levels_run<T>::prepare_level() noexcept {
    const stopwatch watch(times_.copy_s);
    prepare(at_);
}

template <class T>
void levels_run<T>::start_level() {
    started_ = true;
    if (at_ != level::across && in_memory())
        memory_.start(*levels_, task_of(at_), !failure_.ok());
    else
        messages(at_).start(plan_, !failure_.ok());
}

/// Whoever waits for other ranks' memory has to call MPI all the same: it moves what this rank has sent, and the
/// program's own messages, and it sees ranks that are gone.
template <class T>
result<runner::state> levels_run<T>::wait_in_mpi() {
    int found = 0;
    const int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, request_.channel->comm(), &found, MPI_STATUS_IGNORE);
    if (auto bad = request_.channel->check(code, "MPI_Iprobe"); !bad.ok()) return bad;
    return runner::state::waiting;
}

template <class T>
result<runner::state> levels_run<T>::advance_level() {
    if (!takes_part(at_)) return runner::state::done;
    if (holds_ && levels_->ended != drawn_) return wait_in_mpi();
    if (!started_) start_level();
    if (at_ == level::across || !in_memory()) return messages(at_).advance();
    auto moved = memory_.advance();
    if (moved.ok() && *moved == runner::state::waiting) return wait_in_mpi();
    if (!moved || *moved == runner::state::done) times_ += std::exchange(memory_, {}).times();
    return moved;
}

template <class T>
result<runner::state> levels_run<T>::advance() {
    bool progress = false;
    while (at_ != level::over) {
        auto moved = advance_level();
        if (!moved && moved.error().code() == errc::mpi) return moved;
        if (moved.ok() && *moved != runner::state::done)
            return progress || *moved == runner::state::moved ? runner::state::moved : runner::state::waiting;
        if (!moved && failure_.ok()) failure_ = moved.error();
        at_ = static_cast<level>(static_cast<int>(at_) + 1);
        started_ = false;
        if (at_ != level::over) prepare_level();
        progress = true;
    }
    if (holds_) ++levels_->ended;
    holds_ = false;
    in_motion_ = false;
    if (!failure_.ok()) return failure_;
    const stopwatch watch(times_.copy_s);
    conclude();
    return runner::state::done;
}

template <class T>
void levels_run<T>::release() noexcept {
    for (stage<T>& used : messages_) used.release();
    if (scratch_ != nullptr) {
        // What was on its way may still be read from it.
        if (in_motion_) scratch_->bytes.abandon();
        scratch_->in_use = false;
    }
    scratch_ = nullptr;
    in_motion_ = false;
}

template <class T>
void levels_run<T>::add_to(collective_report& report) const {
    for (const stage<T>& used : messages_) used.add_to(report);
    times_.add_to(report);
    if (in_memory()) report.workspace_bytes += node_board::bytes_for(1);
    report.workspace_bytes += scratch_->bytes.used_bytes();
    if (several_inside()) report.inside = in_memory() ? node_traffic::memory : node_traffic::messages;
}

template class levels_run<float>;
template class levels_run<double>;
template class levels_run<half>;
template class levels_run<bfloat16>;

}  // namespace laconic::collective
