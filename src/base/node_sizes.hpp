// SPDX-License-Identifier: BSD-3-Clause
// The nodes that ranks lie on, as far as costs and bounds ask: how many, and the ranks of the largest and the smallest.
#pragma once

#include <algorithm>
#include <span>

namespace laconic::base {

struct node_sizes {
    int count = 1;
    int largest = 1;
    int smallest = 1;

    friend bool operator==(const node_sizes&, const node_sizes&) = default;
};

/// members   ranks of each node; where it is 0 there is none
[[nodiscard]] inline node_sizes sizes_of(std::span<const int> members) noexcept {
    node_sizes all{0, 0, 0};
    for (const int count : members) {
        if (count == 0) continue;
        all.largest = std::max(all.largest, count);
        all.smallest = all.count == 0 ? count : std::min(all.smallest, count);
        ++all.count;
    }
    return all;
}

}  // namespace laconic::base
