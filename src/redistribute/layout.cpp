// SPDX-License-Identifier: BSD-3-Clause
// Extents with blocks or boxes flow in; a checked layout, or a status that names rank and box, flows out.
#include <algorithm>
#include <numeric>

#include "redistribute/extents.hpp"
#include "redistribute/layout_state.hpp"
#include "redistribute/no_memory.hpp"
#include "redistribute/tiling.hpp"

namespace laconic {

using redistribute::domain_of;
using redistribute::no_memory;
using redistribute::or_no_memory;

box layout::state::block(rank_number rank) const noexcept {
    box region{domain.dimensions, {}, {}};
    std::size_t rest = static_cast<std::size_t>(rank);
    for (std::size_t d = domain.dimensions; d-- > 0;) {
        const std::size_t at = rest % (cuts[d].size() - 1);
        rest /= cuts[d].size() - 1;
        region.lower[d] = cuts[d][at];
        region.upper[d] = cuts[d][at + 1];
    }
    return region;
}

result<layout> layout::regular(std::span<const std::int64_t> extents, std::span<const std::int64_t> blocks) {
    const result<box> domain = domain_of(extents);
    if (!domain) return domain.error();
    if (status bad = redistribute::check_counts(*domain, blocks, "blocks"); !bad.ok()) return bad;
    const auto make = [&]() -> result<layout> {
        auto made = std::make_shared<state>();
        made->domain = *domain;
        made->regular = true;
        made->ranks = 1;
        for (std::size_t d = 0; d < blocks.size(); ++d) {
            made->ranks *= static_cast<rank_number>(blocks[d]);
            made->cuts[d] = redistribute::even_cuts(extents[d], blocks[d]);
        }
        return layout(std::move(made));
    };
    return or_no_memory(make, [&] {
        return no_memory("the layout in blocks", redistribute::bytes_of_cuts(blocks), "use fewer blocks");
    });
}

namespace {

status check_box(const box& domain, const owned_box& mine, std::int64_t ranks) {
    const auto fault = [&](const std::string& what) {
        return status(errc::mismatch, "box " + mine.region.text() + " of rank " + std::to_string(mine.rank) + what);
    };
    if (mine.rank < 0 || mine.rank >= ranks)
        return fault(": there is no such rank; give 0 to " + std::to_string(ranks - 1));
    if (mine.region.dimensions != domain.dimensions)
        return fault(" has " + std::to_string(mine.region.dimensions) + " dimensions, the array " +
                     std::to_string(domain.dimensions) + "; give it as many");
    if (mine.region.empty()) return fault(" is empty; leave it out");
    for (std::size_t d = 0; d < domain.dimensions; ++d)
        if (mine.region.lower[d] < 0 || mine.region.upper[d] > domain.upper[d])
            return fault(" leaves the array " + domain.text() + " in dimension " + std::to_string(d) +
                         "; cut it off there");
    return {};
}

}  // namespace

result<layout> layout::boxes(std::span<const std::int64_t> extents, std::span<const owned_box> owned,
                             std::int64_t ranks) {
    const result<box> domain = domain_of(extents);
    if (!domain) return domain.error();
    if (ranks < 1 || ranks > INT32_MAX)
        return status(errc::invalid_argument, std::to_string(ranks) + " ranks; give 1 to 2^31 - 1");
    for (const owned_box& mine : owned)
        if (status bad = check_box(*domain, mine, ranks); !bad.ok()) return bad;
    const auto make = [&]() -> result<layout> {
        if (status bad = redistribute::check_tiling(*domain, owned); !bad.ok()) return bad;
        auto made = std::make_shared<state>();
        made->domain = *domain;
        made->ranks = static_cast<rank_number>(ranks);
        made->owned.assign(owned.begin(), owned.end());
        std::stable_sort(made->owned.begin(), made->owned.end(),
                         [](const owned_box& a, const owned_box& b) { return a.rank < b.rank; });
        made->first_of_rank.assign(static_cast<std::size_t>(ranks) + 1, 0);
        for (const owned_box& mine : owned) ++made->first_of_rank[static_cast<std::size_t>(mine.rank) + 1];
        std::partial_sum(made->first_of_rank.begin(), made->first_of_rank.end(), made->first_of_rank.begin());
        return layout(std::move(made));
    };
    return or_no_memory(make, [&] {
        const std::size_t bytes =
            std::max(redistribute::tiling_bytes(owned.size(), domain->dimensions),
                     owned.size_bytes() + (static_cast<std::size_t>(ranks) + 1) * sizeof(std::size_t));
        return no_memory("the layout of boxes", bytes, "use fewer boxes or ranks");
    });
}

const box& layout::domain() const noexcept { return state_->domain; }
rank_number layout::ranks() const noexcept { return state_->ranks; }

std::int64_t layout::volume(rank_number rank) const noexcept {
    if (state_->regular) return state_->block(rank).volume();
    std::int64_t sum = 0;
    const auto at = static_cast<std::size_t>(rank);
    for (std::size_t i = state_->first_of_rank[at]; i < state_->first_of_rank[at + 1]; ++i)
        sum += state_->owned[i].region.volume();
    return sum;
}

std::vector<box> layout::boxes_of(rank_number rank) const {
    if (state_->regular) return {state_->block(rank)};
    std::vector<box> mine;
    const auto at = static_cast<std::size_t>(rank);
    for (std::size_t i = state_->first_of_rank[at]; i < state_->first_of_rank[at + 1]; ++i)
        mine.push_back(state_->owned[i].region);
    return mine;
}

namespace {

/// The best way to write `ranks` as a product over dimensions d...: the most even one, larger numbers first where
/// extents allow. `most` bounds the next number from above, so that products are met in descending order once.
void search(std::int64_t ranks, std::span<const std::int64_t> extents, std::vector<std::int64_t>& chosen,
            std::vector<std::int64_t>& best) {
    const std::size_t d = chosen.size();
    if (d + 1 == extents.size()) {
        if (ranks > extents[d]) return;
        chosen.push_back(ranks);
        const auto descending = [](std::vector<std::int64_t> numbers) {
            std::sort(numbers.rbegin(), numbers.rend());
            return numbers;
        };
        // The most even product is the one whose sorted numbers are least in dictionary order.
        const auto mine = descending(chosen), other = descending(best);
        if (best.empty() || mine < other || (mine == other && chosen > best)) best = chosen;
        chosen.pop_back();
        return;
    }
    const auto attempt = [&](std::int64_t number) {
        if (number > extents[d]) return;
        chosen.push_back(number);
        search(ranks / number, extents, chosen, best);
        chosen.pop_back();
    };
    for (std::int64_t low = 1; low * low <= ranks; ++low) {
        if (ranks % low != 0) continue;
        attempt(low);
        if (low * low != ranks) attempt(ranks / low);
    }
}

}  // namespace

result<std::vector<std::int64_t>> even_blocks(std::int64_t ranks, std::span<const std::int64_t> extents) try {
    if (const result<box> domain = domain_of(extents); !domain) return domain.error();
    if (ranks < 1 || ranks > INT32_MAX)
        return status(errc::invalid_argument, std::to_string(ranks) + " ranks; give 1 to 2^31 - 1");
    std::vector<std::int64_t> chosen, best;
    search(ranks, extents, chosen, best);
    if (best.empty())
        return status(errc::invalid_argument, std::to_string(ranks) + " ranks cannot be laid out in blocks over " +
                                                  redistribute::product_text(extents) +
                                                  " elements; use another number of ranks, or boxes");
    return best;
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory");
}

}  // namespace laconic
