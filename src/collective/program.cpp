// SPDX-License-Identifier: BSD-3-Clause
// Programs by operation and schedule, and what all of them have in common.
#include "collective/program.hpp"

#include <algorithm>
#include <bit>

#include "collective/program_builder.hpp"

namespace laconic::collective {

program_builder::program_builder(int ranks, int rank) noexcept : ranks_(ranks), rank_(rank) {}

step& program_builder::add(int piece) {
    step& next = made_.steps.emplace_back();
    next.piece = static_cast<std::uint32_t>(piece);
    next.first_to = static_cast<std::uint32_t>(made_.to.size());
    return next;
}
step& program_builder::local(int piece) { return add(piece); }
step& program_builder::combine(int piece, int from) {
    step& next = add(piece);
    next.from = from;
    next.combines = true;
    next.ours_first = rank_ < from;
    return next;
}
step& program_builder::take(int piece, int from) {
    step& next = add(piece);
    next.from = from;
    return next;
}
void program_builder::send_to(int rank) {
    made_.to.push_back(rank);
    ++made_.steps.back().to_count;
}

program program_builder::finish(int pieces) {
    made_.pieces = static_cast<std::uint32_t>(pieces);
    std::uint32_t kept = 0;
    for (const step& now : made_.steps) {
        if (now.uses_state) --kept;
        if (now.keeps) ++kept;
        made_.kept_pieces = std::max(made_.kept_pieces, kept);
        made_.most_to = std::max(made_.most_to, now.to_count);
        if (now.to_count > 0) ++made_.sending;
    }
    return std::move(made_);
}

void program_builder::bundle_messages(bool sums, int most) {
    made_.most_bundled = static_cast<std::uint32_t>(std::max(most, 1));
    pair_up(sums ? pairing::sums_and_results : pairing::results);
}

program program_builder::finish_in_order(int pieces) {
    made_.in_order = true;
    pair_up(pairing::all);
    return finish(pieces);
}

void program_builder::pair_up(pairing what) {
    const auto bundle_of = [](std::vector<bundle>& all, const bundle& wanted) {
        const auto found = std::find(all.begin(), all.end(), wanted);
        const auto index = static_cast<std::uint32_t>(found - all.begin());
        if (found == all.end()) all.push_back(wanted);
        return index;
    };
    for (step& now : made_.steps) {
        if (now.from != nobody)
            now.bundle = bundle_of(made_.incoming, {now.from, what != pairing::all && !now.combines});
        const bool is_result = now.combines ? now.last : now.from != nobody || what == pairing::results;
        const bool results = what != pairing::all && is_result;
        for (const std::int32_t target : made_.targets(now))
            made_.to_bundle.push_back(bundle_of(made_.outgoing, {target, results}));
    }
}

program make_program(operation op, schedule_kind schedule, int ranks, int rank, int root) {
    program_builder build(ranks, rank);
    const bool ring = schedule == schedule_kind::ring;
    const bool trees = schedule == schedule_kind::binomial;
    switch (op) {
        case operation::allreduce:
            if (schedule == schedule_kind::recursive_doubling) return build.recursive_doubling();
            if (schedule == schedule_kind::rabenseifner) return build.rabenseifner();
            return trees ? build.tree_allreduce() : build.ring_allreduce();
        case operation::reduce: return trees ? build.tree_reduce(root) : build.chain_reduce(root);
        case operation::reduce_scatter: return ring ? build.ring_reduce_scatter() : build.direct_reduce_scatter();
        case operation::allgather:
            return ring ? build.ring_allgather() : trees ? build.tree_allgather() : build.direct_allgather();
        case operation::gather: return trees ? build.tree_gather(root) : build.direct_gather(root);
        case operation::scatter: return trees ? build.tree_scatter(root) : build.direct_scatter(root);
        case operation::bcast: return trees ? build.tree_bcast(root) : build.chain_bcast(root);
        case operation::alltoall: return build.alltoall();
    }
    return {};
}

cutting cutting_of(operation op) noexcept {
    switch (op) {
        case operation::allreduce:
        case operation::reduce:
        case operation::bcast: return cutting::evenly;
        case operation::alltoall: return cutting::outgoing;
        default: return cutting::by_rank;
    }
}

std::uint32_t quantisations_of(operation op, schedule_kind schedule, int ranks) noexcept {
    if (!is_reduction(op)) return 1;
    const auto p = static_cast<std::uint32_t>(ranks);
    // Each of the p - 1 additions is followed by one. What begins a path is one as well: everybody's values who does
    // not add them to what he has received. m ranks take part in the doubling, the others are folded in before.
    const std::uint32_t m = std::bit_floor(p);
    const std::uint32_t folded = p - m;
    switch (schedule) {
        case schedule_kind::recursive_doubling: return m - 1 + 2 * folded + (m - folded);
        case schedule_kind::rabenseifner: return p - 1 + folded + std::min(m / 2, m - folded);
        case schedule_kind::binomial: return p - 1 + (p + 1) / 2;
        case schedule_kind::pairwise: return p - 1 + (p - 1);
        default: return p - 1 + 1;
    }
}

}  // namespace laconic::collective
