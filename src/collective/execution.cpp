// SPDX-License-Identifier: BSD-3-Clause
// The way of a call: arguments, agreement, plan, run, report.
#include "collective/execution.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "codec/float_environment.hpp"
#include "collective/call_check.hpp"
#include "collective/call_plan.hpp"
#include "collective/elements.hpp"
#include "collective/own_operation.hpp"
#include "mpi/eager.hpp"

namespace laconic::collective {

template <class T>
call_shape execution<T>::shape() const noexcept {
    call_shape all;
    all.op = call_.op;
    all.count = geometry_.common_count();
    all.counts = geometry_.counts_digest();
    all.type = element_type_of<T>::value;
    all.combine = comparable(call_.op, call_.combine);
    all.root = call_.root;
    all.limit = options_.limit;
    all.bound_scope = options_.bound_scope;
    all.confidence = options_.bound_scope == scope::probable ? options_.confidence : 0;
    all.what = what_;
    all.segment_bytes = options_.segment_bytes;
    if (what_.codec == codec_id::zfp_rate) all.rate = options_.rate;
    all.ranks_per_node = options_.ranks_per_node;  // messages are as long as suits the nodes
    if (asks() || what_.schedule == schedule_kind::hierarchical) all.shared_memory = options_.shared_memory;
    if (asks()) all.machine = chooser_->machine().digest, all.codec_threads = options_.codec_threads;
    all.audit = options_.audit;
    all.checks = options_.check && (asks() || !knows_all_counts(call_.op, call_.varying));
    return all;
}

template <class T>
void execution<T>::begin(bool blocking) try {
    blocking_ = blocking;
    prepare();
} catch (const std::bad_alloc&) {
    desert();
}

template <class T>
void execution<T>::prepare() {
    ended_ = {}, report_ = {};
    levels_ = nullptr, run_ = nullptr;
    counted_ = ran_ = false;
    chooser_.reset();
    what_ = {};
    if (channel_.broken()) return finish(broken());
    store_.under_way().enter(under_way_, store_.next_call());
    if (!blocking_) store_.forbid_blocking();
    blocking_ = blocking_ && store_.may_block();
    geometry_ = geometry_of(call_, channel_.rank(), channel_.size());
    result<cell> found = presumed_ ? result<cell>(*presumed_) : find_cell(call_.op, options_.algorithm);
    if (found.ok()) what_ = *found = model::as_run(*found, buffer_bytes());
    status local = refused_.ok() ? check_call<T>(call_, geometry_, options_, found) : refused_;
    // A rank that cannot go on tells the others where they listen.
    agrees_ = needs_agreement(what_) || options_.check || options_.audit || !found.ok();
    is_sound_ = local.ok();
    const bool waits_for_turn = what_.schedule == schedule_kind::chosen || what_.schedule == schedule_kind::stock;
    if (local.ok() && !agrees_ && !waits_for_turn) local = reserve();
    if (!agrees_ && !waits_for_turn) return local.ok() ? run_agreed({}) : give_up(local);
    local_ = std::move(local);
    turn_ = store_.draw_turn(channel_);
    has_turn_ = true;
    phase_ = phase::queued;
    if (store_.is_turn(turn_) && !channel_.broken()) take_turn();
}

template <class T>
void execution<T>::take_turn() {
    if (what_.schedule == schedule_kind::chosen) {
        chooser_.emplace(
            store_, choice_request{&geometry_, &options_, call_.combine, element_type_of<T>::value, sizeof(T),
                                   nodes_of(channel_, options_.ranks_per_node), agreed_threads_of(options_, channel_)});
        if (auto bad = chooser_->consider(what_, local_.ok()); !bad.ok() && local_.ok()) local_ = bad;
        agrees_ = asks() || needs_agreement(what_) || options_.check || options_.audit;
    }
    if (local_.ok() && what_.schedule != schedule_kind::chosen) local_ = make_ready();
    if (!agrees_ && !local_.ok()) return give_up(local_);
    agrees_ ? agree(local_) : run_agreed({});
}

template <class T>
void execution<T>::end_turn() noexcept {
    if (std::exchange(has_turn_, false)) store_.end_turn();
}

template <class T>
void execution<T>::agree(const status& local) {
    value_span mine;
    // Ranks that are about to decide, to meet, or to count, agree once more.
    const bool may_run = what_.schedule != schedule_kind::chosen && is_ready();
    if (local.ok() && compresses(what_) && channel_.size() > 1 && may_run)
        mine = span_of<T>(call_.in, geometry_, threads_of(options_, channel_));
    if (local.ok() && asks() && !chooser_->has_settled()) look_at_values(mine, may_run);
    if (learns()) mine.share = store_.shares().seen(kind());
    phase_ = phase::agreeing;
    if (auto done = agreement_.emplace().start(channel_, store_.letter(), shape(), mine, local); !done.ok())
        finish(done);
}

/// What is decided by. Where the call may run by what is agreed on, `mine` is the range of all values, and stays so.
template <class T>
void execution<T>::look_at_values(value_span& mine, bool may_run) {
    const double share = share_of_bound(call_.op, call_.combine, options_, channel_.size());
    const value_sample seen = sample_of<T>(values_to_sample<T>(call_.in, geometry_), options_.limit, share,
                                           mine.any_finite ? &mine : nullptr);
    mine.sample = joined({&seen, 1}, options_.limit, share);
    if (!may_run) static_cast<finite_range&>(mine) = seen;
    mine.elements = reach_of(geometry_);
    mine.last_s = chooser_->last_s();
}

template <class T>
void execution<T>::agreed() {
    const value_span& values = agreement_->values();
    if (!asks() || chooser_->settle(values, what_)) return run_agreed(values);
    const status local = make_ready();
    // What nobody compresses, counts or checks has nothing more to agree on.
    if (what_.schedule != schedule_kind::stock || !is_ready() || options_.check || options_.audit) return agree(local);
    local.ok() ? run_agreed({}) : give_up(local);
}

template <class T>
bool execution<T>::advance() try {
    if (phase_ != phase::over && channel_.broken()) return finish(broken()), true;
    return move();
} catch (const std::bad_alloc&) {
    desert();
    return true;
}

template <class T>
bool execution<T>::move() {
    switch (phase_) {
        case phase::queued:
            if (!store_.is_turn(turn_)) return false;
            take_turn();
            return true;
        case phase::agreeing: {
            auto done = agreement_->test();
            if (!done) store_.refused(done.code());
            if (!done) return finish(std::move(done).error()), true;
            if (*done) agreed();
            return *done;
        }
        case phase::meeting: {
            const auto done = meeting_->test();
            if (!done) return finish(done.error()), true;
            if (*done) is_ready() ? agree(reserve()) : count();
            return *done;
        }
        case phase::counting: {
            const auto done = counting_->test();
            if (!done) return finish(done.error()), true;
            if (*done) counted();
            return *done;
        }
        case phase::stock: return test_stock();
        case phase::held: return set_out();
        case phase::running: return advance_run();
        case phase::blocking_stock:
        case phase::over: return false;
    }
    return false;
}

template <class T>
void execution<T>::run_agreed(const value_span& values) {
    ran_ = true;
    if (moves_nothing()) return channel_.size() == 1 ? run_alone() : finish({});
    if (what_.schedule == schedule_kind::hierarchical && !knows_levels()) return meet();
    if (!is_ready()) return count();
    if (what_.schedule == schedule_kind::stock) return run_stock();
    start(values);
}

/// In the turn: a first call of this hierarchy has met before the next one looks.
template <class T>
status execution<T>::make_ready() try {
    levels_ = nullptr;
    if (what_.schedule == schedule_kind::hierarchical) {
        levels_ = store_.levels(channel_, options_.ranks_per_node, options_.shared_memory);
        if (levels_ == nullptr) return no_memory();
        if (!knows_levels()) meeting_.emplace().reserve(channel_);
    }
    if (tells_counts()) counting_.emplace().reserve(channel_, geometry_, levels_, options_.check);
    return reserve();
} catch (const std::bad_alloc&) {
    return no_memory();
}

/// The ranks of the nodes find their memory, and then all agree once more: now they know what to reserve.
template <class T>
void execution<T>::meet() {
    phase_ = phase::meeting;
    if (auto done = meeting_->start(channel_, *levels_); !done.ok()) finish(done);
}

/// The ranks tell each other their counts, and then agree once more: now they know what to reserve.
template <class T>
void execution<T>::count() {
    phase_ = phase::counting;
    if (auto done = counting_->start(); !done.ok()) finish(done);
}

template <class T>
void execution<T>::counted() {
    counted_ = true;
    const status fits = counting_->verdict();
    agree(fits.ok() ? reserve() : fits);
}

template <class T>
void execution<T>::run_alone() {
    const auto [in, out, count] = own_part_of(geometry_);
    if (count > 0) arrays<T>{call_.in, call_.out, call_.combine, divisor(), {}}.copy({{in, count}, {out, count}});
    finish({});
}

template <class T>
void execution<T>::run_stock() {
    phase_ = blocking_ ? phase::blocking_stock : phase::stock;
    if (blocking_) return;
    if (auto bad = stock_.start(); !bad.ok()) return finish(bad);
    end_turn();
}

template <class T>
bool execution<T>::block() try {
    if (phase_ != phase::blocking_stock) return false;
    if (auto done = channel_.check(stock_.run(channel_.comm()), "MPI collective"); !done.ok())
        finish(done);
    else
        end_stock();
    return true;
} catch (const std::bad_alloc&) {
    // For the text of a failure.
    channel_.mark_broken();
    finish(no_memory());
    return true;
}

template <class T>
bool execution<T>::test_stock() {
    const auto done = stock_.test();
    if (!done) return finish(done.error()), true;
    if (*done) end_stock();
    return *done;
}

template <class T>
void execution<T>::end_stock() {
    stock_.finish<T>(geometry_, divisor(), call_.out, report_);
    finish({});
}

template <class T>
stage_request<T> execution<T>::request() const {
    const codec::float_environment standard;
    stage_request<T> all;
    all.channel = &channel_;
    all.who = &store_.everybody();
    all.op = call_.op;
    all.what = what_;
    all.root = call_.root;
    all.data = {call_.in, call_.out, call_.combine, divisor(), own_operation<T>(&call_.custom)};
    const int nodes = nodes_of(channel_, options_.ranks_per_node).count;
    all.segment_bytes = model::grown_segment_bytes_of(model::schedule_between(what_.schedule, call_.op), what_.payload,
                                                      learns() ? store_.shares().agreed(kind()) : 0,
                                                      options_.segment_bytes, nodes, mpi::eager_bytes);
    all.node_segment_bytes = model::segment_bytes_of(payload_kind::raw, options_.segment_bytes, 1, mpi::eager_bytes);
    all.rate = options_.rate;
    all.threads = threads_of(options_, channel_);
    all.call = under_way_.number();
    all.copies_input = call_.op == operation::alltoall && call_.in.data() == call_.out.data();
    all.copies_input |= call_.op == operation::reduce_scatter && overlap(call_.in, call_.out);
    return all;
}

/// One that an earlier start has left behind, or a new one.
template <class T>
template <class Moving>
Moving& execution<T>::in_place() {
    Moving* const there = std::get_if<Moving>(&moving_);
    Moving& used = there != nullptr ? *there : moving_.template emplace<Moving>();
    run_ = &used;
    return used;
}

/// Every rank's memory is there before the first message moves.
template <class T>
status execution<T>::reserve() try {
    report_.algorithm = name_of(call_.op, what_);
    if (auto* const before = std::exchange(run_, nullptr)) before->release();
    stock_.release();
    if (moves_nothing() || !is_ready()) return {};
    if (what_.schedule == schedule_kind::stock)
        return stock_.prepare(channel_, geometry_, element_type_of<T>::value, call_.combine, call_.custom,
                              call_.in.data(), call_.out.data());
    if (what_.schedule == schedule_kind::hierarchical) {
        const std::span<const std::size_t> told = counted_ ? counting_->counts() : std::span<const std::size_t>{};
        if (cutting_of(call_.op) == cutting::by_rank)
            return in_place<piece_levels<T>>().reserve(request(), *levels_, geometry_, told);
        if (call_.op == operation::alltoall)
            return in_place<exchange_levels<T>>().reserve(request(), *levels_, geometry_, told);
        return in_place<array_levels<T>>().reserve(request(), *levels_);
    }
    return in_place<stage<T>>().reserve(request(), [&](std::uint32_t pieces, std::vector<place>& places) {
        place_pieces(geometry_, pieces, places);
        return geometry_.longest_piece(pieces);
    });
} catch (const std::bad_alloc&) {
    return no_memory();
}

template <class T>
void execution<T>::start(const value_span& values) {
    plan_ = plan_call<T>(
        {call_.op, call_.combine, what_, options_.limit, options_.bound_scope, options_.confidence, channel_.size(),
         levels_ != nullptr ? levels_->nodes : 1, levels_ != nullptr ? levels_->largest_node : 1},
        values);
    if (learns()) store_.shares().agree_on(kind(), values.share);
    phase_ = phase::held;
    set_out();
}

/// In the turn: runs of the hierarchy begin in the same order on all ranks. False: an earlier call has its tags.
template <class T>
bool execution<T>::set_out() {
    if (!store_.under_way().has_tags(under_way_)) {
        if (!store_.under_way().is_first_given_up()) return false;
        return desert(broken()), true;
    }
    phase_ = phase::running;
    if (asks() && blocking_) started_ = std::chrono::steady_clock::now();
    run_->start(plan_);
    end_turn();
    return true;
}

template <class T>
bool execution<T>::advance_run() {
    const auto moved = run_->advance();
    if (!moved) return finish(moved.error()), true;
    if (*moved != runner::state::done) return *moved != runner::state::waiting;
    run_->add_to(report_);
    if (learns()) note_share();
    if (asks() && blocking_)
        chooser_->ran(std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count());
    if (compresses(what_)) describe<T>(plan_, what_.codec, report_);
    finish({});
    return true;
}

template <class T>
void execution<T>::give_up(const status& why) {
    // What has drawn its turn since would meet this call of the others.
    const bool was_none = !is_sound_ && why.code() != errc::out_of_memory;
    was_none && (!has_turn_ || store_.is_last_turn(turn_)) ? under_way_.give_up(has_turn_) : channel_.desert();
    finish(why);
}

template <class T>
void execution<T>::finish(status why) {
    ended_ = std::move(why);
    if (ended_.code() == errc::mpi) channel_.mark_broken();
    phase_ = phase::over;
    end_turn();
    if (!under_way_.is_given_up()) under_way_.leave();
    if (run_ != nullptr) run_->release();
    stock_.release();
    if (counting_) counting_->release();
    if (agreement_) agreement_->release();
}

template <class T>
result<collective_report> execution<T>::outcome() {
    if (under_way_.is_given_up()) {
        if (!store_.take_back_call(under_way_.number())) channel_.desert();
        under_way_.leave();
    }
    if (!ended_.ok()) return std::move(ended_);
    return std::move(report_);
}

template class execution<float>;
template class execution<double>;
template class execution<half>;
template class execution<bfloat16>;

}  // namespace laconic::collective
