// SPDX-License-Identifier: BSD-3-Clause
// assign() against a textbook algorithm (successive shortest paths by Bellman-Ford) on small random problems,
// degenerate and not, and the limits it must keep.
#include "redistribute/assignment.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace laconic::redistribute {
namespace {

/// The greatest total gain, unit by unit along the shortest path; what a rank has to have at least is worth `bonus`
/// each.
std::int64_t best_gain(const assignment_problem& problem) {
    constexpr std::int64_t bonus = 1'000'000;
    const std::size_t items = problem.units.size(), ranks = static_cast<std::size_t>(problem.ranks);
    struct edge {
        std::size_t to;
        std::int64_t room, cost;
    };
    std::vector<edge> edges;
    std::vector<std::vector<std::size_t>> out(items + ranks + 2);
    const auto add = [&](std::size_t a, std::size_t b, std::int64_t room, std::int64_t cost) {
        out[a].push_back(edges.size());
        edges.push_back({b, room, cost});
        out[b].push_back(edges.size());
        edges.push_back({a, 0, -cost});
    };
    const std::size_t source = items + ranks, sink = source + 1;
    std::int64_t units = 0;
    for (std::size_t item = 0; item < items; ++item) {
        units += problem.units[item];
        add(source, item, problem.units[item], 0);
        std::vector<std::int64_t> gain(ranks, 0);
        if (!problem.first_node_offer.empty())
            for (std::size_t i = problem.first_node_offer[item]; i < problem.first_node_offer[item + 1]; ++i)
                for (std::size_t rank = 0; rank < ranks; ++rank)
                    if (problem.node_of[rank] == problem.node_offers[i].place) gain[rank] = problem.node_offers[i].gain;
        for (std::size_t i = problem.first_offer[item]; i < problem.first_offer[item + 1]; ++i)
            gain[static_cast<std::size_t>(problem.offers[i].place)] = problem.offers[i].gain;
        for (std::size_t rank = 0; rank < ranks; ++rank) add(item, items + rank, problem.units[item], -gain[rank]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        add(items + rank, sink, problem.least, -bonus);
        add(items + rank, sink, problem.most - problem.least, 0);
    }
    std::int64_t cost = 0;
    for (std::int64_t sent = 0; sent < units; ++sent) {
        constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 2;
        std::vector<std::int64_t> distance(out.size(), far);
        std::vector<std::size_t> by(out.size());
        distance[source] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t a = 0; a < out.size(); ++a)
                for (const std::size_t e : out[a])
                    if (distance[a] < far && edges[e].room > 0 && distance[a] + edges[e].cost < distance[edges[e].to]) {
                        distance[edges[e].to] = distance[a] + edges[e].cost;
                        by[edges[e].to] = e;
                        changed = true;
                    }
        }
        cost += distance[sink];
        for (std::size_t at = sink; at != source; at = edges[by[at] ^ 1].to) {
            --edges[by[at]].room;
            ++edges[by[at] ^ 1].room;
        }
    }
    return -cost - bonus * problem.least * problem.ranks;
}

std::int64_t gain_of(const assignment_problem& problem, const assignment& found) {
    std::int64_t total = 0;
    std::vector<std::int64_t> load(static_cast<std::size_t>(problem.ranks), 0), placed(problem.units.size(), 0);
    for (std::size_t item = 0; item < problem.units.size(); ++item)
        for (std::size_t i = problem.first_offer[item]; i < problem.first_offer[item + 1]; ++i) {
            total += problem.offers[i].gain * found.taken[i];
            load[static_cast<std::size_t>(problem.offers[i].place)] += found.taken[i];
            placed[item] += found.taken[i];
        }
    for (const allotment& each : found.elsewhere) {
        const auto item = static_cast<std::size_t>(each.item);
        load[static_cast<std::size_t>(each.rank)] += each.units;
        placed[item] += each.units;
        if (problem.first_node_offer.empty()) continue;
        for (std::size_t i = problem.first_node_offer[item]; i < problem.first_node_offer[item + 1]; ++i)
            if (problem.node_of[static_cast<std::size_t>(each.rank)] == problem.node_offers[i].place)
                total += problem.node_offers[i].gain * each.units;
    }
    EXPECT_EQ(placed, problem.units);
    for (const std::int64_t units : load) {
        EXPECT_GE(units, problem.least);
        EXPECT_LE(units, problem.most);
    }
    return total;
}

assignment_problem random_problem(std::mt19937& bits, bool nodes) {
    const auto number = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(bits);
    };
    assignment_problem problem;
    problem.ranks = static_cast<rank_number>(number(1, 7));
    const std::int64_t largest = number(0, 1) ? 4 : 1000;
    problem.first_offer.push_back(0);
    if (nodes) {
        problem.first_node_offer.push_back(0);
        for (rank_number rank = 0; rank < problem.ranks; ++rank) problem.node_of.push_back(rank % 3);
    }
    std::int64_t units = 0;
    for (std::int64_t items = number(1, 9); items > 0; --items) {
        problem.units.push_back(number(1, 5));
        units += problem.units.back();
        std::vector<std::int64_t> floor(3, 0);
        if (nodes) {
            for (std::int32_t node = 0; node < std::min(problem.ranks, 3); ++node)
                if (number(0, 1))
                    problem.node_offers.push_back({node, floor[static_cast<std::size_t>(node)] = number(1, largest)});
            problem.first_node_offer.push_back(problem.node_offers.size());
        }
        for (rank_number rank = 0; rank < problem.ranks; ++rank)
            if (number(0, 2) == 0)
                problem.offers.push_back(
                    {rank, number(1, largest) + (nodes ? floor[static_cast<std::size_t>(rank % 3)] : 0)});
        problem.first_offer.push_back(problem.offers.size());
    }
    problem.least = number(0, 1) ? units / problem.ranks : 0;
    problem.most = (units - 1) / problem.ranks + 1 + number(0, 2);
    return problem;
}

TEST(assign, is_as_good_as_the_textbook) {
    std::mt19937 bits(3);
    for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const assignment_problem problem = random_problem(bits, i % 2 == 1);
        const assignment found = assign(problem);
        EXPECT_TRUE(found.proven);
        EXPECT_EQ(gain_of(problem, found), best_gain(problem));
    }
}

TEST(assign, keeps_the_limits_when_it_stops_early) {
    std::mt19937 bits(4);
    int unproven = 0;
    for (int i = 0; i < 500; ++i) {
        assignment_problem problem = random_problem(bits, i % 2 == 1);
        problem.work = 0;
        const assignment found = assign(problem);
        const std::int64_t gain = gain_of(problem, found), best = best_gain(problem);
        EXPECT_LE(gain, best);
        if (found.proven) {
            EXPECT_EQ(gain, best);
        }
        unproven += !found.proven;
    }
    EXPECT_GT(unproven, 0);
}

TEST(assign, spreads_what_one_rank_holds_over_all) {
    assignment_problem problem;
    problem.ranks = 1000;
    problem.units = {1'000'000};
    problem.first_offer = {0, 1};
    problem.offers = {{17, 32768}};
    problem.least = problem.most = 1000;
    const assignment found = assign(problem);
    EXPECT_EQ(gain_of(problem, found), 1000 * 32768);
    EXPECT_TRUE(found.proven);
}

}  // namespace
}  // namespace laconic::redistribute
