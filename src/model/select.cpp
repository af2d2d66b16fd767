// SPDX-License-Identifier: BSD-3-Clause
// Predictions in, decisions out.
#include "model/select.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/float_environment.hpp"

namespace laconic::model {
namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 40;
constexpr std::uint64_t steps_per_octave = 8;

/// Predictions closer than this are as good as equal.
constexpr double hair = 1.01;

bool is_raw(const cell& one, const question& what) noexcept {
    return as_run(one, what.bytes).payload == payload_kind::raw;
}

/// A hierarchy of nodes that have one rank each is the way between nodes, and copies. Memory that was not timed may be
/// faster than any codec, and often is. Where a sample hardly shrinks, the rest may not shrink at all, and be beyond
/// the reach of the bound: sums take ten times as long there. And that one of two uncompressed algorithms is the faster
/// one is not known by formulas.
bool is_choice(const machine& where, const cell& one, const question& what) noexcept {
    const bool raw = is_raw(one, what);
    if (raw && !where.has_timed(what.op, as_run(one, what.bytes), what.nodes)) return false;
    if (!raw && what.nodes == 1 && where.calibrated_nodes != 1) return false;
    if (!raw && std::min(what.ratio, what.worst_ratio) < least_ratio) return false;
    if (one.schedule == schedule_kind::hierarchical) return what.nodes < what.ranks;
    return one.schedule != schedule_kind::stock;
}

/// The ratio is that of fle, and of what is not compressed.
bool has_known_size(const cell& one) noexcept { return one.codec == codec_id::fle || one.codec == codec_id::raw; }

choice decide(const machine& where, const question& what, std::span<const cell> candidates,
              double calls_per_question = 1) noexcept {
    const double stock_s = estimate_stock(where, what).total_s;
    choice best{{}, stock_s, stock_s};
    // Where a ratio has to be asked for, a row must be worth that, too.
    const bool asks =
        !std::all_of(candidates.begin(), candidates.end(), [&](const cell& one) { return is_raw(one, what); });
    const double worth_s = stock_s / safety_margin;
    const double raw_limit_s = asks ? worth_s - asking_s(where, what) / calls_per_question : worth_s;
    const double limit_s = worth_s - sampling_s(where, what);
    double least_s = impossible_s, least_wire_s = impossible_s, least_work_s = impossible_s;
    const auto each = [&](const auto& body) {
        for (const cell& one : candidates) {
            if (!is_choice(where, one, what)) continue;
            const cost time = estimate(where, what, one);
            const double surely_s = has_known_size(one) ? time.total_s : time.total_s * unsampled_margin;
            if (surely_s < (is_raw(one, what) ? raw_limit_s : limit_s)) body(one, time, surely_s);
        }
    };
    each([&](const cell&, const cost&, double surely_s) { least_s = std::min(least_s, surely_s); });
    // A codec that sends less is the better guess where the model sees no difference: wires are shared. Bytes are not
    // fewer because calibration found a row faster than its formula.
    each([&](const cell&, const cost& time, double surely_s) {
        if (surely_s <= least_s * hair) least_wire_s = std::min(least_wire_s, time.wire_s / time.factor);
    });
    each([&](const cell& one, const cost& time, double surely_s) {
        if (!(surely_s <= least_s * hair && time.wire_s / time.factor <= least_wire_s * hair)) return;
        const double work_s = (time.compress_s + time.combine_s + time.decompress_s + time.copy_s) / time.factor;
        if (!(work_s < least_work_s)) return;
        least_work_s = work_s;
        best = {one, time.total_s, stock_s};
    });
    return best;
}

bool wins(const machine& where, question what, std::uint64_t bytes, std::span<const cell> candidates) noexcept {
    what.bytes = bytes;
    return decide(where, what, candidates).what.schedule != schedule_kind::stock;
}
/// By compression, that is.
bool compression_wins(const machine& where, question what, std::uint64_t bytes,
                      std::span<const cell> candidates) noexcept {
    what.bytes = bytes;
    return !is_raw(decide(where, what, candidates).what, what);
}

/// The sizes tried: powers of two and seven steps between each and the next.
std::uint64_t next_size(std::uint64_t bytes) noexcept {
    std::uint64_t power = 1;
    while (2 * power <= bytes) power *= 2;
    return bytes + std::max<std::uint64_t>(1, power / steps_per_octave);
}

/// The first tried size that wins, and the one tried before it.
struct bracket {
    std::uint64_t loses = 0, wins = never;
};
template <class Wins>
bracket first_win(const machine& where, const question& what, std::span<const cell> candidates,
                  const Wins& is_won) noexcept {
    bracket found;
    if (!check(what).ok()) return found;
    for (std::uint64_t bytes = 1; bytes <= largest; bytes = next_size(bytes)) {
        if (is_won(where, what, bytes, candidates)) {
            found.wins = bytes;
            return found;
        }
        found.loses = bytes;
    }
    return found;
}

/// Every rate at its best, whatever the ratio.
machine at_its_fastest(machine where) noexcept {
    for (codec_rates& codec : where.codecs)
        for (auto& rate : codec.bytes_per_s) {
            const double best = *std::max_element(rate.begin(), rate.begin() + static_cast<std::ptrdiff_t>(codec.rows));
            std::fill_n(rate.begin(), codec.rows, best);
        }
    return where;
}

}  // namespace

choice select(const machine& where, const question& what, std::span<const cell> candidates,
              double calls_per_question) noexcept {
    const codec::float_environment standard;
    return check(what).ok() ? decide(where, what, candidates, calls_per_question) : choice{};
}

size_class size_class_of(std::uint64_t bytes) noexcept {
    const int width = static_cast<int>(std::bit_width(bytes)), shift = std::max(0, width - 3);
    const std::uint64_t quarter = bytes >> shift;
    return {quarter << shift, ((quarter + 1) << shift) - 1, 4 * static_cast<std::size_t>(width) + quarter % 4};
}

choice select_unasked(const machine& where, const question& what, std::span<const cell> candidates) noexcept {
    const codec::float_environment standard;
    if (!check(what).ok()) return {};
    const double stock_s = estimate_stock(where, what).total_s;
    choice best{{}, stock_s, stock_s};
    if (what.bytes == 0 || what.ranks < 2) return best;
    std::array<question, 2> ends{what, what};
    const size_class sizes = size_class_of(what.bytes);
    ends[0].bytes = sizes.first;
    ends[1].bytes = sizes.last;
    double least_share = 1;
    for (const cell& one : candidates) {
        if (!is_choice(where, one, what)) continue;
        if (!is_raw(one, ends[0]) || !is_raw(one, ends[1])) continue;
        double share = 0;  // of stock's time, at the worse end
        for (const question& end : ends)
            share = std::max(share, estimate(where, end, one).total_s / estimate_stock(where, end).total_s);
        const cell ran = as_run(one, what.bytes);
        const bool is_near = where.has_timed_such(what.op, ran, what.nodes, static_cast<double>(sizes.last));
        if (!(share < least_share && share * (is_near ? unasked_margin : distant_margin) < 1)) continue;
        least_share = share;
        best = {one, estimate(where, what, one).total_s, stock_s};
    }
    return best;
}

choice select_as_auto(const machine& where, const question& what, std::span<const cell> candidates) noexcept {
    if (what.bytes < smallest_interesting_bytes(where, what, candidates))
        return select_unasked(where, what, candidates);
    return select(where, what, candidates, usual_calls_per_question);
}

std::size_t rivals_of(const machine& where, const question& what, const cell& best, std::span<const cell> alike,
                      std::span<cell> rivals) noexcept {
    const codec::float_environment standard;
    if (rivals.empty() || !check(what).ok()) return 0;
    std::size_t count = 0;
    rivals[count++] = best;
    const double most_s = estimate(where, what, best).total_s * doubt;
    double shortest_s = 0;
    while (count < rivals.size()) {
        double next_s = impossible_s;
        for (const cell& one : alike) {
            if (is_raw(one, what)) continue;
            if (std::find(rivals.begin(), rivals.begin() + static_cast<std::ptrdiff_t>(count), one) !=
                rivals.begin() + static_cast<std::ptrdiff_t>(count))
                continue;
            const double time_s = estimate(where, what, one).total_s;
            if (!(time_s <= most_s && time_s >= shortest_s && time_s < next_s)) continue;
            next_s = time_s;
            rivals[count] = one;
        }
        if (!(next_s < impossible_s)) break;
        shortest_s = next_s;
        ++count;
    }
    return count;
}

std::vector<prediction> ranking(const machine& where, const question& what, std::span<const cell> candidates) {
    const codec::float_environment standard;
    const double stock_s = estimate_stock(where, what).total_s;
    std::vector<prediction> rows;
    for (const cell& one : candidates) {
        const cost time = estimate(where, what, one);
        if (!(time.total_s < impossible_s)) continue;
        rows.push_back({one, time, time.total_s > 0 ? stock_s / time.total_s : 1});
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const prediction& a, const prediction& b) { return a.time.total_s < b.time.total_s; });
    return rows;
}

std::uint64_t smallest_win(const machine& where, const question& what, std::span<const cell> candidates) noexcept {
    const codec::float_environment standard;
    auto [low, high] = first_win(where, what, candidates, wins);
    if (high == never) return never;
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (wins(where, what, middle, candidates) ? high : low) = middle;
    }
    return high;
}

std::uint64_t smallest_interesting_bytes(const machine& where, question what,
                                         std::span<const cell> candidates) noexcept {
    const codec::float_environment standard;
    what.ratio = what.worst_ratio = 1e9;
    what.growth_bits = 0;
    what.element_bytes = 2;
    const bracket found = first_win(at_its_fastest(where), what, candidates, compression_wins);
    return found.wins == never ? never : found.loses;
}

}  // namespace laconic::model
