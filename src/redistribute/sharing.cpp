// SPDX-License-Identifier: BSD-3-Clause
// Cuts against cuts for regular layouts; for boxes, an index from patches to the boxes that touch them.
#include "redistribute/sharing.hpp"

#include <algorithm>
#include <numeric>

#include "redistribute/layout_state.hpp"

namespace laconic::redistribute {
namespace {

using indices = std::array<std::int64_t, most_dimensions>;

/// Calls visit(number, at) for every index vector from `first` to `last` inclusive, in C order; `number` counts the
/// vectors of a grid of `counts`.
template <class Visit>
void for_each_index(std::size_t dimensions, const indices& counts, const indices& first, const indices& last,
                    Visit visit) {
    indices at = first;
    while (true) {
        std::int64_t number = 0;
        for (std::size_t d = 0; d < dimensions; ++d) number = number * counts[d] + at[d];
        visit(number, at);
        std::size_t d = dimensions;
        while (d > 0 && at[d - 1] == last[d - 1]) {
            at[d - 1] = first[d - 1];
            --d;
        }
        if (d == 0) return;
        ++at[d - 1];
    }
}

/// Calls visit(patch) for the patches that touch a box, ascending.
template <class Visit>
void for_each_patch(const patch_grid& to, const box& region, Visit visit) {
    indices counts{}, first{}, last{};
    for (std::size_t d = 0; d < region.dimensions; ++d) {
        const auto cuts = to.cuts(d);
        counts[d] = to.count(d);
        first[d] = std::upper_bound(cuts.begin(), cuts.end(), region.lower[d]) - cuts.begin() - 1;
        last[d] = std::lower_bound(cuts.begin(), cuts.end(), region.upper[d]) - cuts.begin() - 1;
    }
    for_each_index(region.dimensions, counts, first, last,
                   [&](std::int64_t number, const indices&) { visit(static_cast<patch_number>(number)); });
}

}  // namespace

sharing::sharing(const layout& from, const patch_grid& to) : from_(from), to_(to) {
    const layout::state& state = from_.inner();
    if (!state.regular) {
        index_boxes();
        return;
    }
    for (std::size_t d = 0; d < state.domain.dimensions; ++d) {
        const auto& blocks = state.cuts[d];
        const auto patches = to_.cuts(d);
        spans_[d].resize(patches.size() - 1);
        std::size_t block = 0;
        for (std::size_t i = 0; i + 1 < patches.size(); ++i) {
            while (blocks[block + 1] <= patches[i]) ++block;
            spans_[d][i].first = static_cast<std::int32_t>(block);
            while (blocks[block + 1] < patches[i + 1]) ++block;
            spans_[d][i].last = static_cast<std::int32_t>(block);
        }
    }
}

void sharing::index_boxes() {
    const auto& owned = from_.inner().owned;
    first_of_patch_.assign(static_cast<std::size_t>(to_.patches()) + 1, 0);
    for (const owned_box& mine : owned)
        for_each_patch(to_, mine.region, [&](patch_number p) { ++first_of_patch_[static_cast<std::size_t>(p) + 1]; });
    std::partial_sum(first_of_patch_.begin(), first_of_patch_.end(), first_of_patch_.begin());
    box_of_piece_.resize(first_of_patch_.back());
    std::vector<std::size_t> next(first_of_patch_.begin(), first_of_patch_.end() - 1);
    for (std::size_t i = 0; i < owned.size(); ++i)
        for_each_patch(to_, owned[i].region, [&](patch_number p) {
            box_of_piece_[next[static_cast<std::size_t>(p)]++] = static_cast<std::uint32_t>(i);
        });
}

void sharing::shares_of(patch_number patch, std::vector<share>& out) const {
    out.clear();
    const layout::state& state = from_.inner();
    if (!state.regular) {
        const box whole = to_.patch(patch);
        const auto p = static_cast<std::size_t>(patch);
        for (std::size_t i = first_of_patch_[p]; i < first_of_patch_[p + 1]; ++i) {
            const owned_box& mine = state.owned[box_of_piece_[i]];
            const std::int64_t volume = intersection(whole, mine.region).volume();
            if (!out.empty() && out.back().rank == mine.rank)
                out.back().volume += volume;
            else
                out.push_back({mine.rank, volume});
        }
        return;
    }
    // Dimension by dimension, what there is splits into the blocks that the patch touches.
    out.push_back({0, 1});
    std::array<std::size_t, most_dimensions> index{};
    auto rest = static_cast<std::size_t>(patch);
    for (std::size_t d = state.domain.dimensions; d-- > 0;) {
        index[d] = rest % spans_[d].size();
        rest /= spans_[d].size();
    }
    for (std::size_t d = 0; d < state.domain.dimensions; ++d) {
        const auto& blocks = state.cuts[d];
        const auto [first, last] = spans_[d][index[d]];
        const auto width = static_cast<std::size_t>(last - first) + 1, before = out.size();
        const std::int64_t lower = to_.cuts(d)[index[d]], upper = to_.cuts(d)[index[d] + 1];
        out.resize(before * width);
        for (std::size_t i = before; i-- > 0;) {
            const share whole = out[i];
            for (std::size_t j = width; j-- > 0;) {
                const auto block = static_cast<std::size_t>(first) + j;
                const std::int64_t length = std::min(upper, blocks[block + 1]) - std::max(lower, blocks[block]);
                out[i * width + j] = {
                    static_cast<rank_number>(static_cast<std::size_t>(whole.rank) * (blocks.size() - 1) + block),
                    whole.volume * length};
            }
        }
    }
}

void sharing::pieces_of_patch(patch_number patch, std::vector<piece>& out) const {
    out.clear();
    const layout::state& state = from_.inner();
    const box whole = to_.patch(patch);
    if (state.regular) {
        std::vector<share> shares;
        shares_of(patch, shares);
        for (const share& part : shares)
            out.push_back({part.rank, patch, intersection(whole, state.block(part.rank)), 0});
        return;
    }
    const auto p = static_cast<std::size_t>(patch);
    for (std::size_t i = first_of_patch_[p]; i < first_of_patch_[p + 1]; ++i) {
        const std::size_t at = box_of_piece_[i];
        const owned_box& mine = state.owned[at];
        const std::size_t first = state.first_of_rank[static_cast<std::size_t>(mine.rank)];
        out.push_back({mine.rank, patch, intersection(whole, mine.region), static_cast<std::int32_t>(at - first)});
    }
}

void sharing::pieces_of_rank(rank_number rank, std::vector<piece>& out) const {
    out.clear();
    std::int32_t part = 0;
    for (const box& mine : from_.boxes_of(rank)) {
        for_each_patch(to_, mine, [&](patch_number patch) {
            out.push_back({rank, patch, intersection(to_.patch(patch), mine), part});
        });
        ++part;
    }
    std::stable_sort(out.begin(), out.end(), [](const piece& a, const piece& b) { return a.patch < b.patch; });
}

}  // namespace laconic::redistribute
