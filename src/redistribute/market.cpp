// SPDX-License-Identifier: BSD-3-Clause
// A problem flows in and becomes a market in which every unit is where it gains most; units move from place to place;
// consistent prices, where there are any, flow out.
#include "redistribute/market.hpp"

#include <algorithm>
#include <numeric>

namespace laconic::redistribute {

market::market(const assignment_problem& problem)
    : ranks_(problem.ranks),
      least_(problem.least),
      most_(problem.most),
      first_arc_(problem.first_offer),
      guests_(index(problem.ranks)),
      first_node_offer_(problem.first_node_offer),
      node_offers_(problem.node_offers),
      by_price_(index(problem.ranks)),
      by_price_with_room_(index(problem.ranks)) {
    const std::size_t ranks = index(ranks_), items = problem.units.size();
    // Multiplied by more than the ranks of any cycle of moves, a difference of gains is at least 1 per rank.
    const std::int64_t scale = problem.coarse ? 1 : std::int64_t{ranks_} + 3;
    arcs_.reserve(problem.offers.size());
    first_of_rank_.assign(ranks + 1, 0);
    for (std::size_t item = 0; item < items; ++item) {
        for (std::size_t i = first_arc_[item]; i < first_arc_[item + 1]; ++i) {
            const offer& each = problem.offers[i];
            arcs_.push_back({each.place, static_cast<std::int32_t>(item), each.gain * scale, 0});
            largest_gain_ = std::max(largest_gain_, arcs_.back().gain);
            ++first_of_rank_[index(each.place) + 1];
        }
    }
    for (offer& each : node_offers_) largest_gain_ = std::max(largest_gain_, each.gain *= scale);
    std::partial_sum(first_of_rank_.begin(), first_of_rank_.end(), first_of_rank_.begin());
    arc_of_rank_.resize(arcs_.size());
    std::vector<std::size_t> next(first_of_rank_.begin(), first_of_rank_.end() - 1);
    for (std::size_t i = 0; i < arcs_.size(); ++i)
        arc_of_rank_[next[index(arcs_[i].rank)]++] = static_cast<std::uint32_t>(i);

    rank_of_slot_.resize(ranks);
    std::iota(rank_of_slot_.begin(), rank_of_slot_.end(), 0);
    if (!problem.node_of.empty()) {
        const auto node = [&](rank_number rank) { return problem.node_of[index(rank)]; };
        std::stable_sort(rank_of_slot_.begin(), rank_of_slot_.end(),
                         [&](rank_number a, rank_number b) { return node(a) < node(b); });
        first_of_node_.assign(index(node(rank_of_slot_.back())) + 2, 0);
        for (const std::int32_t each : problem.node_of) ++first_of_node_[index(each) + 1];
        std::partial_sum(first_of_node_.begin(), first_of_node_.end(), first_of_node_.begin());
    }
    slot_of_rank_.resize(ranks);
    for (std::size_t slot = 0; slot < ranks; ++slot) slot_of_rank_[index(rank_of_slot_[slot])] = slot;

    price_.assign(ranks, 0);
    for (std::size_t slot = 0; slot < ranks; ++slot) by_price_.set(slot, 0);
    load_.assign(ranks, 0);
    stacked_.assign(ranks, 0);
    quota_.assign(ranks, 0);
    for (std::size_t item = 0; item < items; ++item) {
        units_ += problem.units[item];
        put(static_cast<std::int32_t>(item), best_place(static_cast<std::int32_t>(item), -1), problem.units[item]);
    }
    for (rank_number rank = 0; rank < ranks_; ++rank) change_quota(rank, std::clamp(load_[index(rank)], least_, most_));
}

void market::note_room(rank_number rank) noexcept {
    by_price_with_room_.set(slot_of_rank_[index(rank)], excess(rank) < 0 ? price(rank) : cheapest::none);
}

void market::set_price(rank_number rank, std::int64_t price) noexcept {
    price_[index(rank)] = price;
    by_price_.set(slot_of_rank_[index(rank)], price);
    if (excess(rank) < 0) note_room(rank);
}

void market::change_load(rank_number rank, std::int64_t units) {
    const bool had_room = excess(rank) < 0;
    load_[index(rank)] += units;
    if (had_room != (excess(rank) < 0)) note_room(rank);
}

void market::change_quota(rank_number rank, std::int64_t units) {
    const bool had_room = excess(rank) < 0;
    quota_[index(rank)] += units;
    quotas_ += units;
    if (had_room != (excess(rank) < 0)) note_room(rank);
}

market::place market::best_guest_place(const cheapest& prices, std::int32_t item, rank_number except) const noexcept {
    place best;
    const std::size_t excluded = except < 0 ? slot_of_rank_.size() : slot_of_rank_[index(except)];
    const auto consider = [&](std::size_t begin, std::size_t end, std::int64_t gain) {
        const cheapest::found found = prices.among(begin, end, excluded);
        if (found.price == cheapest::none || found.price - gain >= best.loss) return;
        best = {found.price - gain, no_arc, rank_of_slot_[found.slot], gain};
    };
    if (!first_node_offer_.empty())
        for (std::size_t i = first_node_offer_[index(item)]; i < first_node_offer_[index(item) + 1]; ++i) {
            const std::size_t node = index(node_offers_[i].place);
            consider(first_of_node_[node], first_of_node_[node + 1], node_offers_[i].gain);
        }
    consider(0, slot_of_rank_.size(), 0);
    return best;
}

market::place market::best_place(std::int32_t item, rank_number except) const noexcept {
    place best;
    for (std::size_t i = first_arc_[index(item)]; i < first_arc_[index(item) + 1]; ++i) {
        const std::int64_t loss = price(arcs_[i].rank) - arcs_[i].gain;
        if (arcs_[i].rank != except && loss < best.loss) best = {loss, i, arcs_[i].rank, arcs_[i].gain};
    }
    const place visit = best_guest_place(by_price_, item, except);
    return visit.loss < best.loss ? visit : best;
}

void market::put(std::int32_t item, const place& where, std::int64_t units) {
    change_load(where.rank, units);
    if (where.arc != no_arc) {
        arcs_[where.arc].units += units;
        return;
    }
    auto& guests = guests_[index(where.rank)];
    // Only the latest is looked at: an item may be there several times, and a long list must not be searched.
    if (!guests.empty() && guests.back().item == item)
        guests.back().units += units;
    else
        guests.push_back({item, where.gain, units});
}

void market::take_guest(rank_number rank, std::size_t which, std::int64_t units) {
    auto& guests = guests_[index(rank)];
    guests[which].units -= units;
    if (guests[which].units > 0) return;
    guests[which] = guests.back();
    guests.pop_back();
}

std::int64_t market::consistent_price(rank_number rank) const noexcept {
    std::int64_t highest = price(rank);
    if (quota_[index(rank)] < most_) highest = std::min(highest, free_price_);
    const std::size_t slot = slot_of_rank_[index(rank)];
    const cheapest::found anywhere = by_price_.among(0, slot_of_rank_.size(), slot);
    const auto consider = [&](std::int32_t item, std::int64_t gain) {
        for (std::size_t i = first_arc_[index(item)]; i < first_arc_[index(item) + 1]; ++i)
            if (arcs_[i].rank != rank) highest = std::min(highest, gain - arcs_[i].gain + price(arcs_[i].rank));
        if (!first_node_offer_.empty()) {
            const place visit = best_guest_place(by_price_, item, rank);
            if (visit.rank >= 0) highest = std::min(highest, gain + visit.loss);
        } else if (anywhere.price != cheapest::none) {
            highest = std::min(highest, gain + anywhere.price);
        }
    };
    for (std::size_t i = first_of_rank_[index(rank)]; i < first_of_rank_[index(rank) + 1]; ++i) {
        const arc& mine = arcs_[arc_of_rank_[i]];
        if (mine.units > 0) consider(mine.item, mine.gain);
    }
    for (const guest& each : guests_[index(rank)]) consider(each.item, each.gain);
    return highest;
}

bool market::prove() {
    // Without a cycle of moves that gains something, shortest distances exist and rounds of relaxation find them. With
    // one, prices fall for ever: then epsilon is still too large.
    constexpr int rounds = 24;
    const auto before = price_;
    const std::int64_t free_before = free_price_;
    for (int round = 0; round < rounds; ++round) {
        rank_number changed = 0;
        for (rank_number i = 0; i < ranks_; ++i) {
            const rank_number rank = round % 2 ? ranks_ - 1 - i : i;
            const std::int64_t highest = consistent_price(rank);
            if (highest < price(rank)) set_price(rank, highest), ++changed;
            if (quota_[index(rank)] > least_ && free_price_ > highest) free_price_ = highest, ++changed;
        }
        if (changed == 0) return true;
        if (round >= 6 && changed > ranks_ / 8) break;
    }
    for (rank_number rank = 0; rank < ranks_; ++rank) set_price(rank, before[index(rank)]);
    free_price_ = free_before;
    return false;
}

assignment market::outcome() const {
    assignment found;
    found.taken.reserve(arcs_.size());
    for (const arc& each : arcs_) found.taken.push_back(each.units);
    for (rank_number rank = 0; rank < ranks_; ++rank)
        for (const guest& each : guests_[index(rank)]) found.elsewhere.push_back({each.item, rank, each.units});
    return found;
}

}  // namespace laconic::redistribute
