// SPDX-License-Identifier: BSD-3-Clause
// Optimal placements of few patches on few ranks, against every placement there is. Nothing that is compared comes from
// the library: holders are looked up element by element, loads are counted, limits computed from placement::balance.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "random_layouts.hpp"

namespace laconic {
namespace {

using costs = std::vector<std::vector<std::int64_t>>;  // of each patch, on each rank

/// A balance as a fraction, so that its limit is exact: multiples of 2^-20, as placement::balance rounds down to those.
struct ratio {
    std::int64_t over = 1, under = 1;
    [[nodiscard]] double value() const { return static_cast<double>(over) / static_cast<double>(under); }
};

struct limits {
    std::int64_t least = 0, most = 0;
    limits(std::int64_t patches, std::int64_t ranks, ratio balance)
        : least(balance.over == balance.under ? patches / ranks : 0),
          most((patches * balance.over + ranks * balance.under - 1) / (ranks * balance.under)) {}
    [[nodiscard]] bool hold(const std::vector<std::int64_t>& loads) const {
        return std::all_of(loads.begin(), loads.end(),
                           [&](std::int64_t load) { return load >= least && load <= most; });
    }
};

/// What it costs to bring each patch to each rank: 1 for an element from another rank, between_nodes from another node.
costs costs_of(const layout& from, const patch_grid& to, const placement& how) {
    std::vector<rank_number> holder(static_cast<std::size_t>(from.domain().volume()), -1);
    for (rank_number rank = 0; rank < from.ranks(); ++rank)
        for (const box& mine : from.boxes_of(rank))
            tests::for_each_element(mine, from.domain(), [&](std::size_t i) { holder[i] = rank; });
    const auto node = [&](rank_number rank) {
        return how.node_of.empty() ? 0 : how.node_of[static_cast<std::size_t>(rank)];
    };
    costs all;
    for (patch_number patch = 0; patch < to.patches(); ++patch) {
        std::vector<std::int64_t> on_rank(static_cast<std::size_t>(from.ranks()), 0);
        tests::for_each_element(to.patch(patch), to.domain(), [&](std::size_t i) {
            for (rank_number rank = 0; rank < from.ranks(); ++rank)
                if (holder[i] != rank)
                    on_rank[static_cast<std::size_t>(rank)] += node(holder[i]) == node(rank) ? 1 : how.between_nodes;
        });
        all.push_back(on_rank);
    }
    return all;
}

/// Of one placement, given as the rank of each patch.
struct outcome {
    std::int64_t cost = 0;
    std::vector<std::int64_t> loads;

    outcome(const costs& all, std::span<const rank_number> owners) : loads(all.front().size(), 0) {
        for (std::size_t patch = 0; patch < owners.size(); ++patch) {
            const auto rank = static_cast<std::size_t>(owners[patch]);
            cost += all[patch][rank];
            ++loads[rank];
        }
    }
};

/// By trying all ranks^patches placements, however bad.
std::int64_t least_cost(const costs& all, const limits& allowed) {
    const auto ranks = static_cast<rank_number>(all.front().size());
    std::vector<rank_number> owners(all.size(), 0);
    std::int64_t best = INT64_MAX;
    while (true) {
        const outcome tried(all, owners);
        if (allowed.hold(tried.loads)) best = std::min(best, tried.cost);
        std::size_t digit = 0;
        while (digit < owners.size() && ++owners[digit] == ranks) owners[digit++] = 0;
        if (digit == owners.size()) return best;
    }
}

struct small_case {
    layout from;
    patch_grid to;
    ratio balance;
    placement how;
};

constexpr double most_placements = 60'000;

/// Of 1 to 3 dimensions.
small_case any_case(tests::random_layouts& random, bool nodes) {
    while (true) {
        const auto extents = random.extents();
        if (extents.size() > 3) continue;
        const patch_grid to = random.grid(extents);
        std::optional<layout> from = random.any_layout(extents);
        // A rank without anything is a place for patches as well.
        if (random.number(0, 3) == 0) {
            const auto ranks = static_cast<rank_number>(random.number(1, 5));
            from = layout::boxes(extents, random.boxes(extents, ranks), ranks + random.number(0, 1)).value();
        }
        double all = 1;
        for (patch_number patch = 0; patch < to.patches() && all <= most_placements; ++patch) all *= from->ranks();
        if (all > most_placements || to.patches() < 2 || from->ranks() < 2) continue;
        constexpr ratio balances[] = {{1, 1}, {1, 1}, {9, 8}, {5, 4}, {3, 2}, {2, 1}, {7, 2}};
        small_case made{*from, to, balances[static_cast<std::size_t>(random.number(0, std::ssize(balances) - 1))], {}};
        made.how.balance = made.balance.value();
        if (nodes) {
            const std::int64_t most = random.number(1, 3);
            for (rank_number rank = 0; rank < from->ranks(); ++rank)
                made.how.node_of.push_back(static_cast<std::int32_t>(5 * random.number(0, most)));
            made.how.between_nodes = random.number(0, 2) == 0 ? random.number(1, 1000) : random.number(1, 8);
        }
        return made;
    }
}

void expect_the_least(const small_case& each) {
    const costs all = costs_of(each.from, each.to, each.how);
    const limits allowed(each.to.patches(), each.from.ranks(), each.balance);
    const std::int64_t least = least_cost(all, allowed);
    for (const bool exact : {true, false}) {
        SCOPED_TRACE(exact ? "exact" : "not exact");
        placement how = each.how;
        how.exact = exact;
        const plan made = plan::make(each.from, each.to, how).value();
        const outcome found(all, made.owners());
        const plan_figures figures = made.figures();
        EXPECT_TRUE(allowed.hold(found.loads));
        // What the figures say it costs.
        const std::int64_t surcharge = how.node_of.empty() ? 0 : how.between_nodes - 1;
        EXPECT_EQ(figures.moved_elements + surcharge * figures.between_nodes, found.cost);
        EXPECT_GE(found.cost, least);
        if (exact) {
            EXPECT_TRUE(figures.proven_optimal);
        }
        if (exact || figures.proven_optimal) {
            EXPECT_EQ(found.cost, least) << "proven: " << figures.proven_optimal;
        }
    }
}

/// Cases by number of dimensions, and by balance 1 or more, so that none is missing by chance.
void expect_the_least_of_many(unsigned seed, bool nodes) {
    tests::random_layouts random(seed);
    std::map<std::pair<std::size_t, bool>, int> compared;
    for (int i = 0; i < 1000 && !testing::Test::HasFailure(); ++i) {
        const small_case each = any_case(random, nodes);
        SCOPED_TRACE("case " + std::to_string(i) + ": " + each.from.domain().text() + ", " +
                     std::to_string(each.to.patches()) + " patches on " + std::to_string(each.from.ranks()) +
                     " ranks, balance " + std::to_string(each.how.balance));
        ++compared[{each.from.domain().dimensions, each.balance.over > each.balance.under}];
        expect_the_least(each);
    }
    for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions)
        for (const bool loose : {false, true}) {
            EXPECT_GE((compared[{dimensions, loose}]), 50) << dimensions << " dimensions, balance above 1: " << loose;
        }
}

TEST(optimality, is_that_of_the_best_of_all_placements) { expect_the_least_of_many(11, false); }

TEST(optimality, counts_bytes_between_nodes_for_more) { expect_the_least_of_many(12, true); }

}  // namespace
}  // namespace laconic
