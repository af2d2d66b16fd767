// SPDX-License-Identifier: BSD-3-Clause
// The nodes that ranks lie on, as far as costs and bounds ask: how many, and the ranks of the largest and the smallest.
#pragma once

namespace laconic::base {

struct node_sizes {
    int count = 1;
    int largest = 1;
    int smallest = 1;

    friend bool operator==(const node_sizes&, const node_sizes&) = default;
};

}  // namespace laconic::base
