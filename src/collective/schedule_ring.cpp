// SPDX-License-Identifier: BSD-3-Clause
// Rings and chains.
#include "collective/program_builder.hpp"

namespace laconic::collective {

/// Piece k starts at rank k, is complete at rank k - 1, and goes around once more.
program program_builder::ring_allreduce() {
    const int left = wrapped(rank_ - 1);
    const int right = wrapped(rank_ + 1);
    local(rank_);
    send_to(right);
    for (int hop = 1; hop < ranks_; ++hop) {
        step& now = combine(wrapped(rank_ - hop), left);
        now.last = now.finishes = hop == ranks_ - 1;
        send_to(right);
    }
    for (int hop = 0; hop < ranks_ - 1; ++hop) {
        take(wrapped(rank_ - hop), left).finishes = true;
        if (hop < ranks_ - 2) send_to(right);
    }
    return finish_in_order(ranks_);
}

/// Piece k starts at rank k + 1 and is complete at rank k.
program program_builder::ring_reduce_scatter() {
    local(wrapped(rank_ - 1));
    send_to(wrapped(rank_ + 1));
    for (int hop = 1; hop < ranks_; ++hop) {
        step& now = combine(wrapped(rank_ - 1 - hop), wrapped(rank_ - 1));
        now.last = now.finishes = hop == ranks_ - 1;
        if (hop < ranks_ - 1) send_to(wrapped(rank_ + 1));
    }
    return finish_in_order(ranks_);
}

program program_builder::ring_allgather() {
    local(rank_).finishes = true;
    send_to(wrapped(rank_ + 1));
    for (int hop = 1; hop < ranks_; ++hop) {
        take(wrapped(rank_ - hop), wrapped(rank_ - 1)).finishes = true;
        if (hop < ranks_ - 1) send_to(wrapped(rank_ + 1));
    }
    return finish_in_order(ranks_);
}

program program_builder::chain_reduce(int root) {
    const int behind = wrapped(rank_ - root);
    if (behind == ranks_ - 1) {
        local(0);
    } else {
        step& now = combine(0, wrapped(rank_ + 1));
        now.last = now.finishes = behind == 0;
    }
    if (behind != 0) send_to(wrapped(rank_ - 1));
    return finish_in_order(1);
}

program program_builder::chain_bcast(int root) {
    const int behind = wrapped(rank_ - root);
    step& now = behind == 0 ? local(0) : take(0, wrapped(rank_ - 1));
    now.finishes = true;
    if (behind != ranks_ - 1) send_to(wrapped(rank_ + 1));
    return finish_in_order(1);
}

}  // namespace laconic::collective
