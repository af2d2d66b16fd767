// SPDX-License-Identifier: BSD-3-Clause
// Which cell to take: predictions of candidates and of stock flow in, the fastest, or stock when nothing beats it by a
// margin, flows out. The same inputs give the same answer on every rank: basic arithmetic in the default environment,
// and ties have an order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/cost.hpp"

namespace laconic::model {

/// Do no harm: what is not predicted to be faster than stock by this factor is not taken.
inline constexpr double safety_margin = 1.03;
/// A sample has to shrink by a fifth, or no compressed row is taken.
inline constexpr double least_ratio = 1.25;
/// The ratio that is asked about is one of fle's. What another codec makes of the same values is known by the mean over
/// some fields; one standard deviation of it is this factor (docs/benchmarks/codec.md). So far ahead a row has to be.
inline constexpr double unsampled_margin = 1.25;
/// What smallest_win() returns when there is none.
inline constexpr std::uint64_t never = UINT64_MAX;

struct choice {
    cell what;               ///< cell{} (stock) when no candidate wins
    double predicted_s = 0;  ///< of `what`
    double stock_s = 0;
};

/// Of so many calls one asks, on average over the first 63 alike that end uncompressed (recollection.hpp). What `auto`
/// selects by; whether a size is worth asking about at all is decided as if every call asked.
inline constexpr double usual_calls_per_question = 63.0 / 6;

/// Of the candidates with (predicted time + sampling_s()) * safety_margin < stock's the one with the least time; stock
/// where there is none. Of those within 1 % of the least, the one with the fewest bytes; of those within 1 % of that,
/// the one with the least work on the processor; of those, the first. For a row without compression it is asking_s() /
/// calls_per_question, because nobody would talk otherwise; nothing when no candidate compresses, because then nobody
/// has to ask. Rows of other codecs than fle count as taking unsampled_margin times as long. Candidates lose
/// that cannot serve the operation or lack rates; a hierarchy of nodes with one rank each; uncompressed ones that were
/// not timed; those that compress, below least_ratio, and on one node unless the machine was calibrated on one. Local,
/// no allocation, microseconds. A question that fails check() gets stock.
[[nodiscard]] choice select(const machine& where, const question& what, std::span<const cell> candidates,
                            double calls_per_question = 1) noexcept;

/// What a row has to be ahead of stock by where nobody asks, if it was timed on as many nodes and with buffers as long;
/// and if it was not: short calls are predicted less well than long ones (docs/adr/0013-short-buffers-unasked.md).
inline constexpr double unasked_margin = 1.05, distant_margin = 1.15;
/// Sizes that are decided alike: from 4 on a quarter of an octave.
struct size_class {
    std::uint64_t first = 0, last = 0;
    std::size_t number = 0;  ///< below most_size_classes
};
inline constexpr std::size_t most_size_classes = 4 * 65;
[[nodiscard]] size_class size_class_of(std::uint64_t bytes) noexcept;

/// For sizes below smallest_interesting_bytes(): of the candidates that travel uncompressed and are predicted to beat
/// stock by the margin at both ends of the class of the size, the one with the least share of stock's time at the
/// end that is worse for it; else stock. So there is one answer for a class, whatever the type of the elements. Same
/// conditions as select().
[[nodiscard]] choice select_unasked(const machine& where, const question& what,
                                    std::span<const cell> candidates) noexcept;

/// What `auto` runs in a call like this among many: select_unasked() or, from smallest_interesting_bytes() on,
/// select().
[[nodiscard]] choice select_as_auto(const machine& where, const question& what,
                                    std::span<const cell> candidates) noexcept;

/// Rows that the model cannot tell from the fastest for sure.
inline constexpr double doubt = 1.15;

/// Into `rivals`, and how many they are: `best`, then those of `alike` that are predicted to take at most `doubt` times
/// as long, fastest first, as many as fit. Same conditions as select().
[[nodiscard]] std::size_t rivals_of(const machine& where, const question& what, const cell& best,
                                    std::span<const cell> alike, std::span<cell> rivals) noexcept;

struct prediction {
    cell what;
    cost time;
    double speedup = 0;  ///< over stock
};

/// Predictions of all candidates that are possible, fastest first; ties keep the order of the candidates. Stock is in
/// it when it is among the candidates. Precondition: check(what).ok().
[[nodiscard]] std::vector<prediction> ranking(const machine& where, const question& what,
                                              std::span<const cell> candidates);

/// The smallest size at which select() takes a candidate, all else as in `what` (whose bytes are not looked at);
/// `never` when there is none up to 1 TiB. Sizes are tried eight to an octave, then the last step is halved down.
[[nodiscard]] std::uint64_t smallest_win(const machine& where, const question& what,
                                         std::span<const cell> candidates) noexcept;

/// Below this size no candidate wins by compression, whatever the ratio: the smallest size at which select() takes one
/// that compresses, for data that compress to nothing with every codec at its fastest, less the step between sizes that
/// were tried. What is smaller needs no word between the ranks: select_unasked(). Takes about a millisecond: once for a
/// communicator. 0 is possible, `never` as well.
/// what   whose size and data are not looked at
[[nodiscard]] std::uint64_t smallest_interesting_bytes(const machine& where, question what,
                                                       std::span<const cell> candidates) noexcept;

}  // namespace laconic::model
