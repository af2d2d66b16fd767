// SPDX-License-Identifier: BSD-3-Clause
// Classes of equal patches become items of an assignment problem; what it says becomes owners. By count a unit is a
// patch and the answer is exact; by volume a unit is an element, and patches that fall between ranks are rounded.
#include "redistribute/optimal.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "redistribute/assignment.hpp"
#include "redistribute/classes.hpp"

namespace laconic::redistribute {
namespace {

/// ceil(total / ranks * balance) in integers, the balance rounded down: 1.6 is not a little more than 8 / 5.
std::int64_t limit_of(std::int64_t total, rank_number ranks, double balance) {
    constexpr int bits = 20;
    __extension__ using wide = __int128;
    const wide scaled = static_cast<wide>(total) * static_cast<std::int64_t>(std::ldexp(balance, bits));
    const wide parts = static_cast<wide>(ranks) << bits;
    return static_cast<std::int64_t>(std::min<wide>((scaled + parts - 1) / parts, total));
}

/// Node numbers counted from 0 in ascending order.
std::vector<std::int32_t> dense(const std::vector<std::int32_t>& nodes) {
    std::map<std::int32_t, std::int32_t> number;
    for (const std::int32_t node : nodes) number.emplace(node, 0);
    std::int32_t next = 0;
    for (auto& [node, mine] : number) mine = next++;
    std::vector<std::int32_t> numbers;
    numbers.reserve(nodes.size());
    for (const std::int32_t node : nodes) numbers.push_back(number[node]);
    return numbers;
}

/// What keeping a patch where its elements are saves, in elements. With nodes, in elements moved inside a node: all
/// that a rank's own node holds need not cross the border, and what the rank itself holds need not move.
void add_offers(assignment_problem& problem, const patch_classes& classes, std::int64_t between_nodes) {
    problem.first_offer = classes.first_share;
    problem.offers.reserve(classes.shares.size());
    for (const share& part : classes.shares) problem.offers.push_back({part.rank, part.volume});
    if (problem.node_of.empty()) return;
    const auto node = [&](rank_number rank) { return problem.node_of[static_cast<std::size_t>(rank)]; };
    problem.first_node_offer.push_back(0);
    for (std::size_t item = 0; item < classes.size(); ++item) {
        std::map<std::int32_t, std::int64_t> held;
        for (std::size_t i = classes.first_share[item]; i < classes.first_share[item + 1]; ++i)
            held[node(classes.shares[i].rank)] += classes.shares[i].volume * (between_nodes - 1);
        for (std::size_t i = classes.first_share[item]; i < classes.first_share[item + 1]; ++i)
            problem.offers[i].gain += held[node(classes.shares[i].rank)];
        for (const auto& [place, gain] : held)
            if (gain > 0) problem.node_offers.push_back({place, gain});
        problem.first_node_offer.push_back(problem.node_offers.size());
    }
}

/// Per class, how many units which rank takes: ascending by class, then rank.
std::vector<allotment> allotments(const assignment_problem& problem, bool& proven) {
    assignment solved = assign(problem);
    proven = solved.proven;
    std::vector<allotment> all = std::move(solved.elsewhere);
    for (std::size_t item = 0; item < problem.units.size(); ++item)
        for (std::size_t i = problem.first_offer[item]; i < problem.first_offer[item + 1]; ++i)
            if (solved.taken[i] > 0)
                all.push_back({static_cast<std::int32_t>(item), problem.offers[i].place, solved.taken[i]});
    std::sort(all.begin(), all.end(), [](const allotment& a, const allotment& b) {
        return a.item != b.item ? a.item < b.item : a.rank < b.rank;
    });
    return all;
}

/// Units of elements become whole patches: what a rank has of a class, rounded down; then every patch that is left goes
/// to the rank below the limit that gains most by it among those that have parts of it, or else to the emptiest so far.
/// A rank is below the limit before its last patch, so it exceeds the limit by less than that patch.
void round_to_patches(std::vector<allotment>& all, const patch_classes& classes, rank_number ranks,
                      std::int64_t limit) {
    std::vector<std::int64_t> load(static_cast<std::size_t>(ranks), 0);
    std::vector<std::int64_t> left = classes.patches;
    std::vector<allotment> partial;
    for (allotment& each : all) {
        const auto item = static_cast<std::size_t>(each.item);
        const std::int64_t volume = classes.volume[item];
        if (each.units % volume != 0) partial.push_back({each.item, each.rank, each.units % volume});
        each.units /= volume;
        left[item] -= each.units;
        load[static_cast<std::size_t>(each.rank)] += each.units * volume;
    }
    rank_number emptiest = 0;
    std::size_t first = 0;
    for (std::size_t item = 0; item < classes.size(); ++item) {
        const auto end =
            std::find_if(partial.begin() + static_cast<std::ptrdiff_t>(first), partial.end(),
                         [&](const allotment& each) { return static_cast<std::size_t>(each.item) != item; });
        std::vector<allotment> mine(partial.begin() + static_cast<std::ptrdiff_t>(first), end);
        first = static_cast<std::size_t>(end - partial.begin());
        std::stable_sort(mine.begin(), mine.end(),
                         [](const allotment& a, const allotment& b) { return a.units > b.units; });
        auto next = mine.begin();
        for (; left[item] > 0; --left[item]) {
            while (next != mine.end() && load[static_cast<std::size_t>(next->rank)] >= limit) ++next;
            if (next == mine.end())
                while (load[static_cast<std::size_t>(emptiest)] >= limit) ++emptiest;
            const rank_number rank = next != mine.end() ? (next++)->rank : emptiest;
            load[static_cast<std::size_t>(rank)] += classes.volume[item];
            all.push_back({static_cast<std::int32_t>(item), rank, 1});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const allotment& a, const allotment& b) { return a.item < b.item; });
}

/// The patches of a class in their order, to its ranks in theirs.
std::vector<rank_number> owners_of(const std::vector<allotment>& all, const patch_classes& classes) {
    struct cursor {
        std::size_t at = 0;
        std::int64_t used = 0;
    };
    std::vector<cursor> cursors(classes.size());
    for (std::size_t i = all.size(); i-- > 0;) cursors[static_cast<std::size_t>(all[i].item)].at = i;
    std::vector<rank_number> owners;
    owners.reserve(classes.class_of_patch.size());
    for (const std::int32_t number : classes.class_of_patch) {
        cursor& next = cursors[static_cast<std::size_t>(number)];
        while (next.used == all[next.at].units) next = {next.at + 1, 0};
        ++next.used;
        owners.push_back(all[next.at].rank);
    }
    return owners;
}

}  // namespace

result<optimal_placement> place_optimal(const sharing& shared, const layout& from, const patch_grid& to,
                                        const placement& how) {
    const patch_classes classes = classify(shared, from, to);
    assignment_problem problem;
    problem.ranks = from.ranks();
    problem.node_of = dense(how.node_of);
    const bool by_elements = how.load == load_measure::elements;
    const std::int64_t total = by_elements ? to.domain().volume() : to.patches();
    problem.most = limit_of(total, from.ranks(), how.balance);
    if (!by_elements && how.balance == 1) problem.least = total / from.ranks();
    problem.units = classes.patches;
    const std::int64_t largest = to.largest_volume();
    const std::int64_t weight = problem.node_of.empty() ? 1 : how.between_nodes;
    if (largest > most_scaled_gain / weight / (std::int64_t{from.ranks()} + 3))
        return status(errc::unsupported, "patches of " + std::to_string(largest) + " elements on " +
                                             std::to_string(from.ranks()) +
                                             " ranks; make the patches smaller, or use greedy or balanced");
    add_offers(problem, classes, weight);
    if (by_elements) {
        // Gain per element: for a whole patch, what it would be for the largest one.
        problem.coarse = true;
        const auto per_element = [&](std::vector<offer>& offers, const std::vector<std::size_t>& first) {
            for (std::size_t item = 0; item + 1 < first.size(); ++item)
                for (std::size_t i = first[item]; i < first[item + 1]; ++i) {
                    __extension__ using wide = __int128;
                    offers[i].gain =
                        static_cast<std::int64_t>(static_cast<wide>(offers[i].gain) * largest / classes.volume[item]);
                }
        };
        per_element(problem.offers, problem.first_offer);
        per_element(problem.node_offers, problem.first_node_offer);
        for (std::size_t item = 0; item < classes.size(); ++item) problem.units[item] *= classes.volume[item];
    }
    // About a second.
    constexpr std::int64_t work_without_exact = 5'000'000;
    if (!how.exact) problem.work = work_without_exact;
    optimal_placement placed;
    std::vector<allotment> all = allotments(problem, placed.proven);
    if (by_elements) round_to_patches(all, classes, from.ranks(), problem.most);
    placed.owners = owners_of(all, classes);
    placed.most_volume =
        by_elements ? problem.most + largest - 1
                    : (problem.most > to.domain().volume() / largest ? to.domain().volume() : problem.most * largest);
    return placed;
}

}  // namespace laconic::redistribute
