// SPDX-License-Identifier: BSD-3-Clause
// Random arrays, layouts and patch grids, small enough to look at every element.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "laconic/redistribute.hpp"

namespace laconic::tests {

class random_layouts {
public:
    explicit random_layouts(unsigned seed) : bits_(seed) {}

    [[nodiscard]] std::int64_t number(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(bits_);
    }
    [[nodiscard]] std::vector<std::int64_t> extents() {
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(number(1, most_dimensions)));
        for (std::int64_t& each : numbers) each = number(1, numbers.size() > 2 ? 9 : 24);
        return numbers;
    }
    [[nodiscard]] std::vector<std::int64_t> up_to(const std::vector<std::int64_t>& most) {
        std::vector<std::int64_t> numbers;
        for (const std::int64_t each : most) numbers.push_back(number(1, each));
        return numbers;
    }
    [[nodiscard]] patch_grid grid(const std::vector<std::int64_t>& extents) {
        return (number(0, 3) ? patch_grid::of_size(extents, up_to(extents))
                             : patch_grid::blocks(extents, up_to(extents)))
            .value();
    }
    /// Regular, or the boxes of random cuts dealt out at random.
    [[nodiscard]] layout any_layout(const std::vector<std::int64_t>& extents) {
        std::vector<std::int64_t> few;
        for (const std::int64_t each : extents) few.push_back(std::min<std::int64_t>(each, 4));
        if (number(0, 1)) return layout::regular(extents, up_to(few)).value();
        return layout::boxes(extents, boxes(extents, 6), 6).value();
    }
    [[nodiscard]] std::vector<owned_box> boxes(const std::vector<std::int64_t>& extents, rank_number ranks) {
        box whole{extents.size(), {}, {}};
        std::copy(extents.begin(), extents.end(), whole.upper.begin());
        std::vector<box> parts{whole};
        for (int i = 0; i < 12; ++i) {
            box& chosen = parts[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(parts.size()) - 1))];
            const auto d = static_cast<std::size_t>(number(0, static_cast<std::int64_t>(extents.size()) - 1));
            if (chosen.extent(d) < 2) continue;
            box upper = chosen;
            chosen.upper[d] = upper.lower[d] = number(chosen.lower[d] + 1, chosen.upper[d] - 1);
            parts.push_back(upper);
        }
        std::vector<owned_box> owned;
        for (const box& part : parts) owned.push_back({static_cast<rank_number>(number(0, ranks - 1)), part});
        return owned;
    }

private:
    std::mt19937 bits_;
};

/// Calls visit(index) with the C-order number of every element of a box.
template <class Visit>
void for_each_element(const box& region, const box& domain, Visit visit) {
    if (region.empty()) return;
    std::array<std::int64_t, most_dimensions> at = region.lower;
    while (true) {
        std::int64_t index = 0;
        for (std::size_t d = 0; d < domain.dimensions; ++d) index = index * domain.upper[d] + at[d];
        visit(static_cast<std::size_t>(index));
        std::size_t d = domain.dimensions;
        while (d > 0 && ++at[d - 1] == region.upper[d - 1]) {
            at[d - 1] = region.lower[d - 1];
            --d;
        }
        if (d == 0) return;
    }
}

}  // namespace laconic::tests
