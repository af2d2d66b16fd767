// SPDX-License-Identifier: BSD-3-Clause
// The call, then its turn, then the exact result, then the tallies of all ranks in one.
#include "collective/audit.hpp"

#include <cmath>
#include <limits>
#include <new>

#include "codec/element.hpp"
#include "collective/call_store.hpp"
#include "collective/program.hpp"
#include "model/error_model.hpp"

namespace laconic::collective {
namespace {

/// What collective.hpp promises about the elements of a call that has run.
template <class T>
element_promise promise_of(const collective_call<T>& call, bound limit, const cell& ran, int ranks,
                           const collective_report& report) noexcept {
    constexpr int digits = codec::element_limits<T>::digits;
    element_promise all;
    if (ranks == 1) return all;
    const bool reduces = is_reduction(call.op);
    const bool rounds_sums = reduces && call.combine != reduction::min && call.combine != reduction::max;
    all.bound = compresses(ran) ? report.result_bound : 0;
    // MPI says nothing about NaN in MPI_MIN and MPI_MAX.
    all.keeps_nan = rounds_sums || ran.schedule != schedule_kind::stock;
    // Codecs hold float and double to the bound after rounding.
    all.rounds = rounds_sums || (compresses(ran) && (reduces || sizeof(T) == 2));
    all.adds_in_type = reduces && call.combine == reduction::sum && !compresses(ran);
    // Streams hold integers, or values in twice the precision in which T is computed; uncompressed rows add in T.
    constexpr int computed = std::numeric_limits<real_type<T>>::digits;
    if (rounds_sums) all.rounding_unit = std::ldexp(1.0, compresses(ran) ? -2 * computed + 2 : -digits);
    // The bound itself covers the rounding of data that only move; of a relative one we know result_bound alone.
    if (!reduces && std::isfinite(all.bound) && compresses(ran) && limit.kind == bound_kind::absolute)
        all.most = limit.value;
    return all;
}

}  // namespace

template <class T>
status audited<T>::prepare() try {
    if (letter_ == nullptr) letter_ = std::make_unique<letter>();
    letter_->tallies.resize(static_cast<std::size_t>(channel_.size()));
    return comparison_.prepare(call_, channel_);
} catch (const std::bad_alloc&) {
    return no_memory();
}

template <class T>
void audited<T>::begin(bool blocking) {
    ended_ = {};
    report_ = {};
    phase_ = phase::running;
    inner_.refuse(prepare());
    inner_.begin(blocking);
    turn_ = call_store::of(channel_).draw_turn(channel_);
}

template <class T>
void audited<T>::end_of_call() {
    result<collective_report> done = inner_.outcome();
    ended_ = done.error();
    if (done.ok()) report_ = std::move(*done);
    phase_ = phase::queued;
}

template <class T>
bool audited<T>::advance() try {
    if (phase_ != phase::running && phase_ != phase::over && channel_.broken())
        return finish(ended_.ok() ? broken() : std::move(ended_)), true;
    switch (phase_) {
        case phase::running: {
            const bool moved = !inner_.over() && inner_.advance();
            if (!inner_.over()) return moved;
            end_of_call();
            return true;
        }
        case phase::queued:
            if (!call_store::of(channel_).is_turn(turn_)) return false;
            // What the ranks did not agree on, audits among it, is no call to audit on any.
            inner_.ran() ? start_confirming() : finish(std::move(ended_));
            return true;
        case phase::confirming: {
            int done = 0;
            if (auto ok = channel_.check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Iallreduce"); !ok.ok())
                return finish(ok), true;
            if (done != 0) start_comparison();
            return done != 0;
        }
        case phase::comparing: {
            const result<bool> done = comparison_.test();
            if (!done) return finish(done.error()), true;
            if (*done) start_gathering();
            return *done;
        }
        case phase::gathering: {
            int done = 0;
            if (auto ok = channel_.check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Iallgather"); !ok.ok())
                return finish(ok), true;
            if (done != 0) summarise();
            return done != 0;
        }
        case phase::over: return false;
    }
    return false;
} catch (const std::bad_alloc&) {
    channel_.desert();
    return finish(no_memory()), true;
}

/// A call may fail on one rank alone, where a message cannot be decoded: then there is nothing to audit on any.
template <class T>
void audited<T>::start_confirming() {
    phase_ = phase::confirming;
    letter_->failed = ended_.ok() ? 0 : 1;
    const int code = MPI_Iallreduce(MPI_IN_PLACE, &letter_->failed, 1, MPI_INT, MPI_MAX, channel_.comm(), &request_);
    if (auto bad = channel_.check(code, "MPI_Iallreduce"); !bad.ok()) finish(bad);
}

template <class T>
void audited<T>::start_comparison() {
    if (letter_->failed != 0) return finish(std::move(ended_));
    const result<cell> ran = find_cell(call_.op, report_.algorithm);
    if (!ran) return finish(ran.error());
    const int ranks = channel_.size();
    const element_promise promise = promise_of(call_, limit_, *ran, ranks, report_);

    model::error_request errors;
    errors.op = call_.op;
    errors.combine = call_.combine;
    errors.what = *ran;
    errors.ranks = errors.contributions = static_cast<std::uint32_t>(ranks);
    errors.quantisations = quantisations_of(call_.op, ran->schedule, ranks);
    errors.contribution_bound = report_.contribution_bound;
    errors.step = report_.step;
    if (ran->schedule == schedule_kind::hierarchical && ranks > 1 && report_.step != 0) {
        // What one node adds up travels raw.
        const int nodes = nodes_of(channel_, ranks_per_node_).count;
        errors.contributions = nodes > 1 ? static_cast<std::uint32_t>(nodes) : 0;
        errors.quantisations = quantisations_of(call_.op, schedule_kind::ring, nodes);
    }
    scales_ = {promise.bound, model::normal_deviation(errors), model::uniform_deviation(errors)};
    phase_ = phase::comparing;
    if (auto bad = comparison_.start(promise, scales_); !bad.ok()) finish(bad);
}

template <class T>
void audited<T>::start_gathering() {
    phase_ = phase::gathering;
    letter_->mine = comparison_.tally();
    constexpr int bytes = sizeof letter_->mine;
    const int code = MPI_Iallgather(&letter_->mine, bytes, MPI_BYTE, letter_->tallies.data(), bytes, MPI_BYTE,
                                    channel_.comm(), &request_);
    if (auto bad = channel_.check(code, "MPI_Iallgather"); !bad.ok()) finish(bad);
}

template <class T>
void audited<T>::summarise() {
    model::error_tally all;
    for (const model::error_tally& of_rank : letter_->tallies) all.merge(of_rank);
    report_.audit = all.summary(scales_);
    finish({});
}

template <class T>
void audited<T>::finish(status why) {
    ended_ = std::move(why);
    phase_ = phase::over;
    comparison_.release();
    call_store::of(channel_).end_turn();
}

template <class T>
result<collective_report> audited<T>::outcome() {
    if (!ended_.ok()) return std::move(ended_);
    return std::move(report_);
}

template class audited<float>;
template class audited<double>;
template class audited<half>;
template class audited<bfloat16>;

}  // namespace laconic::collective
