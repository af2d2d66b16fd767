// SPDX-License-Identifier: BSD-3-Clause
// What the formulas are written in: a question and a machine become a context (piece sizes, links, seconds per byte),
// and a ledger adds up steps, each of which overlaps its messages with the work on them. Private to src/model.
#pragma once

#include <algorithm>
#include <limits>

#include "model/cost.hpp"

namespace laconic::model {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// A way for messages: latency, seconds per byte, processor time per message and per byte.
struct link {
    double alpha_s = 0, beta_s_per_byte = 0, overhead_s = 0, processor_s_per_byte = 0;
    const level* measured = nullptr;  ///< what the link is made of; beta may be more, where ranks share it
    double burst_bytes = 0;           ///< a rank's share of what passes at once after a pause

    /// A step with one message each way, the network idle before.
    [[nodiscard]] double step_s(double size_bytes) const noexcept {
        if (measured == nullptr) return alpha_s + size_bytes * beta_s_per_byte;
        const double shared_s_per_byte = std::max(0.0, beta_s_per_byte - measured->beta_s_per_byte);
        return measured->step_s(size_bytes) + std::max(0.0, size_bytes - burst_bytes) * shared_s_per_byte;
    }
};

/// Seconds of a processor.
struct work {
    double compress = 0, combine = 0, decompress = 0, copy = 0;
    [[nodiscard]] double total() const noexcept { return compress + combine + decompress + copy; }
};

[[nodiscard]] inline work operator*(double times, const work& one) noexcept {
    return {times * one.compress, times * one.combine, times * one.decompress, times * one.copy};
}

[[nodiscard]] inline work operator+(const work& a, const work& b) noexcept {
    return {a.compress + b.compress, a.combine + b.combine, a.decompress + b.decompress, a.copy + b.copy};
}

/// One link of a chain: what it carries, the work of a rank on it, and how much of that delays the next link.
struct hop_load {
    double wire_bytes = 0;
    work busy, delays;
};

/// A question prepared: everything that the formulas ask for.
class context {
public:
    context(const machine& where, const question& what, const cell& how) noexcept;

    const machine& where;
    const question& what;
    payload_kind payload;
    double bytes, ranks, nodes;
    double local;   ///< ranks of the fullest node
    double fewest;  ///< ranks of the emptiest node: lanes between nodes
    /// The sum of the fullest node compresses as one over so many contributions.
    double node_weight;
    double slowdown;  ///< ranks that share a core
    double segment;   ///< uncompressed bytes of a message
    double lanes;     ///< messages of a rank on their way at a time
    /// Work on a segment that overlaps with the same segment's way, as a share of the segment: 1 for none.
    double grain;
    double per_message_s;  ///< machine::message_s where messages are compressed

    [[nodiscard]] double piece() const noexcept { return bytes / ranks; }
    /// Compressed share of a sum over `contributions` values: bits grow with their logarithm, up to uncompressed.
    [[nodiscard]] double fraction(double contributions) const noexcept;
    /// Seconds for `size` bytes of original data whose compressed form is that of a sum over `contributions`.
    [[nodiscard]] double codec_s(work_kind kind, double size, double contributions) const noexcept;
    [[nodiscard]] double add_s(double size) const noexcept { return slowdown * size / where.add_bytes_per_s; }
    [[nodiscard]] double copy_s(double size) const noexcept { return slowdown * size / where.copy_bytes_per_s; }
    [[nodiscard]] double scan_s(double size) const noexcept {
        return slowdown * size / where.scan_bytes_per_s / speedup(size, false);
    }
    [[nodiscard]] double segments(double size) const noexcept;
    /// The processor's share in `messages` that carry `wire_bytes` together.
    [[nodiscard]] double moving_s(const link& over, double messages, double wire_bytes) const noexcept {
        return messages * (over.overhead_s + per_message_s) + slowdown * wire_bytes * over.processor_s_per_byte;
    }

    /// Every rank sends to the next: one rank of a node sends to another node.
    [[nodiscard]] link next() const noexcept;
    /// Every rank exchanges with the one at this distance.
    [[nodiscard]] link exchange(double distance) const noexcept;
    /// Every rank sends to the one at this distance after it.
    [[nodiscard]] link shift(double distance) const noexcept;
    /// One rank of each group of this distance sends over it.
    [[nodiscard]] link tree(double distance) const noexcept;
    /// Every rank sends to all others.
    [[nodiscard]] link all() const noexcept;
    /// One rank sends to, or receives from, all others.
    [[nodiscard]] link star() const noexcept;
    /// Rank i of every node sends to rank i of the next.
    [[nodiscard]] link lanes_between_nodes() const noexcept;

private:
    /// By how much several threads are faster than one at a piece of work on so many bytes of original data.
    [[nodiscard]] double speedup(double size, bool uncompressed) const noexcept;

    const codec_rates* rates_;
    codec_id codec_;
    double size_factor_;
};

/// Number of doublings that reach `count`: the smallest m with 2^m >= count.
[[nodiscard]] inline int doublings(double count) noexcept {
    int steps = 0;
    for (double reach = 1; reach < count; reach *= 2) ++steps;
    return steps;
}
/// The largest power of two <= count.
[[nodiscard]] inline double power_below(double count) noexcept {
    double power = 1;
    while (2 * power <= count) power *= 2;
    return power;
}

/// Calls body(steps, contributions) for the steps 1 .. count of a ring in octaves: in step k a sum over k ranks
/// travels, and within [2^j, 2^(j+1)) its bits are linear in k, so the octave's middle stands for all of it.
template <class Body>
void each_octave(double count, const Body& body) {
    for (double low = 1; low <= count; low *= 2) {
        const double high = std::min(2 * low - 1, count);
        body(high - low + 1, (low + high) / 2);
    }
}

class ledger {
public:
    explicit ledger(const context& in) noexcept
        : in_(in), may_burst_(in.what.nodes > 1 ? in.where.inter.burst_bytes : 0) {}

    /// `steps` equal steps, one after the other; in each a rank sends and receives `size` bytes of original data as
    /// `wire_bytes`, and works on them. Segments overlap: a step lasts as long as its messages, or as the work, or as
    /// the waits for the first segments of every group of lanes, whichever is longest.
    void step(double steps, const link& over, double size, double wire_bytes, const work& busy) noexcept;
    /// A chain of `hops` links over which segments follow each other: the first segment's way plus the slowest link's
    /// time for all others.
    /// hop(k) -> hop_load of the whole array at hop k, for k from 1. `finale`: more work of the last rank.
    template <class Hop>
    void chain(double hops, const link& over, double size, const work& finale, const Hop& hop) noexcept;
    /// Work that nothing overlaps with.
    void alone(const work& busy) noexcept;
    /// Waits for `count` messages without content.
    void wait(double count, const link& over) noexcept;
    /// The first segment has nothing to overlap with.
    void fill(double size, const work& busy) noexcept;

    [[nodiscard]] cost sum() const noexcept { return sum_; }

private:
    void book(double times, const work& busy) noexcept;
    /// Seconds of what lasts `least_s` and sends so many bytes: longer where the link does not let them pass.
    [[nodiscard]] double passing_s(const link& over, double wire_bytes, double least_s) noexcept;

    const context& in_;
    double may_burst_;  ///< bytes that a rank could send at once now
    cost sum_;
};

template <class Hop>
void ledger::chain(double hops, const link& over, double size, const work& finale, const Hop& hop) noexcept {
    const double pieces = in_.segments(size);
    double slowest = 0, pace = 0;
    hop_load heaviest;
    const auto weigh = [&](const hop_load& load) {
        const double wire = load.wire_bytes * over.beta_s_per_byte / pieces;
        const double moving = in_.moving_s(over, 1, load.wire_bytes / pieces);
        const double busy = load.busy.total() / pieces + moving;
        const double way = over.step_s(load.wire_bytes / pieces) + in_.per_message_s + load.delays.total() / pieces;
        const double unwired = std::max(busy, way / in_.lanes);
        if (std::max(wire, unwired) >= slowest) slowest = std::max(wire, unwired), pace = unwired, heaviest = load;
        return way;
    };
    each_octave(hops, [&](double count, double k) {
        const hop_load load = hop(k);
        sum_.total_s += count * weigh(load);
        sum_.latency_s += count * (over.alpha_s + in_.moving_s(over, 1, load.wire_bytes / pieces));
        sum_.wire_s += count * load.wire_bytes * over.beta_s_per_byte / pieces;
        book(count / pieces, load.delays);
    });
    hop_load last = hop(hops);
    last.busy = last.busy + finale;
    static_cast<void>(weigh(last));
    const double rest = pieces - 1;
    sum_.total_s += passing_s(over, rest * heaviest.wire_bytes / pieces, rest * pace);
    sum_.latency_s += rest * (in_.moving_s(over, 1, heaviest.wire_bytes / pieces) + over.alpha_s / in_.lanes);
    sum_.wire_s += rest * heaviest.wire_bytes * over.beta_s_per_byte / pieces;
    book(rest / pieces, heaviest.busy);
    // The last segment's finale has nothing to overlap with.
    sum_.total_s += finale.total() / pieces;
    book(1 / pieces, finale);
}

/// The formulas, by what the operation does. `how` must not be stock.
[[nodiscard]] cost reduction_cost(const context& in, const cell& how) noexcept;
[[nodiscard]] cost movement_cost(const context& in, const cell& how) noexcept;
inline constexpr cost impossible{infinite, infinite, infinite, infinite, infinite, infinite, infinite, infinite};

}  // namespace laconic::model
