// SPDX-License-Identifier: BSD-3-Clause
// Level by level. A level that fails without an error of MPI does not desert the others: later ones run with what they
// say is no result.
#include "collective/levels_run.hpp"

#include <algorithm>

#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
node_task levels_run<T>::task_of(level at) const noexcept {
    if (at == level::first) return request_.op == operation::bcast ? node_task::deal : node_task::reduce;
    return request_.op == operation::reduce ? node_task::collect : node_task::share;
}

template <class T>
bool levels_run<T>::takes_part(level at) const noexcept {
    if (at == level::across) return goes_across();
    const node_task task = task_of(at);
    return several_inside() && (near_root() || task == node_task::reduce || task == node_task::share);
}

template <class T>
int levels_run<T>::root_inside() const noexcept {
    const auto& ranks = levels_->inside.ranks;
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), request_.root) - ranks.begin());
}

template <class T>
range levels_run<T>::own_part() const noexcept {
    const int lane = levels_->inside.rank;
    return lane < levels_->lanes ? part_of(static_cast<std::size_t>(lane)) : range{};
}

/// Of a reduce, `out` is the root's alone.
template <class T>
bool levels_run<T>::needs_scratch() const noexcept {
    return request_.op == operation::reduce && !is_root() && several_inside() && own_part().count > 0;
}

template <class T>
status levels_run<T>::reserve_scratch() {
    if (!needs_scratch()) return {};
    call_store* const store = call_store::of(*request_.channel);
    scratch_ = store == nullptr ? nullptr : store->borrow();
    if (scratch_ == nullptr) return {errc::out_of_memory, "no memory for a collective; free some"};
    return scratch_->bytes.reserve(own_part().count * sizeof(T));
}

template <class T>
std::span<T> levels_run<T>::part() const noexcept {
    const range mine = own_part();
    if (scratch_ != nullptr) return {reinterpret_cast<T*>(scratch_->bytes.bytes().data()), mine.count};
    if (request_.op == operation::reduce && !is_root()) return {};
    return request_.data.out.subspan(mine.first, mine.count);
}

/// By messages: the same parts go the same ways.
template <class T>
status levels_run<T>::reserve_inside(level at) {
    if (!takes_part(at)) return {};
    const node_task task = task_of(at);
    stage_request<T> inside = request_;
    inside.who = &levels_->inside;
    inside.what = {schedule_kind::ring, payload_kind::raw, codec_id::raw};
    inside.data.divisor = 1;
    // A part stands at its place in a whole array, or alone.
    bool alone_in = false;
    bool alone_out = false;
    switch (task) {
        case node_task::reduce:
            inside.op = operation::reduce_scatter;
            alone_out = request_.op == operation::reduce;
            if (alone_out) inside.data.out = part();
            break;
        case node_task::share:
            inside.op = operation::allgather;
            inside.data.in = request_.data.out;
            break;
        case node_task::deal:
        case node_task::collect:
            inside.op = task == node_task::deal ? operation::scatter : operation::gather;
            inside.what.schedule = schedule_kind::pairwise;
            inside.root = root_inside();
            if (task == node_task::deal) break;
            inside.data.in = is_root() ? std::span<const T>(request_.data.out) : std::span<const T>(part());
            alone_in = !is_root();
            break;
    }
    return messages(at).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        const auto lanes = static_cast<std::size_t>(levels_->lanes);
        for (std::size_t k = 0; k < std::min<std::size_t>(lanes, pieces); ++k) {
            const range one = part_of(k);
            places[k] = {alone_in ? 0 : one.first, alone_out ? 0 : one.first, one.count};
        }
        return longest_even_piece(count(), lanes);
    });
}

template <class T>
status levels_run<T>::reserve_across() {
    if (!goes_across()) return {};
    const range mine = own_part();
    stage_request<T> across = request_;
    across.who = &levels_->across;
    across.what = {schedule_kind::ring, request_.what.payload, request_.what.codec};
    across.data.divisor = 1;
    across.data.out = part();
    across.data.in = several_inside() || request_.op == operation::bcast
                         ? std::span<const T>(part())
                         : request_.data.in.subspan(mine.first, mine.count);
    if (request_.op != operation::allreduce) across.root = levels_->across_from(request_.root);
    return messages(level::across).reserve(across, [&](std::uint32_t pieces, std::vector<place>& places) {
        place_evenly(mine.count, pieces, places);
        return longest_even_piece(mine.count, pieces);
    });
}

template <class T>
status levels_run<T>::reserve(const stage_request<T>& request, hierarchy& levels) {
    release();
    request_ = request;
    levels_ = &levels;
    if (auto bad = reserve_scratch(); !bad.ok()) return bad;
    if (several_inside() && !in_memory()) {
        if (auto bad = reserve_inside(level::first); !bad.ok()) return bad;
        if (auto bad = reserve_inside(level::last); !bad.ok()) return bad;
    }
    return reserve_across();
}

template <class T>
void levels_run<T>::start(const quantisation<T>& plan) {
    plan_ = plan;
    failure_ = {};
    combine_s_ = 0;
    if (in_memory()) {
        drawn_ = levels_->drawn++;
        holds_ = true;
    }
    at_ = level::first;
    in_motion_ = true;
    started_ = false;
}

template <class T>
void levels_run<T>::start_level() {
    started_ = true;
    if (at_ != level::across && in_memory())
        memory_.start(*levels_, {task_of(at_), request_.data, part(), near_root() ? root_inside() : 0}, count(),
                      !failure_.ok());
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
    if (!moved || *moved == runner::state::done) combine_s_ += std::exchange(memory_, {}).combine_s();
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
        progress = true;
    }
    if (holds_) ++levels_->ended;
    holds_ = false;
    in_motion_ = false;
    if (!failure_.ok()) return failure_;
    const arrays<T>& data = request_.data;
    if (data.divisor != 1 && (request_.op != operation::reduce || is_root()))
        divide_elements<T>(data.out.data(), data.out.size(), data.divisor);
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
    report.combine_s += combine_s_;
    if (in_memory()) report.workspace_bytes += node_board::bytes_for(1);
    if (scratch_ != nullptr) report.workspace_bytes += scratch_->bytes.bytes().size();
    if (several_inside()) report.inside = in_memory() ? node_traffic::memory : node_traffic::messages;
}

template class levels_run<float>;
template class levels_run<double>;
template class levels_run<half>;
template class levels_run<bfloat16>;

}  // namespace laconic::collective
