// SPDX-License-Identifier: BSD-3-Clause
// Extents and the size or number of patches flow in, the places where each dimension is cut flow out.
#include <algorithm>

#include "redistribute/extents.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic {

using redistribute::check_counts;
using redistribute::domain_of;
using redistribute::even_cuts;

namespace {

status no_memory_for(std::span<const std::int64_t> counts) noexcept {
    return redistribute::no_memory("the patches", redistribute::bytes_of_cuts(counts), "use larger patches");
}

}  // namespace

result<patch_grid> patch_grid::of_size(std::span<const std::int64_t> extents, std::span<const std::int64_t> patch) {
    const result<box> domain = domain_of(extents);
    if (!domain) return domain.error();
    if (patch.size() != extents.size())
        return status(errc::invalid_argument, "a patch of " + std::to_string(patch.size()) +
                                                  " dimensions for an array of " + std::to_string(extents.size()) +
                                                  "; give one extent for each dimension");
    std::vector<std::int64_t> counts;
    for (std::size_t d = 0; d < patch.size(); ++d) {
        if (patch[d] < 1 || patch[d] > extents[d])
            return status(errc::invalid_argument, "patch extent " + std::to_string(patch[d]) + " in dimension " +
                                                      std::to_string(d) + " of extent " + std::to_string(extents[d]) +
                                                      "; give 1 to " + std::to_string(extents[d]));
        counts.push_back((extents[d] - 1) / patch[d] + 1);
    }
    if (status bad = check_counts(*domain, counts, "patches"); !bad.ok()) return bad;
    const auto make = [&]() -> result<patch_grid> {
        patch_grid grid;
        grid.domain_ = *domain;
        grid.patches_ = 1;
        for (std::size_t d = 0; d < patch.size(); ++d) {
            grid.patches_ *= static_cast<patch_number>(counts[d]);
            grid.cuts_[d].reserve(static_cast<std::size_t>(counts[d]) + 1);
            for (std::int64_t cut = 0; cut < counts[d]; ++cut) grid.cuts_[d].push_back(cut * patch[d]);
            grid.cuts_[d].push_back(extents[d]);
        }
        return grid;
    };
    return redistribute::or_no_memory(make, [&] { return no_memory_for(counts); });
}

result<patch_grid> patch_grid::blocks(std::span<const std::int64_t> extents, std::span<const std::int64_t> counts) {
    const result<box> domain = domain_of(extents);
    if (!domain) return domain.error();
    if (status bad = check_counts(*domain, counts, "patches"); !bad.ok()) return bad;
    const auto make = [&]() -> result<patch_grid> {
        patch_grid grid;
        grid.domain_ = *domain;
        grid.patches_ = 1;
        for (std::size_t d = 0; d < counts.size(); ++d) {
            grid.patches_ *= static_cast<patch_number>(counts[d]);
            grid.cuts_[d] = even_cuts(extents[d], counts[d]);
        }
        return grid;
    };
    return redistribute::or_no_memory(make, [&] { return no_memory_for(counts); });
}

box patch_grid::patch(patch_number patch) const noexcept {
    box region{domain_.dimensions, {}, {}};
    std::int64_t rest = patch;
    for (std::size_t d = domain_.dimensions; d-- > 0;) {
        const auto at = static_cast<std::size_t>(rest % count(d));
        rest /= count(d);
        region.lower[d] = cuts_[d][at];
        region.upper[d] = cuts_[d][at + 1];
    }
    return region;
}

std::int64_t patch_grid::largest_volume() const noexcept {
    std::int64_t volume = 1;
    for (std::size_t d = 0; d < domain_.dimensions; ++d) {
        std::int64_t longest = 0;
        for (std::size_t i = 1; i < cuts_[d].size(); ++i) longest = std::max(longest, cuts_[d][i] - cuts_[d][i - 1]);
        volume *= longest;
    }
    return volume;
}

}  // namespace laconic
