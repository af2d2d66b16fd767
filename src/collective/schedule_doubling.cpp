// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling and Rabenseifner's algorithm, for any number of ranks.
#include <bit>

#include "collective/program_builder.hpp"

namespace laconic::collective {
namespace {

/// The largest power of two of ranks takes part; each of the first `extra` pairs is one participant, the odd rank.
struct folding {
    int participants;
    int extra;

    explicit folding(int ranks) noexcept
        : participants(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), extra(ranks - participants) {}

    [[nodiscard]] bool is_paired(int rank) const noexcept { return rank < 2 * extra; }
    [[nodiscard]] bool takes_part(int rank) const noexcept { return !is_paired(rank) || rank % 2 == 1; }
    [[nodiscard]] int participant(int rank) const noexcept { return is_paired(rank) ? rank / 2 : rank - extra; }
    [[nodiscard]] int rank_of(int participant) const noexcept {
        return participant < extra ? 2 * participant + 1 : participant + extra;
    }
};

}  // namespace

program program_builder::recursive_doubling() {
    const folding fold(ranks_);
    if (!fold.takes_part(rank_)) {
        local(0);
        send_to(rank_ + 1);
        take(0, rank_ + 1).finishes = true;
        return finish(1);
    }
    const int me = fold.participant(rank_);
    if (fold.is_paired(rank_))
        combine(0, rank_ - 1);
    else
        local(0);
    for (int bit = 1; bit < fold.participants; bit <<= 1) {
        const int partner = fold.rank_of(me ^ bit);
        send_to(partner);
        made_.steps.back().keeps = true;
        combine(0, partner).uses_state = true;
    }
    made_.steps.back().last = made_.steps.back().finishes = true;
    if (fold.is_paired(rank_)) send_to(rank_ - 1);
    return finish(1);
}

/// Piece q is complete at participant q. In the halving with distance `bit` a participant gives away the pieces that
/// differ from it there and combines the others; the doubling retraces that.
program program_builder::rabenseifner() {
    const folding fold(ranks_);
    const int pieces = fold.participants;
    made_.sends_ahead = true;
    made_.weight = 2 * static_cast<std::uint32_t>(pieces);
    const int most_bundled = fold.extra > 0 ? pieces : pieces / 2;
    if (!fold.takes_part(rank_)) {
        for (int piece = 0; piece < pieces; ++piece) {
            local(piece);
            send_to(rank_ + 1);
        }
        for (int piece = 0; piece < pieces; ++piece) take(piece, rank_ + 1).finishes = true;
        bundle_messages(true, most_bundled);
        return finish(pieces);
    }
    const int me = fold.participant(rank_);
    const bool paired = fold.is_paired(rank_);
    const int top = pieces / 2;
    const auto leaves_at = [&](int piece) {
        return static_cast<int>(std::bit_floor(static_cast<unsigned>(piece ^ me)));
    };
    for (int piece = 0; piece < pieces; ++piece) {
        const bool leaves = leaves_at(piece) == top;
        if (paired)
            combine(piece, rank_ - 1).keeps = !leaves;
        else if (leaves)
            local(piece);
        if (leaves) send_to(fold.rank_of(me ^ top));
    }
    for (int bit = top; bit > 0; bit >>= 1)
        for (int piece = 0; piece < pieces; ++piece) {
            if (leaves_at(piece) >= bit) continue;
            step& now = combine(piece, fold.rank_of(me ^ bit));
            now.uses_state = paired || bit != top;
            now.last = now.finishes = bit == 1;
            now.keeps = bit != 1 && leaves_at(piece) != bit / 2;
            if (bit == 1) {
                for (int next = 1; next < pieces; next <<= 1) send_to(fold.rank_of(me ^ next));
                if (paired) send_to(rank_ - 1);
            } else if (leaves_at(piece) == bit / 2) {
                send_to(fold.rank_of(me ^ (bit / 2)));
            }
        }
    for (int bit = 1; bit < pieces; bit <<= 1)
        for (int piece = 0; piece < pieces; ++piece) {
            if (leaves_at(piece) != bit) continue;
            take(piece, fold.rank_of(me ^ bit)).finishes = true;
            for (int next = 2 * bit; next < pieces; next <<= 1) send_to(fold.rank_of(me ^ next));
            if (paired) send_to(rank_ - 1);
        }
    bundle_messages(true, most_bundled);
    return finish(pieces);
}

}  // namespace laconic::collective
