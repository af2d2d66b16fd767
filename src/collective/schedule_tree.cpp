// SPDX-License-Identifier: BSD-3-Clause
// Binomial trees.
#include <bit>

#include "collective/program_builder.hpp"

namespace laconic::collective {
namespace {

/// The member of a tree that lies next on the way from `member` down to `below`: it has one more of its bits.
int next_below(int member, int below) noexcept {
    return member | static_cast<int>(std::bit_floor(static_cast<unsigned>(below ^ member)));
}
int parent_of(int member) noexcept { return member & (member - 1); }

/// Whether `below` is in the subtree of `member` (itself included): it has all higher bits of it.
bool is_below(int member, int below) noexcept {
    if (member == 0) return true;
    const int low = member & -member;
    return (below & ~(low - 1)) == member;
}

}  // namespace

/// Smallest subtrees first: they are ready first.
void program_builder::reduce_along_tree(int root) {
    const int member = wrapped(rank_ - root);
    int received = 0;
    for (int bit = 1; bit < ranks_ && (member & bit) == 0; bit <<= 1) {
        if (member + bit >= ranks_) continue;
        if (received > 0) made_.steps.back().keeps = true;
        combine(0, wrapped(member + bit + root)).uses_state = received > 0;
        ++received;
    }
    if (received == 0) local(0);
    if (member != 0) send_to(wrapped(parent_of(member) + root));
}

void program_builder::bcast_along_tree(int root, bool root_has_it) {
    const int member = wrapped(rank_ - root);
    if (member != 0)
        take(0, wrapped(parent_of(member) + root)).finishes = true;
    else if (!root_has_it)
        local(0).finishes = true;
    for_each_child(member, ranks_, [&](int child) { send_to(wrapped(child + root)); });
}

program program_builder::tree_reduce(int root) {
    reduce_along_tree(root);
    if (rank_ == root) made_.steps.back().last = made_.steps.back().finishes = true;
    return finish(1);
}

program program_builder::tree_bcast(int root) {
    bcast_along_tree(root, false);
    return finish(1);
}

program program_builder::tree_allreduce() {
    reduce_along_tree(0);
    if (rank_ == 0) made_.steps.back().last = made_.steps.back().finishes = true;
    bcast_along_tree(0, true);
    return finish(1);
}

/// In round t a piece moves 2^t ranks on, from everybody who has it. The tree of each piece adds bits from below.
program program_builder::tree_allgather() {
    made_.sends_ahead = true;
    made_.weight = static_cast<std::uint32_t>(ranks_);
    const auto pass_on = [&](int distance, int first_bit) {
        for (int bit = first_bit; distance + bit < ranks_; bit <<= 1) send_to(wrapped(rank_ + bit));
    };
    local(rank_).finishes = true;
    pass_on(0, 1);
    for (int bit = 1; bit < ranks_; bit <<= 1)
        for (int distance = bit; distance < 2 * bit && distance < ranks_; ++distance) {
            take(wrapped(rank_ - distance), wrapped(rank_ - bit)).finishes = true;
            pass_on(distance, 2 * bit);
        }
    bundle_messages(false, ranks_ / 2);
    return finish(ranks_);
}

/// All ranks look at the pieces in the same order, so that none waits for one that another has put off.
program program_builder::tree_scatter(int root) {
    const int member = wrapped(rank_ - root);
    for (int owner = ranks_ - 1; owner >= 0; --owner) {
        const int piece = wrapped(owner + root);
        if (!is_below(member, owner)) continue;
        if (member == owner) {
            if (member == 0)
                local(piece).copies = true;
            else
                take(piece, wrapped(parent_of(member) + root)).finishes = true;
            continue;
        }
        if (member == 0)
            local(piece);
        else
            take(piece, wrapped(parent_of(member) + root));
        send_to(wrapped(next_below(member, owner) + root));
    }
    bundle_messages(false, ranks_ / 2);
    return finish(ranks_);
}

program program_builder::tree_gather(int root) {
    const int member = wrapped(rank_ - root);
    for (int owner = 0; owner < ranks_; ++owner) {
        const int piece = wrapped(owner + root);
        if (!is_below(member, owner)) continue;
        if (owner != member)
            take(piece, wrapped(next_below(member, owner) + root)).finishes = member == 0;
        else if (member == 0)
            local(piece).copies = true;
        else
            local(piece);
        if (member != 0) send_to(wrapped(parent_of(member) + root));
    }
    bundle_messages(false, ranks_ / 2);
    return finish(ranks_);
}

}  // namespace laconic::collective
