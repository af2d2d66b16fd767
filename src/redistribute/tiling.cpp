// SPDX-License-Identifier: BSD-3-Clause
// A box is the sum, over its corners with alternating signs, of orthants that open upwards. So boxes cover every
// element once exactly when their signed corners cancel down to those of the domain; and at the first corner (in C
// order) that is left, the coverage is off by its coefficient, because no other corner lies below it.
#include "redistribute/tiling.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace laconic::redistribute {
namespace {

struct corner {
    std::array<std::int64_t, most_dimensions> at{};
    std::int64_t sign = 0;
};

void add_corners(const box& region, std::int64_t sign, std::vector<corner>& corners) {
    for (unsigned which = 0; which < 1U << region.dimensions; ++which) {
        corner next{{}, sign};
        for (std::size_t d = 0; d < region.dimensions; ++d) {
            const bool upper = (which >> d & 1U) != 0;
            next.at[d] = upper ? region.upper[d] : region.lower[d];
            if (upper) next.sign = -next.sign;
        }
        corners.push_back(next);
    }
}

bool holds(const box& region, const corner& point) {
    for (std::size_t d = 0; d < region.dimensions; ++d)
        if (point.at[d] < region.lower[d] || point.at[d] >= region.upper[d]) return false;
    return true;
}

std::string element_text(const corner& point, std::size_t dimensions) {
    std::string text = "(";
    for (std::size_t d = 0; d < dimensions; ++d) text += (d ? ", " : "") + std::to_string(point.at[d]);
    return text + ")";
}

status fault_at(const corner& point, const box& domain, std::span<const owned_box> owned) {
    const std::string element = element_text(point, domain.dimensions);
    if (point.sign < 0)
        return {errc::mismatch, "element " + element + " of the array " + domain.text() +
                                    " is in no rank's box; give every element to one rank"};
    std::string text;
    int named = 0;
    for (const owned_box& mine : owned) {
        if (!holds(mine.region, point) || named == 2) continue;
        text += (named++ ? " and box " : "box ") + mine.region.text() + " of rank " + std::to_string(mine.rank);
    }
    return {errc::mismatch, text + " overlap at element " + element + "; give every element to one rank"};
}

}  // namespace

std::size_t tiling_bytes(std::size_t boxes, std::size_t dimensions) noexcept {
    return ((boxes + 1) << dimensions) * sizeof(corner);
}

status check_tiling(const box& domain, std::span<const owned_box> owned) {
    std::vector<corner> corners;
    corners.reserve((owned.size() + 1) << domain.dimensions);
    add_corners(domain, -1, corners);
    for (const owned_box& mine : owned) add_corners(mine.region, 1, corners);
    std::sort(corners.begin(), corners.end(), [](const corner& a, const corner& b) { return a.at < b.at; });
    for (std::size_t i = 0; i < corners.size();) {
        corner sum = corners[i++];
        for (; i < corners.size() && corners[i].at == sum.at; ++i) sum.sign += corners[i].sign;
        if (sum.sign != 0) return fault_at(sum, domain, owned);
    }
    return {};
}

}  // namespace laconic::redistribute
