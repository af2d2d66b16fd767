// SPDX-License-Identifier: BSD-3-Clause
// Every piece goes straight from where it is to where it belongs. In round i a rank sends to the i-th rank after it
// and receives from the i-th before it, so that nobody is flooded.
#include "collective/program_builder.hpp"

namespace laconic::collective {

program program_builder::finish_direct(int pieces) {
    // What comes in order is received from all partners at a time, which takes memory for each; and with more of them
    // it would have to be shown anew that nobody waits for ever (runner_coalesced.cpp).
    constexpr int most_in_order = 8;
    return ranks_ <= most_in_order ? finish_in_order(pieces) : finish(pieces);
}

program program_builder::alltoall() {
    local(rank_).copies = true;
    for (int round = 1; round < ranks_; ++round) {
        const int right = wrapped(rank_ + round);
        const int left = wrapped(rank_ - round);
        local(right);
        send_to(right);
        take(ranks_ + left, left).finishes = true;
    }
    made_.one_piece_per_pair = true;
    return finish_direct(2 * ranks_);
}

program program_builder::direct_reduce_scatter() {
    for (int round = 1; round < ranks_; ++round) {
        local(wrapped(rank_ + round));
        send_to(wrapped(rank_ + round));
        step& now = combine(rank_, wrapped(rank_ - round));
        now.uses_state = round > 1;
        now.keeps = round < ranks_ - 1;
        now.last = now.finishes = round == ranks_ - 1;
    }
    return finish_direct(ranks_);
}

program program_builder::direct_allgather() {
    made_.sends_ahead = true;
    local(rank_).finishes = true;
    for (int round = 1; round < ranks_; ++round) send_to(wrapped(rank_ + round));
    for (int round = 1; round < ranks_; ++round) take(wrapped(rank_ - round), wrapped(rank_ - round)).finishes = true;
    return finish(ranks_);
}

program program_builder::direct_gather(int root) {
    made_.converging = static_cast<std::uint32_t>(ranks_ - 1);
    if (rank_ != root) {
        local(rank_);
        send_to(root);
        return finish_direct(ranks_);
    }
    for (int round = 1; round < ranks_; ++round) take(wrapped(rank_ + round), wrapped(rank_ + round)).finishes = true;
    local(rank_).copies = true;
    return finish_direct(ranks_);
}

program program_builder::direct_scatter(int root) {
    if (rank_ != root) {
        take(rank_, root).finishes = true;
        return finish_direct(ranks_);
    }
    for (int round = 1; round < ranks_; ++round) {
        local(wrapped(rank_ + round));
        send_to(wrapped(rank_ + round));
    }
    local(rank_).copies = true;
    return finish_direct(ranks_);
}

}  // namespace laconic::collective
