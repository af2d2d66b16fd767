// SPDX-License-Identifier: BSD-3-Clause
// The market settles, epsilon by epsilon: ranks with too many units pass them on, first in first out.
#include "redistribute/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "redistribute/market.hpp"

namespace laconic::redistribute {

/// Units that could gain more than epsilon elsewhere go there, whatever it makes of the loads.
void market::drop_what_violates(std::int64_t epsilon) {
    const auto items = static_cast<std::int32_t>(first_arc_.size() - 1);
    for (std::int32_t item = 0; item < items; ++item) {
        place best;
        for (std::size_t i = first_arc_[index(item)]; i < first_arc_[index(item) + 1]; ++i) {
            if (arcs_[i].units == 0) continue;
            if (best.rank < 0) best = best_place(item, -1);
            if (price(arcs_[i].rank) - arcs_[i].gain <= best.loss + epsilon) continue;
            const std::int64_t units = arcs_[i].units;
            arcs_[i].units = 0;
            change_load(arcs_[i].rank, -units);
            put(item, best, units);
        }
    }
    for (rank_number rank = 0; rank < ranks_; ++rank) {
        for (std::size_t i = guests_[index(rank)].size(); i-- > 0;) {
            const guest each = guests_[index(rank)][i];
            const place best = best_place(each.item, -1);
            if (price(rank) - each.gain <= best.loss + epsilon) continue;
            take_guest(rank, i, each.units);
            change_load(rank, -each.units);
            put(each.item, best, each.units);
        }
    }
}

/// A rank whose places are worth more than unused ones is to be full; one whose places are worth less, at the least.
void market::set_quotas(std::int64_t epsilon) {
    for (rank_number rank = 0; rank < ranks_; ++rank) {
        if (price(rank) > free_price_ + epsilon) change_quota(rank, most_ - quota_[index(rank)]);
        if (price(rank) < free_price_ - epsilon) change_quota(rank, least_ - quota_[index(rank)]);
    }
}

void market::activate(rank_number rank) {
    if (stacked_[index(rank)] || excess(rank) <= 0) return;
    stacked_[index(rank)] = 1;
    stack_.push_back(rank);
}

std::int64_t market::pass_on(rank_number rank, std::int32_t item, std::int64_t gain, std::int64_t units,
                             std::int64_t& next, rank_number& due) {
    const std::int64_t limit = price(rank);
    ++looked_at_;
    const auto pass = [&](const place& where, std::int64_t at_most) {
        const std::int64_t moved = std::min({units, excess(rank), at_most});
        units -= moved;
        change_load(rank, -moved);
        put(item, where, moved);
        activate(where.rank);
    };
    for (std::size_t i = first_arc_[index(item)]; i < first_arc_[index(item) + 1]; ++i) {
        const arc& other = arcs_[i];
        if (other.rank == rank) continue;
        const std::int64_t cost = gain - other.gain + price(other.rank);
        if (cost >= limit) {
            next = std::min(next, cost);
            continue;
        }
        pass({cost, i, other.rank, other.gain}, units);
        if (units == 0 || excess(rank) == 0) return units;
    }
    while (units > 0 && excess(rank) > 0) {
        const place roomy = best_guest_place(by_price_with_room_, item, rank);
        if (roomy.rank < 0 || gain + roomy.loss >= limit) break;
        pass(roomy, -excess(roomy.rank));
    }
    if (units == 0 || excess(rank) == 0) return units;
    const place any = best_guest_place(by_price_, item, rank);
    if (any.rank < 0) return units;
    if (gain + any.loss >= limit) {
        next = std::min(next, gain + any.loss);
        return units;
    }
    pass(any, std::max<std::int64_t>(1, most_ / 4));
    due = any.rank;
    return units;
}

void market::discharge(rank_number rank, std::int64_t epsilon) {
    rank_number due = -1;
    while (excess(rank) > 0 && due < 0) {
        std::int64_t next = cheapest::none;
        if (quota_[index(rank)] < most_) {
            if (free_price_ < price(rank))
                change_quota(rank, std::min(excess(rank), most_ - quota_[index(rank)]));
            else
                next = free_price_;
        }
        const auto wanted = [&] { return excess(rank) > 0 && due < 0; };
        for (std::size_t i = first_of_rank_[index(rank)]; i < first_of_rank_[index(rank) + 1] && wanted(); ++i) {
            const std::size_t mine = arc_of_rank_[i];
            if (arcs_[mine].units > 0)
                arcs_[mine].units = pass_on(rank, arcs_[mine].item, arcs_[mine].gain, arcs_[mine].units, next, due);
        }
        for (std::size_t i = guests_[index(rank)].size(); i-- > 0 && wanted();) {
            const guest each = guests_[index(rank)][i];
            take_guest(rank, i, each.units - pass_on(rank, each.item, each.gain, each.units, next, due));
        }
        if (wanted()) set_price(rank, next + epsilon);
    }
    if (due < 0) return;
    activate(rank);
    stack_.push_back(due);
}

/// More is to be used than there is: the ranks whose places are worth least let go, and unused places are worth as
/// much.
void market::release_quotas(std::int64_t epsilon) {
    std::vector<std::pair<std::int64_t, rank_number>> candidates;
    for (rank_number rank = 0; rank < ranks_; ++rank)
        if (quota_[index(rank)] > least_) candidates.emplace_back(price(rank), rank);
    const auto later = std::greater<>();
    std::make_heap(candidates.begin(), candidates.end(), later);
    while (quotas_ > units_) {
        std::pop_heap(candidates.begin(), candidates.end(), later);
        const auto [worth, rank] = candidates.back();
        candidates.pop_back();
        if (worth >= free_price_) free_price_ = worth + epsilon;
        change_quota(rank, -std::min(quota_[index(rank)] - least_, quotas_ - units_));
        activate(rank);
    }
}

/// Last in, first out: a rank that got too much passes it on before others add to it, and prices rise where units are.
bool market::settle(std::int64_t epsilon, std::int64_t& work) {
    looked_at_ = 0;
    set_quotas(epsilon);
    drop_what_violates(epsilon);
    for (rank_number rank = 0; rank < ranks_; ++rank) activate(rank);
    if (stack_.empty() && quotas_ > units_) release_quotas(epsilon);
    while (!stack_.empty()) {
        const rank_number rank = stack_.back();
        stack_.pop_back();
        stacked_[index(rank)] = 0;
        discharge(rank, epsilon);
        if (looked_at_ > work) return false;
        if (stack_.empty() && quotas_ > units_) release_quotas(epsilon);
    }
    work -= looked_at_;
    return true;
}

assignment assign(const assignment_problem& problem) {
    market state(problem);
    // Chosen by trial on regular layouts: finer at first makes for more moves, coarser for prices to be unlearnt.
    constexpr std::int64_t first_share = 64, shrink = 8;
    std::int64_t epsilon = std::max<std::int64_t>(1, state.largest_gain() / first_share);
    std::int64_t work = std::numeric_limits<std::int64_t>::max(), before = work;
    assignment found;
    while (state.settle(epsilon, work)) {
        found = state.outcome();
        found.proven = !problem.coarse && (epsilon == 1 || state.prove());
        if (found.proven || epsilon == 1) return found;
        // The first answer is there whatever it takes; what comes after it may take so much. The next epsilon needs a
        // few times the work of this one: what cannot succeed is not begun.
        constexpr std::int64_t growth = 4;
        const std::int64_t used = before - work;
        work = std::min(work, problem.work);
        if (used > work / growth) return found;
        before = work;
        epsilon = std::max<std::int64_t>(1, epsilon / shrink);
    }
    return found;
}

}  // namespace laconic::redistribute
