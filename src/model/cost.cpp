// SPDX-License-Identifier: BSD-3-Clause
// Questions in, checked and prepared contexts and sums of steps out; the way to the formulas of each operation.
#include "model/cost.hpp"

#include <cmath>
#include <string>

#include "base/units.hpp"
#include "model/ledger.hpp"

namespace laconic::model {
namespace {

status refuse(const std::string& what) { return {errc::invalid_argument, what}; }

double whole_above(double x) noexcept {
    const auto floor = static_cast<double>(static_cast<std::uint64_t>(x));
    return floor < x ? floor + 1 : floor;
}

/// `sharing`: ranks that send over the same link at once.
link over(const level& way, double beta, double sharing = 1) noexcept {
    return {way.alpha_s, beta, way.overhead_s, way.processor_s_per_byte, &way, way.burst_bytes / sharing};
}

link slower(const link& a, const link& b) noexcept {
    return {std::max(a.alpha_s, b.alpha_s),
            std::max(a.beta_s_per_byte, b.beta_s_per_byte),
            std::max(a.overhead_s, b.overhead_s),
            std::max(a.processor_s_per_byte, b.processor_s_per_byte),
            a.alpha_s > b.alpha_s ? a.measured : b.measured,
            std::max(a.burst_bytes, b.burst_bytes)};
}

/// The ranks compare a few numbers, by doubling distances.
double talk_s(const context& in) noexcept {
    double sum = 0, distance = 1;
    for (int i = doublings(in.ranks); i > 0; --i, distance *= 2) {
        const link way = in.exchange(distance);
        sum += way.alpha_s + way.overhead_s;
    }
    return sum;
}

}  // namespace

status check(const question& what) {
    if (what.ranks < 1) return refuse("ranks is " + std::to_string(what.ranks) + "; give at least 1");
    if (what.nodes < 1 || what.nodes > what.ranks)
        return refuse("nodes is " + std::to_string(what.nodes) + "; give 1 to " + std::to_string(what.ranks) +
                      ", the number of ranks");
    if (!(what.ratio >= 1 && what.ratio <= 1e9))
        return refuse("the ratio is " + base::format_real(what.ratio) + "; give original / compressed size, 1 to 1e9");
    if (!(what.growth_bits >= 0 && what.growth_bits <= 64))
        return refuse("the growth is " + base::format_real(what.growth_bits) + " bits; give 0 to 64");
    if (what.element_bytes != 2 && what.element_bytes != 4 && what.element_bytes != 8)
        return refuse("an element of " + std::to_string(what.element_bytes) + " bytes; give 2, 4 or 8");
    if (what.threads < 1 || what.threads > most_threads)
        return refuse("threads is " + std::to_string(what.threads) + "; give 1 to " + std::to_string(most_threads));
    return {};
}

context::context(const machine& machine_in, const question& question_in, const cell& how) noexcept
    : where(machine_in),
      what(question_in),
      payload(how.payload),
      bytes(static_cast<double>(question_in.bytes)),
      ranks(question_in.ranks),
      nodes(question_in.nodes),
      local(question_in.largest_node > 0 ? question_in.largest_node : whole_above(ranks / nodes)),
      fewest(question_in.smallest_node > 0 ? question_in.smallest_node : std::floor(ranks / nodes)),
      node_weight(std::max(1.0, local / (question_in.node_step > 0 ? question_in.node_step : ranks / nodes))),
      slowdown(machine_in.cores > 0 ? std::max(1.0, local / machine_in.cores) : 1),
      segment(static_cast<double>(segment_bytes_of(how.payload, question_in.segment_bytes, question_in.nodes,
                                                   static_cast<std::uint64_t>(machine_in.eager_bytes)))),
      grain(1),
      per_message_s(how.payload == payload_kind::raw ? 0 : machine_in.message_s),
      rates_(machine_in.rates_of(how.codec)),
      codec_(how.codec),
      size_factor_(rates_ == nullptr ? 1 : rates_->size_factor) {
    const bool raw = payload == payload_kind::raw;
    const schedule_kind between = schedule_between(how.schedule, what.op);
    const std::uint64_t grown =
        grown_segment_bytes_of(between, payload, fraction(is_reduction(what.op) ? ranks : 1), what.segment_bytes,
                               what.nodes, static_cast<std::uint64_t>(machine_in.eager_bytes));
    const bool goes_whole = what.op == operation::bcast || what.op == operation::reduce;
    segment =
        std::max(segment, std::min(static_cast<double>(grown), bytes / (goes_whole ? 1 : ranks) / compressed_cuts));
    lanes = std::min(raw ? machine_in.lanes_raw : machine_in.lanes_compressed,
                     static_cast<double>(lanes_of(between, payload, static_cast<std::uint64_t>(segment))));
    if (payload == payload_kind::pipelined)
        grain = std::min(1.0, double{pipeline_values} * what.element_bytes / segment);
}

double context::fraction(double contributions) const noexcept {
    if (payload == payload_kind::raw) return 1;
    const double whole = 8.0 * what.element_bytes;
    return std::min(1.0, size_factor_ / what.ratio + what.growth_bits * log2_piecewise(contributions) / whole);
}

double context::codec_s(work_kind kind, double size, double contributions) const noexcept {
    if (rates_ == nullptr) return infinite;
    const double small = fraction(contributions);
    // Arrays become integers as a whole, everything else happens message by message.
    const double piece = kind == work_kind::quantise ? size : std::min(size, segment);
    return slowdown * size * rates_->seconds_per_byte(kind, small) / speedup(piece, small > 0.75);
}

double context::speedup(double size, bool uncompressed) const noexcept {
    // As codec/crew.hpp and payload_coded have it: two parts at least. Of the other codecs only pipelines are divided.
    constexpr double chunk_values = 2048, chunks = 32, raw_chunks = 4, portions = 2;
    double least = (uncompressed ? raw_chunks : chunks) * chunk_values;
    if (codec_ != codec_id::fle && codec_ != codec_id::raw)
        least = payload == payload_kind::pipelined ? portions * pipeline_values : infinite;
    if (what.threads < 2 || size < least * what.element_bytes) return 1;
    return 1 + (static_cast<double>(what.threads) - 1) * where.thread_gain;
}

double context::segments(double size) const noexcept { return std::max(1.0, whole_above(size / segment)); }

link context::next() const noexcept {
    const link inside = over(where.intra, where.intra.beta_s_per_byte);
    const link outside = over(where.inter, std::max(where.inter.beta_s_per_byte, where.host_beta_s_per_byte));
    if (what.nodes == 1) return inside;
    return local < 2 ? outside : slower(inside, outside);
}

link context::exchange(double distance) const noexcept {
    if (what.nodes == 1 || distance < local)
        return over(where.intra, where.intra.beta_s_per_byte * where.intra.exchange_factor);
    return over(where.inter,
                std::max(where.inter.beta_s_per_byte * where.inter.exchange_factor, local * where.host_beta_s_per_byte),
                local);
}

link context::shift(double distance) const noexcept {
    const link inside = over(where.intra, where.intra.beta_s_per_byte);
    if (what.nodes == 1) return inside;
    const double leaving = std::min(distance, local);
    const link outside =
        over(where.inter, std::max(where.inter.beta_s_per_byte, leaving * where.host_beta_s_per_byte), leaving);
    return distance < local ? slower(inside, outside) : outside;
}

link context::tree(double distance) const noexcept {
    if (what.nodes == 1 || distance < local) return over(where.intra, where.intra.beta_s_per_byte);
    return over(where.inter, std::max(where.inter.beta_s_per_byte, where.host_beta_s_per_byte));
}

link context::all() const noexcept {
    if (what.nodes == 1) return over(where.intra, where.intra.beta_s_per_byte);
    // Of a rank's ranks - 1 messages, ranks - local leave the node, and so do those of its `local` neighbours.
    const double leaving = (ranks - local) / (ranks - 1);
    return over(where.inter, std::max(where.inter.beta_s_per_byte, local * leaving * where.host_beta_s_per_byte),
                local);
}

link context::star() const noexcept {
    if (what.nodes == 1) return over(where.intra, where.intra.beta_s_per_byte);
    return over(where.inter, std::max(where.inter.beta_s_per_byte, where.host_beta_s_per_byte));
}

link context::lanes_between_nodes() const noexcept {
    return over(where.inter, std::max(where.inter.beta_s_per_byte, fewest * where.host_beta_s_per_byte), fewest);
}

void ledger::book(double times, const work& busy) noexcept {
    sum_.compress_s += times * busy.compress;
    sum_.combine_s += times * busy.combine;
    sum_.decompress_s += times * busy.decompress;
    sum_.copy_s += times * busy.copy;
}

void ledger::step(double steps, const link& way, double size, double wire_bytes, const work& busy) noexcept {
    const double pieces = in_.segments(size);
    const double groups = whole_above(pieces / in_.lanes);
    const double wire = wire_bytes * way.beta_s_per_byte;
    const double moving = in_.moving_s(way, pieces, wire_bytes);
    const double hands = busy.total() + moving;
    // A segment on its way, and the work on it; pipelines overlap the two.
    const double way_s = way.step_s(wire_bytes / pieces), work_s = busy.total() / pieces + in_.per_message_s;
    const double carried_s = std::max(0.0, way_s - way.alpha_s);
    const double first = way_s + work_s - (1 - in_.grain) * std::min(carried_s, work_s);
    sum_.total_s += passing_s(way, steps * wire_bytes, steps * std::max(hands, groups * first));
    sum_.latency_s += steps * (groups * way.alpha_s + moving);
    sum_.wire_s += steps * wire;
    book(steps, busy);
}

double ledger::passing_s(const link& over, double wire_bytes, double least_s) noexcept {
    const double beta = over.beta_s_per_byte, burst = over.burst_bytes;
    if (!(burst > 0)) return std::max(least_s, wire_bytes * beta);
    may_burst_ = std::min(may_burst_, burst);
    const double seconds = std::max(least_s, (wire_bytes - may_burst_) * beta);
    may_burst_ = std::clamp(may_burst_ + seconds / beta - wire_bytes, 0.0, burst);
    return seconds;
}

void ledger::alone(const work& busy) noexcept {
    const level& outside = in_.where.inter;
    const double beta = std::max(outside.beta_s_per_byte, in_.local * in_.where.host_beta_s_per_byte);
    may_burst_ = std::min(may_burst_ + busy.total() / beta, outside.burst_bytes);
    sum_.total_s += busy.total();
    book(1, busy);
}

void ledger::wait(double count, const link& way) noexcept {
    const double each = way.alpha_s + way.overhead_s;
    sum_.total_s += count * each;
    sum_.latency_s += count * each;
}

void ledger::fill(double size, const work& busy) noexcept {
    const double pieces = in_.segments(size);
    // A single segment overlaps with nothing in its step either: it is in there whole.
    if (pieces < 2) return;
    sum_.total_s += busy.total() / pieces;
    sum_.latency_s += busy.total() / pieces;
}

cost estimate(const machine& where, const question& what, const cell& how) noexcept {
    if (what.ranks < 2) return {};
    if (how.schedule == schedule_kind::stock) return estimate_stock(where, what);
    const cell run = as_run(how, what.bytes);
    const context in(where, what, run);
    cost sum = is_reduction(what.op) ? reduction_cost(in, run) : movement_cost(in, run);
    // Not finite: a codec without rates.
    if (!(sum.total_s < infinite)) return impossible;
    // What travels as it is needs no range, and nobody to compare it with.
    const bool raw = run.payload == payload_kind::raw;
    sum.agreement_s = raw ? where.call_raw_s : where.call_s;
    if (!raw || how.schedule == schedule_kind::hierarchical) sum.agreement_s += talk_s(in);
    sum.total_s += sum.agreement_s;
    // What a step takes beyond the parts that are known of it is waiting.
    const double known = sum.agreement_s + sum.wire_s + sum.compress_s + sum.combine_s + sum.decompress_s + sum.copy_s;
    sum.latency_s = std::max(sum.latency_s, sum.total_s - known);
    sum.factor = where.row_factor(what.op, run, what.nodes, static_cast<double>(what.bytes));
    for (double* const part : {&sum.total_s, &sum.agreement_s, &sum.latency_s, &sum.wire_s, &sum.compress_s,
                               &sum.combine_s, &sum.decompress_s, &sum.copy_s})
        *part *= sum.factor;
    return sum;
}

double sampling_s(const machine& where, const question& what) noexcept {
    if (what.ranks < 2) return 0;
    const context in(where, what, {schedule_kind::chosen, payload_kind::fused, codec_id::fle});
    const bool is_gathered = what.op == operation::allgather || what.op == operation::gather;
    const double share = is_gathered ? 1 / in.ranks : 1;
    const double values =
        std::min(share * in.bytes / what.element_bytes / sampled_share, static_cast<double>(sampled_values));
    const double looked_at = values * what.element_bytes;
    const double look = in.codec_s(work_kind::compress, looked_at, 1);
    return in.scan_s(looked_at) + (look < infinite ? look : 0);
}

double asking_s(const machine& where, const question& what) noexcept {
    if (what.ranks < 2) return 0;
    const context in(where, what, {schedule_kind::chosen, payload_kind::fused, codec_id::fle});
    return where.call_s + talk_s(in) + sampling_s(where, what);
}

}  // namespace laconic::model
