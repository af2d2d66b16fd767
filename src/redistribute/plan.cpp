// SPDX-License-Identifier: BSD-3-Clause
// A layout, a grid and a placement flow in; a plan, and from it the part of one rank, flows out.
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numeric>

#include "redistribute/count_placements.hpp"
#include "redistribute/no_memory.hpp"
#include "redistribute/optimal.hpp"
#include "redistribute/plan_state.hpp"

namespace laconic {
namespace {

constexpr std::array<std::string_view, 5> names{"greedy", "balanced", "round_robin", "optimal", "given"};

status check_entries(std::string_view what, std::span<const std::int32_t> entries, std::int64_t wanted,
                     std::string_view of, std::int64_t below) {
    const std::string name(what);
    if (entries.size() != static_cast<std::size_t>(wanted))
        return {errc::invalid_argument, name + " has " + std::to_string(entries.size()) +
                                            " entries; give one for each of " + std::to_string(wanted) + " " +
                                            std::string(of)};
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i] < 0 || entries[i] >= below)
            return {errc::invalid_argument, name + "[" + std::to_string(i) + "] is " + std::to_string(entries[i]) +
                                                "; give 0 to " + std::to_string(below - 1)};
    return {};
}

status check_placement(const placement& how, const layout& from, const patch_grid& to) {
    if (from.domain() != to.domain())
        return {errc::mismatch, "the layout is of the array " + from.domain().text() + ", the patch grid of " +
                                    to.domain().text() + "; give both the same extents"};
    if (!how.node_of.empty())
        if (status bad = check_entries("node_of", how.node_of, from.ranks(), "ranks", INT32_MAX); !bad.ok()) return bad;
    if (how.kind == placement_kind::given)
        return check_entries("owners", how.owners, to.patches(), "patches", from.ranks());
    if (how.kind != placement_kind::optimal) return {};
    if (!(how.balance >= 1 && how.balance <= 1e6))
        return {errc::invalid_argument,
                "balance " + std::to_string(how.balance) + "; give 1 (as even as can be) to 1e6 (least movement)"};
    if (how.between_nodes < 1 || how.between_nodes > 1000)
        return {errc::invalid_argument, "between_nodes is " + std::to_string(how.between_nodes) + "; give 1 to 1000"};
    return {};
}

}  // namespace

std::string_view name_of(placement_kind kind) noexcept { return names[static_cast<std::size_t>(kind)]; }

result<placement_kind> placement_named(std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name == "explicit" ? "given" : name);
    if (found != names.end()) return static_cast<placement_kind>(found - names.begin());
    return redistribute::told([&] {
        return status(errc::invalid_argument,
                      "no placement '" + std::string(name) + "'; use greedy, balanced, round_robin, optimal or given");
    });
}

result<plan> plan::make(const layout& from, const patch_grid& to, const placement& how) try {
    if (status bad = check_placement(how, from, to); !bad.ok()) return bad;
    auto made = std::make_shared<state>(from, to);
    made->received_at_most = to.domain().volume();
    made->node_of = how.node_of;
    switch (how.kind) {
        case placement_kind::greedy:
            made->owners = redistribute::place_greedy(made->shared, to.patches());
            // It looks at ranks, not at what a node holds in all.
            made->proven_optimal = how.node_of.empty() || how.between_nodes == 1;
            break;
        case placement_kind::balanced: {
            auto placed = redistribute::place_balanced(made->shared, to.patches(), from.ranks());
            made->owners = std::move(placed.owners);
            made->forced = placed.forced;
            break;
        }
        case placement_kind::round_robin:
            made->owners = redistribute::place_round_robin(to.patches(), from.ranks());
            break;
        case placement_kind::given: made->owners = how.owners; break;
        case placement_kind::optimal: {
            auto placed = redistribute::place_optimal(made->shared, from, to, how);
            if (!placed) return placed.error();
            made->owners = std::move(placed->owners);
            made->proven_optimal = placed->proven;
            made->received_at_most = std::min(made->received_at_most, placed->most_volume);
            break;
        }
    }
    made->first_of_rank.assign(static_cast<std::size_t>(from.ranks()) + 1, 0);
    for (const rank_number owner : made->owners) ++made->first_of_rank[static_cast<std::size_t>(owner) + 1];
    std::partial_sum(made->first_of_rank.begin(), made->first_of_rank.end(), made->first_of_rank.begin());
    made->by_rank.resize(made->owners.size());
    std::vector<std::size_t> next(made->first_of_rank.begin(), made->first_of_rank.end() - 1);
    for (std::size_t patch = 0; patch < made->owners.size(); ++patch)
        made->by_rank[next[static_cast<std::size_t>(made->owners[patch])]++] = static_cast<patch_number>(patch);
    return plan(std::move(made));
} catch (const std::bad_alloc&) {
    // Whose they are, and the patches of each rank.
    const std::size_t bytes = static_cast<std::size_t>(to.patches()) * (sizeof(rank_number) + sizeof(patch_number)) +
                              (static_cast<std::size_t>(from.ranks()) + 1) * sizeof(std::size_t);
    return redistribute::no_memory("the plan", bytes, "use larger patches, or fewer ranks");
}

const layout& plan::from() const noexcept { return state_->from; }
const patch_grid& plan::to() const noexcept { return state_->to; }
std::span<const rank_number> plan::owners() const noexcept { return state_->owners; }

std::span<const patch_number> plan::patches_of(rank_number rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return std::span(state_->by_rank)
        .subspan(state_->first_of_rank[at], state_->first_of_rank[at + 1] - state_->first_of_rank[at]);
}

rank_plan plan::of_rank(rank_number rank) const {
    rank_plan mine;
    const auto patches = patches_of(rank);
    mine.patches.assign(patches.begin(), patches.end());
    std::vector<redistribute::piece> pieces;
    state_->shared.pieces_of_rank(rank, pieces);
    for (const redistribute::piece& part : pieces) {
        const rank_number owner = state_->owners[static_cast<std::size_t>(part.patch)];
        (owner == rank ? mine.copies : mine.sends).push_back({owner, part.patch, part.region, part.part});
    }
    for (const patch_number patch : patches) {
        state_->shared.pieces_of_patch(patch, pieces);
        for (const redistribute::piece& part : pieces)
            if (part.rank != rank) mine.receives.push_back({part.rank, patch, part.region, part.part});
    }
    return mine;
}

}  // namespace laconic
