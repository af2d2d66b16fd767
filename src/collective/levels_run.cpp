// SPDX-License-Identifier: BSD-3-Clause
// Level by level. A level that fails without an error of MPI does not desert the others: later ones run with what they
// say is no result.
#include "collective/levels_run.hpp"

#include "collective/elements.hpp"
#include "collective/geometry.hpp"

namespace laconic::collective {

template <class T>
range levels_run<T>::own_part() const noexcept {
    const int lane = levels_->inside.rank;
    if (lane >= levels_->lanes) return {};
    return even_piece(request_.data.out.size(), static_cast<std::size_t>(levels_->lanes),
                      static_cast<std::size_t>(lane));
}

template <class T>
status levels_run<T>::reserve_inside(level at, operation op, std::span<const T> in) {
    stage_request<T> inside = request_;
    inside.who = &levels_->inside;
    inside.op = op;
    inside.what = {schedule_kind::ring, payload_kind::raw, codec_id::raw};
    inside.data.in = in;
    inside.data.divisor = 1;
    return messages(at).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        const auto lanes = static_cast<std::size_t>(levels_->lanes);
        places.assign(pieces, {});
        for (std::size_t k = 0; k < std::min<std::size_t>(lanes, pieces); ++k) {
            const range part = even_piece(request_.data.out.size(), lanes, k);
            places[k] = {part.first, part.first, part.count};
        }
        return longest_even_piece(request_.data.out.size(), lanes);
    });
}

template <class T>
status levels_run<T>::reserve(const stage_request<T>& request, hierarchy& levels) {
    request_ = request;
    levels_ = &levels;
    if (several_inside() && !in_memory()) {
        if (auto bad = reserve_inside(level::reduce, operation::reduce_scatter, request.data.in); !bad.ok()) return bad;
        if (auto bad = reserve_inside(level::share, operation::allgather, request.data.out); !bad.ok()) return bad;
    }
    if (!goes_across()) return {};
    const range part = own_part();
    stage_request<T> across = request_;
    across.who = &levels.across;
    across.what = {schedule_kind::ring, request.what.payload, request.what.codec};
    const std::span<T> out = request.data.out.subspan(part.first, part.count);
    across.data.in = several_inside() ? std::span<const T>(out) : request.data.in.subspan(part.first, part.count);
    across.data.out = out;
    across.data.divisor = 1;
    return messages(level::across).reserve(across, [&](std::uint32_t pieces, std::vector<place>& places) {
        place_evenly(part.count, pieces, places);
        return longest_even_piece(part.count, pieces);
    });
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
    at_ = level::reduce;
    started_ = false;
}

template <class T>
void levels_run<T>::start_level() {
    started_ = true;
    if (at_ != level::across && in_memory())
        memory_.start(*levels_, at_ == level::reduce ? node_task::reduce : node_task::share, request_.data,
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
    if (!failure_.ok()) return failure_;
    const arrays<T>& data = request_.data;
    if (data.divisor != 1) divide_elements<T>(data.out.data(), data.out.size(), data.divisor);
    return runner::state::done;
}

template <class T>
void levels_run<T>::release() noexcept {
    for (stage<T>& used : messages_) used.release();
}

template <class T>
void levels_run<T>::add_to(collective_report& report) const {
    for (const stage<T>& used : messages_) used.add_to(report);
    report.combine_s += combine_s_;
    if (in_memory()) report.workspace_bytes += node_board::bytes_for(1);
}

template class levels_run<float>;
template class levels_run<double>;
template class levels_run<half>;
template class levels_run<bfloat16>;

}  // namespace laconic::collective
