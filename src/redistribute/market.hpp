// SPDX-License-Identifier: BSD-3-Clause
// The state of an assignment in the making: what every rank holds, what it costs, and how many units it is to have.
// assignment.cpp raises prices until everyone has what it is to have; market.cpp moves units and proves optimality.
#pragma once

#include <vector>

#include "redistribute/assignment.hpp"
#include "redistribute/cheapest.hpp"

namespace laconic::redistribute {

class market {
public:
    explicit market(const assignment_problem& problem);

    [[nodiscard]] std::int64_t largest_gain() const noexcept { return largest_gain_; }
    /// Moves units until all ranks have what they are to have and no unit could gain more than epsilon by moving alone.
    /// False when `work` is used up before; the market is of no use then. Work is counted in moves that are looked at.
    [[nodiscard]] bool settle(std::int64_t epsilon, std::int64_t& work);
    /// Whether there are prices under which no unit gains anything by moving, so that the assignment is the best one.
    /// Sets them if so. Looks for them in a limited number of rounds.
    [[nodiscard]] bool prove();
    [[nodiscard]] assignment outcome() const;

private:
    struct arc {
        std::int32_t rank = 0, item = 0;
        std::int64_t gain = 0, units = 0;
    };
    /// Units of an item on a rank that made it no offer of its own.
    struct guest {
        std::int32_t item = 0;
        std::int64_t gain = 0, units = 0;
    };
    /// Where a unit may go: an arc, or as a guest.
    struct place {
        std::int64_t loss = cheapest::none;  ///< price - gain: less is better
        std::size_t arc = no_arc;
        rank_number rank = -1;
        std::int64_t gain = 0;
    };
    static constexpr std::size_t no_arc = SIZE_MAX;

    [[nodiscard]] std::int64_t price(rank_number rank) const noexcept { return price_[index(rank)]; }
    void set_price(rank_number rank, std::int64_t price) noexcept;
    [[nodiscard]] static std::size_t index(rank_number rank) noexcept { return static_cast<std::size_t>(rank); }
    [[nodiscard]] std::int64_t excess(rank_number rank) const noexcept {
        return load_[index(rank)] - quota_[index(rank)];
    }
    /// The best place of an item for a unit that is not to be at `except`.
    [[nodiscard]] place best_place(std::int32_t item, rank_number except) const noexcept;
    /// Likewise among ranks that made the item no offer of their own. `prices` is by_price_, or by_price_with_room_ for
    /// ranks that have less than they are to have.
    [[nodiscard]] place best_guest_place(const cheapest& prices, std::int32_t item, rank_number except) const noexcept;
    void put(std::int32_t item, const place& where, std::int64_t units);
    void take_guest(rank_number rank, std::size_t which, std::int64_t units);
    void change_load(rank_number rank, std::int64_t units);
    void change_quota(rank_number rank, std::int64_t units);
    void note_room(rank_number rank) noexcept;
    void activate(rank_number rank);

    void drop_what_violates(std::int64_t epsilon);
    void set_quotas(std::int64_t epsilon);
    void discharge(rank_number rank, std::int64_t epsilon);
    /// Moves as much of `units` as is in excess to places that cost less than the rank; returns what is left of units
    /// and lowers `next` to the least cost of a place that is not cheap enough. When units went to a rank that has
    /// enough already, only because it is the cheapest of many, that rank is due first: `due` names it.
    [[nodiscard]] std::int64_t pass_on(rank_number rank, std::int32_t item, std::int64_t gain, std::int64_t units,
                                       std::int64_t& next, rank_number& due);
    void release_quotas(std::int64_t epsilon);
    /// One round of prove() over a rank: the highest price that no place undercuts.
    [[nodiscard]] std::int64_t consistent_price(rank_number rank) const noexcept;

    rank_number ranks_;
    std::int64_t least_, most_, units_ = 0, largest_gain_ = 0;
    std::int64_t looked_at_ = 0;          ///< moves, since the last settle() began
    std::vector<std::size_t> first_arc_;  ///< of each item
    std::vector<arc> arcs_;
    std::vector<std::size_t> first_of_rank_;  ///< into arc_of_rank_
    std::vector<std::uint32_t> arc_of_rank_;
    std::vector<std::vector<guest>> guests_;
    std::vector<std::size_t> first_node_offer_;
    std::vector<offer> node_offers_;
    std::vector<std::size_t> first_of_node_;  ///< into slots

    std::vector<std::int64_t> price_, load_, quota_;
    std::int64_t free_price_ = 0;  ///< of a unit of capacity that is not used
    std::int64_t quotas_ = 0;      ///< their sum
    std::vector<std::size_t> slot_of_rank_;
    std::vector<rank_number> rank_of_slot_;
    cheapest by_price_, by_price_with_room_;
    std::vector<rank_number> stack_;  ///< ranks with too much, perhaps more than once
    std::vector<char> stacked_;
};

}  // namespace laconic::redistribute
