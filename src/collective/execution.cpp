// SPDX-License-Identifier: BSD-3-Clause
// The way of a call: arguments, agreement, plan, stages, report.
#include "collective/execution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "base/units.hpp"
#include "codec/payload_codec.hpp"
#include "collective/elements.hpp"
#include "collective/select.hpp"
#include "model/select.hpp"

namespace laconic::collective {
namespace {

/// Shorter arrays travel raw in Rabenseifner's algorithm (proposed by the thesis, ch. 7): latency is all that counts.
constexpr std::size_t rabenseifner_raw_bytes = 64 * 1024;

status check_options(const collective_options& options) {
    if (options.bound_scope > scope::probable)
        return {errc::invalid_argument, "scope " + std::to_string(static_cast<int>(options.bound_scope)) +
                                            "; give result, contribution or probable"};
    if (!(options.confidence > 0 && options.confidence < 1))
        return {errc::invalid_argument,
                "confidence " + base::format_real(options.confidence) + "; give a number between 0 and 1, e.g. 0.9544"};
    if (options.limit.kind != bound_kind::absolute && options.limit.kind != bound_kind::relative)
        return {errc::invalid_argument,
                "bound kind " + std::to_string(static_cast<int>(options.limit.kind)) + "; give absolute or relative"};
    if (!std::isfinite(options.limit.value) || options.limit.value < 0)
        return {errc::invalid_bound,
                "the bound is " + base::format_real(options.limit.value) + "; give a finite value >= 0"};
    if (options.segment_bytes == 0)
        return {errc::invalid_argument, "the segment size is 0 bytes; give a positive one, e.g. 131072"};
    return {};
}

template <class T>
bool overlap(std::span<const T> in, std::span<T> out) noexcept {
    const auto a = reinterpret_cast<std::uintptr_t>(in.data());
    const auto b = reinterpret_cast<std::uintptr_t>(out.data());
    return !in.empty() && !out.empty() && a < b + out.size_bytes() && b < a + in.size_bytes();
}

growth growth_of(operation op, reduction combine) noexcept {
    if (!is_reduction(op)) return growth::none;
    switch (combine) {
        case reduction::sum: return growth::sum;
        case reduction::avg: return growth::average;
        case reduction::prod: return growth::unknown;
        default: return growth::none;
    }
}

/// Partial results are values again on the way.
bool recodes(const cell& what, operation op) noexcept {
    return is_reduction(op) && (what.payload == payload_kind::per_hop || what.payload == payload_kind::pipelined);
}

}  // namespace

template <class T>
status execution<T>::check_arguments(const result<cell>& found) {
    if (auto bad = check_options(options_); !bad.ok()) return bad;
    for (const auto& [data, size, name] :
         {std::tuple{static_cast<const void*>(call_.in.data()), call_.in.size(), "in"},
          std::tuple{static_cast<const void*>(call_.out.data()), call_.out.size(), "out"}})
        if (data == nullptr && size > 0)
            return {errc::invalid_argument,
                    std::string(name) + " is a null buffer of " + std::to_string(size) + " elements"};
    if (auto bad = check_geometry(geometry_); !bad.ok()) return bad;
    const bool whole = call_.op == operation::allreduce || call_.op == operation::reduce ||
                       call_.op == operation::alltoall || call_.op == operation::bcast;
    if (whole && call_.in.data() != call_.out.data() && geometry_.reads() && geometry_.writes() &&
        overlap(call_.in, call_.out))
        return {errc::invalid_argument, "in and out overlap in part; give the same span or disjoint ones"};
    if (call_.combine > reduction::prod)
        return {errc::invalid_argument,
                "operation " + std::to_string(static_cast<int>(call_.combine)) + "; give sum, avg, min, max or prod"};
    if (!found) return found.error();
    const bool streams = what_.payload >= payload_kind::homomorphic && what_.schedule != schedule_kind::chosen;
    if (is_reduction(call_.op) && call_.combine == reduction::prod && streams)
        return {errc::unsupported, "'" + options_.algorithm +
                                       "' adds streams, which products are not made of; use cpr_p2p, c_coll or stock"};
    if (geometry_.varying && what_.schedule == schedule_kind::binomial && call_.op != operation::allgather)
        return {errc::unsupported, "ranks of a tree pass on what they have no counts of; use a pairwise algorithm"};
    if (compresses(what_) && what_.codec != codec_id::fle)
        return codec::check_codec(what_.codec, element_type_of<T>::value, options_.rate);
    return {};
}

template <class T>
value_span execution<T>::span_of_input() const {
    value_span all;
    const auto add = [&](std::span<const T> values) {
        if (values.empty()) return;
        const value_range<T> found = range_of(values);
        if (found.nonfinite == values.size()) return;
        all.min = all.any_finite ? std::min(all.min, static_cast<double>(found.min)) : static_cast<double>(found.min);
        all.max = all.any_finite ? std::max(all.max, static_cast<double>(found.max)) : static_cast<double>(found.max);
        all.max_abs = std::max(all.max_abs, static_cast<double>(found.max_abs));
        all.any_finite = true;
    };
    if (!geometry_.reads()) return all;
    // What lies between the parts does not count.
    if (call_.in_displacements.empty()) add(call_.in);
    for (std::size_t k = 0; k < call_.in_displacements.size(); ++k)
        add(call_.in.subspan(call_.in_displacements[k], call_.in_counts[k]));
    return all;
}

template <class T>
call_shape execution<T>::shape() const noexcept {
    call_shape all;
    all.op = call_.op;
    all.count = geometry_.common_count();
    all.counts = geometry_.counts_digest();
    all.type = element_type_of<T>::value;
    all.combine = is_reduction(call_.op) ? call_.combine : reduction::sum;
    all.root = call_.root;
    all.limit = options_.limit;
    all.bound_scope = options_.bound_scope;
    all.confidence = options_.bound_scope == scope::probable ? options_.confidence : 0;
    all.what = what_;
    all.segment_bytes = options_.segment_bytes;
    all.audit = options_.audit;
    return all;
}

template <class T>
void execution<T>::begin(bool blocking) {
    blocking_ = blocking;
    ended_ = {};
    report_ = {};
    stage_ = stage_count_ = 0;
    levels_ = nullptr;
    what_ = {};
    geometry_ = geometry_of(call_, channel_.rank(), channel_.size());
    const result<cell> found = find_cell(call_.op, options_.algorithm);
    if (found.ok()) what_ = *found;
    const std::size_t bytes = geometry_.buffer_count() * sizeof(T);
    if (what_.schedule == schedule_kind::rabenseifner && bytes < rabenseifner_raw_bytes)
        what_ = {schedule_kind::rabenseifner, payload_kind::raw, codec_id::raw};
    call_store* const store = call_store::of(channel_);
    status local =
        store != nullptr ? check_arguments(found) : status{errc::out_of_memory, "no memory for a collective"};
    if (local.ok()) local = refused_;
    if (store != nullptr) number_ = store->next_call();
    // A rank that cannot go on tells the others where they listen.
    agrees_ = compresses(what_) || options_.check || options_.audit || !found.ok();
    if (local.ok() && what_.schedule != schedule_kind::chosen) local = reserve();
    if (store != nullptr && !blocking) store->forbid_blocking();
    if (store == nullptr || (!agrees_ && !local.ok())) return finish(local);
    blocking_ = blocking && store->may_block();
    const bool collective =
        agrees_ || what_.schedule == schedule_kind::stock || what_.schedule == schedule_kind::hierarchical;
    if (!collective) return run_agreed({});
    local_ = std::move(local);
    turn_ = store->draw_turn();
    has_turn_ = true;
    phase_ = phase::queued;
    if (store->is_turn(turn_)) take_turn();
}

template <class T>
void execution<T>::take_turn() {
    if (what_.schedule == schedule_kind::chosen) {
        if (auto bad = consider(); !bad.ok() && local_.ok()) local_ = bad;
        agrees_ = compresses(what_) || options_.check || options_.audit;
        if (local_.ok() && what_.schedule != schedule_kind::chosen) local_ = reserve();
        if (!agrees_ && !local_.ok()) return finish(local_);
    }
    if (agrees_)
        agree(local_);
    else
        run_agreed({});
}

template <class T>
void execution<T>::end_turn() noexcept {
    if (has_turn_) call_store::of(channel_)->end_turn();
    has_turn_ = false;
}

/// What `auto` can decide without the other ranks: buffers that are too short, and what travels without loss, whatever
/// the values.
template <class T>
status execution<T>::consider() {
    const auto machine = machine_of(options_.machine);
    // A rank that cannot read the file takes part with the built-in figures until it can say so.
    machine_ = machine.ok() ? *machine : &model::default_machine();
    if (geometry_.varying && fits_int(geometry_)) {
        what_ = {};
        return machine.error();
    }
    call_store* const store = call_store::of(channel_);
    const int each = static_cast<int>(options_.ranks_per_node);
    nodes_ = each > 0 ? (channel_.size() + each - 1) / each : channel_.nodes();
    const std::uint64_t bytes = geometry_.buffer_count() * sizeof(T);
    if (lossless())
        what_ = choose(1);
    else if (bytes < store->interesting_bytes(call_.op, *machine_, channel_.size(), nodes_, options_.segment_bytes))
        what_ = {};
    if (what_.schedule == schedule_kind::stock && !fits_int(geometry_))
        what_ = {call_.op <= operation::allgather || call_.op == operation::bcast ? schedule_kind::ring
                                                                                  : schedule_kind::pairwise,
                 payload_kind::raw, codec_id::raw};
    return machine.error();
}

template <class T>
cell execution<T>::choose(double ratio) const {
    model::question asked;
    asked.op = call_.op;
    asked.bytes = geometry_.buffer_count() * sizeof(T);
    asked.ranks = channel_.size();
    asked.nodes = nodes_;
    asked.ratio = std::max(ratio, 1.0);
    asked.growth_bits = growth_of(call_.op, call_.combine) == growth::none ? 0 : 1;
    asked.element_bytes = sizeof(T);
    asked.segment_bytes = options_.segment_bytes;
    if (!model::check(asked).ok()) return {};
    return model::select(*machine_, asked, candidates(call_.op, lossless(), sizeof(T) == 2)).what;
}

template <class T>
void execution<T>::agree(const status& local) {
    value_span mine;
    if (local.ok() && what_.schedule == schedule_kind::chosen) {
        const bool shared = growth_of(call_.op, call_.combine) == growth::sum && options_.bound_scope == scope::result;
        const double share = shared ? 1.0 / channel_.size() : 1.0;
        if (geometry_.reads()) mine.ratio = sample_ratio<T>(call_.in, options_.limit, share);
    } else if (local.ok() && compresses(what_) && channel_.size() > 1) {
        mine = span_of_input();
    }
    phase_ = phase::agreeing;
    if (auto done = agreement_.start(channel_, shape(), mine, local); !done.ok()) finish(done);
}

template <class T>
void execution<T>::decide(double ratio) {
    what_ = choose(ratio);
    status local = reserve();
    // Rows without a codec have nothing more to agree on than whether there is memory.
    if (!compresses(what_) && what_.schedule == schedule_kind::stock) return run_agreed({});
    agree(local);
}

template <class T>
bool execution<T>::advance() {
    switch (phase_) {
        case phase::queued:
            if (!call_store::of(channel_)->is_turn(turn_)) return false;
            take_turn();
            return true;
        case phase::agreeing: {
            const auto agreed = agreement_.test();
            if (!agreed) return finish(agreed.error()), true;
            if (!*agreed) return false;
            if (what_.schedule == schedule_kind::chosen)
                decide(agreement_.values().ratio);
            else
                run_agreed(agreement_.values());
            return true;
        }
        case phase::stock: {
            int done = 0;
            if (auto ok = channel_.check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI collective"); !ok.ok())
                return finish(ok), true;
            if (done != 0) end_stock();
            return done != 0;
        }
        case phase::running: {
            const auto moved = stages_[stage_].advance();
            if (!moved) return finish(moved.error()), true;
            if (*moved == runner::state::done) next_stage();
            return *moved != runner::state::waiting;
        }
        case phase::over: return false;
    }
    return false;
}

template <class T>
void execution<T>::run_agreed(const value_span& values) {
    report_.algorithm = name_of(call_.op, what_);
    if (!geometry_.varying && geometry_.common_count() == 0) return finish({});
    if (channel_.size() == 1) return run_alone();
    if (what_.schedule == schedule_kind::stock) return run_stock();
    if (what_.schedule != schedule_kind::hierarchical || levels_ != nullptr) return start_stages(values);
    const auto found = call_store::of(channel_)->levels(channel_, options_.ranks_per_node);
    if (!found) return finish(found.error());
    levels_ = *found;
    agree(reserve_levels());
}

template <class T>
void execution<T>::run_alone() {
    // One part, wherever the lists say that it lies.
    const auto first = [&](std::span<const std::size_t> list, std::size_t otherwise) {
        return !call_.varying || list.empty() ? otherwise : list[0];
    };
    const std::size_t count = first(call_.in_counts, first(call_.out_counts, call_.in.size()));
    const part all{{first(call_.in_displacements, 0), count}, {first(call_.out_displacements, 0), count}};
    data().copy(all);
    finish({});
}

template <class T>
void execution<T>::run_stock() {
    if (auto bad =
            stock_.prepare(geometry_, element_type_of<T>::value, call_.combine, call_.in.data(), call_.out.data());
        !bad.ok())
        return finish(bad);
    if (blocking_) {
        if (auto done = channel_.check(stock_.run(channel_.comm()), "MPI collective"); !done.ok()) return finish(done);
        return end_stock();
    }
    phase_ = phase::stock;
    if (auto done = channel_.check(stock_.start(channel_.comm(), &request_), "MPI collective"); !done.ok())
        return finish(done);
    end_turn();
}

template <class T>
void execution<T>::end_stock() {
    const bool listed = geometry_.varying && call_.op == operation::reduce_scatter;
    const std::size_t mine = listed ? geometry_.in_counts[static_cast<std::size_t>(geometry_.rank)] : call_.out.size();
    if (divisor() != 1 && geometry_.writes()) divide_elements<T>(call_.out.data(), mine, divisor());
    const double bytes = static_cast<double>(geometry_.buffer_count() * sizeof(T));
    report_.sent_bytes = report_.raw_bytes =
        static_cast<std::uint64_t>(std::llround(sent_share(call_.op, channel_.size()) * bytes));
    report_.messages = 1;
    finish({});
}

/// Every rank's memory is there before the first message moves.
template <class T>
status execution<T>::reserve() {
    if (channel_.size() < 2 || what_.schedule == schedule_kind::stock || what_.schedule == schedule_kind::hierarchical)
        return {};
    stage_request<T> request;
    request.channel = &channel_;
    request.op = call_.op;
    request.what = what_;
    request.root = call_.root;
    request.data = data();
    request.segment_bytes = options_.segment_bytes;
    request.rate = options_.rate;
    request.call = number_;
    request.copies_input = call_.op == operation::alltoall && call_.in.data() == call_.out.data();
    request.copies_input |= call_.op == operation::reduce_scatter && overlap(call_.in, call_.out);
    if (call_.op == operation::alltoall && geometry_.varying) request.longest_piece = job::unknown_length;
    const auto place = [&](std::uint32_t pieces, std::vector<laconic::collective::place>& places) {
        place_pieces(geometry_, pieces, places);
    };
    const std::uint32_t pieces =
        what_.schedule == schedule_kind::binomial || what_.schedule == schedule_kind::recursive_doubling ||
                call_.op == operation::reduce || call_.op == operation::bcast
            ? 1U
        : what_.schedule == schedule_kind::rabenseifner ? std::bit_floor(static_cast<std::uint32_t>(channel_.size()))
                                                        : static_cast<std::uint32_t>(channel_.size());
    request.longest_piece = geometry_.longest_piece(pieces);
    stage_count_ = 1;
    return stages_[0].reserve(request, place);
}

template <class T>
status execution<T>::reserve_levels() {
    // Every lane has a part of whole chunks; local rank k of every node owns part k.
    const auto lanes = static_cast<std::size_t>(levels_->lanes);
    const auto start = [&](std::size_t lane) {
        const std::size_t chunks = (call_.in.size() + codec::chunk_values - 1) / codec::chunk_values;
        return std::min(call_.in.size(), (chunks * lane / lanes) * codec::chunk_values);
    };
    const auto length = [&](std::size_t lane) { return lane < lanes ? start(lane + 1) - start(lane) : 0; };
    std::size_t longest = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) longest = std::max(longest, length(lane));
    const bool shares = levels_->inside->size() > 1;

    stage_request<T> request;
    request.segment_bytes = options_.segment_bytes;
    request.call = number_;
    stage_count_ = 0;
    const auto by_lane = [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        for (std::size_t k = 0; k < pieces; ++k) {
            const std::size_t first = k < lanes ? start(k) : 0;
            places[k] = {first, first, length(k)};
        }
    };
    if (shares) {
        request.channel = levels_->inside;
        request.op = operation::reduce_scatter;
        request.what = {schedule_kind::ring, payload_kind::raw, codec_id::raw};
        request.data = {call_.in, call_.out, call_.combine, 1};
        request.longest_piece = longest;
        if (auto bad = stages_[stage_count_++].reserve(request, by_lane); !bad.ok()) return bad;
    }
    if (levels_->across != nullptr && levels_->nodes > 1) {
        const auto lane = static_cast<std::size_t>(levels_->inside->rank());
        request.channel = levels_->across;
        request.op = operation::allreduce;
        request.what = {schedule_kind::ring, what_.payload, what_.codec};
        const std::span<T> out = call_.out.subspan(start(lane), length(lane));
        request.data = {shares ? std::span<const T>(out) : call_.in.subspan(start(lane), length(lane)), out,
                        call_.combine, 1};
        geometry across;
        across.op = operation::allreduce;
        across.rank = levels_->across->rank();
        across.ranks = levels_->across->size();
        across.in_count = across.out_count = length(lane);
        request.longest_piece = across.longest_piece(static_cast<std::uint32_t>(across.ranks));
        const auto evenly = [&](std::uint32_t pieces, std::vector<place>& places) {
            place_pieces(across, pieces, places);
        };
        if (auto bad = stages_[stage_count_++].reserve(request, evenly); !bad.ok()) return bad;
    }
    if (shares) {
        request.channel = levels_->inside;
        request.op = operation::allgather;
        request.what = {schedule_kind::ring, payload_kind::raw, codec_id::raw};
        request.data = {call_.out, call_.out, call_.combine, 1};
        request.longest_piece = longest;
        if (auto bad = stages_[stage_count_++].reserve(request, by_lane); !bad.ok()) return bad;
    }
    return {};
}

template <class T>
quantisation_request execution<T>::request(const value_span& values) const noexcept {
    quantisation_request all;
    all.limit = options_.limit;
    all.bound_scope = options_.bound_scope;
    all.confidence = options_.confidence;
    all.errors = growth_of(call_.op, call_.combine);
    const bool adds = all.errors == growth::sum || all.errors == growth::average;
    all.ranks = adds ? static_cast<std::uint32_t>(channel_.size()) : 1;
    all.quantisations = quantisations_of(call_.op, what_.schedule, channel_.size());
    all.min = values.min;
    all.max = values.max;
    all.max_abs = values.max_abs;
    all.any_finite = values.any_finite;
    return all;
}

template <class T>
quantisation<T> execution<T>::plan_for(const value_span& values) const noexcept {
    if (!compresses(what_)) return {};
    if (what_.schedule == schedule_kind::hierarchical) return plan_for_levels(values);
    return recodes(what_, call_.op) ? quantise_per_hop<T>(request(values)) : quantise_once<T>(request(values));
}

/// The contributions are the sums of the nodes, rounded to T.
template <class T>
quantisation<T> execution<T>::plan_for_levels(const value_span& values) const noexcept {
    quantisation_request asked = request(values);
    const double ranks = channel_.size();
    const bool adds = asked.errors == growth::sum || asked.errors == growth::average;
    const double rounding = adds ? rounding_of_sums<T>(asked.ranks, values.max_abs) : 0.0;
    const double scale = asked.errors == growth::average ? ranks : 1.0;
    const bool shared = asked.bound_scope != scope::contribution;
    const auto nodes = static_cast<std::uint32_t>(levels_->nodes);
    double e = absolute_bound(asked) * scale;
    if (shared || asked.errors == growth::average) e = std::max(e - rounding, 0.0);
    if (asked.errors == growth::average) asked.errors = growth::sum, asked.bound_scope = scope::result;
    asked.limit = bound::abs(e);
    if (adds) asked.ranks = asked.quantisations = nodes;
    if (adds) asked.max_abs *= ranks - nodes + 1;
    quantisation<T> plan = recodes(what_, call_.op) ? quantise_per_hop<T>(asked) : quantise_once<T>(asked);
    plan.result_bound = (plan.result_bound + rounding) / scale;
    return plan;
}

template <class T>
void execution<T>::start_stages(const value_span& values) {
    end_turn();
    plan_ = plan_for(values);
    phase_ = phase::running;
    if (stage_count_ == 0) return next_stage();
    stages_[0].start(plan_);
}

template <class T>
void execution<T>::next_stage() {
    if (stage_ < stage_count_) ++stage_;
    if (stage_ < stage_count_) return stages_[stage_].start(plan_);
    if (what_.schedule == schedule_kind::hierarchical && divisor() != 1)
        divide_elements<T>(call_.out.data(), call_.out.size(), divisor());
    for (std::size_t i = 0; i < stage_count_; ++i) {
        const traffic& sent = stages_[i].sent();
        const phase_times& times = stages_[i].times();
        report_.sent_bytes += sent.sent_bytes;
        report_.raw_bytes += sent.sent_values * sizeof(T);
        report_.messages += sent.messages;
        report_.compress_s += times.compress_s;
        report_.combine_s += times.combine_s;
        report_.decompress_s += times.decompress_s;
        report_.workspace_bytes += stages_[i].memory_bytes();
    }
    if (compresses(what_)) {
        const bool unbounded = what_.codec == codec_id::zfp_rate;
        report_.step = static_cast<double>(plan_.how.step);
        report_.contribution_bound = unbounded ? std::numeric_limits<double>::infinity() : plan_.contribution_bound;
        report_.result_bound = unbounded ? std::numeric_limits<double>::infinity() : plan_.result_bound;
    }
    finish({});
}

template <class T>
void execution<T>::finish(status why) {
    ended_ = std::move(why);
    phase_ = phase::over;
    end_turn();
    for (stage<T>& used : stages_) used.release();
}

template <class T>
result<collective_report> execution<T>::outcome() {
    if (!ended_.ok()) return ended_;
    return std::move(report_);
}

template class execution<float>;
template class execution<double>;
template class execution<half>;
template class execution<bfloat16>;

}  // namespace laconic::collective
