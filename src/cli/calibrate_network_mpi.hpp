// SPDX-License-Identifier: BSD-3-Clause
// The network as the cost model wants it: the ranks of MPI_COMM_WORLD flow in; latency, bandwidth and message cost
// inside a node and between nodes, what a small call costs, and how far stock collectives are from the model's best,
// flow into a machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/node_sizes.hpp"
#include "model/machine.hpp"

namespace laconic::cli {

struct network_settings {
    double seconds_per_size = 0.05;        ///< how long each size is repeated, about; calls of an operation longer
    std::size_t stock_largest = 64 << 20;  ///< bytes of the largest buffer of calls
    /// Ranks of a node share processors: of single messages the least counts, as most wait for somebody's turn.
    bool takes_turns = false;
};

/// Which rank is on which node.
struct topology {
    int ranks = 1, nodes = 1;
    std::vector<int> node_of;     ///< per rank, from 0 in the order of their first ranks
    std::vector<int> processors;  ///< per node, that any of its ranks may run on
    [[nodiscard]] std::vector<int> on_node(int node) const;
    [[nodiscard]] base::node_sizes sizes() const;
    /// The first node that has more ranks than processors, if one has.
    [[nodiscard]] std::optional<int> crowded() const;
};

/// Collective: by shared memory (MPI_COMM_TYPE_SHARED).
[[nodiscard]] topology find_topology();

/// What was measured; the machine keeps its numbers for the rest.
struct network_found {
    bool intra = false, inter = false;
};

/// Collective over MPI_COMM_WORLD, at least two ranks. All ranks get the same numbers.
network_found measure_network(const topology& where, const network_settings& settings, model::machine& found);

/// Collective: times small calls of compressed rows; what model::estimate() lacks becomes the cost of a call and of a
/// message. All ranks get the same numbers. Throws a data failure when a call fails.
void measure_calls(const topology& where, const network_settings& settings, model::machine& found);

/// Collective: times MPI's own calls and every row of the table for some operations on all ranks and divides by the
/// formulas on `found` (model::estimate_classic() and estimate()). All ranks get the same factors. Throws a data
/// failure when a call fails.
void measure_rows(const topology& where, const network_settings& settings, std::span<const operation> operations,
                  model::machine& found);

/// Collective: waits for the others without taking their cores.
void sleep_until_all_arrive();

}  // namespace laconic::cli
