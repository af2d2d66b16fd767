// SPDX-License-Identifier: BSD-3-Clause
// Redistribution planned for Python: extents, patches and a layout flow in, owners, corners of patches and figures flow
// out.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace laconic::python {

using extents_argument = std::vector<std::int64_t>;
/// A rank, and the lower and upper corner of a box that it holds.
using box_argument = std::tuple<std::int32_t, extents_argument, extents_argument>;

/// (int32 owners, int64 lower corners, int64 upper corners, all as bytes; figures as a dict; patches in each dimension
/// as a tuple; of all boxes, by rank: int32 ranks, int64 lower corners, int64 upper corners, as bytes).
[[nodiscard]] pybind11::tuple plan_redistribution(
    const extents_argument& extents, const std::optional<extents_argument>& patch,
    const std::optional<extents_argument>& patches, std::int64_t ranks, const std::optional<extents_argument>& blocks,
    const std::optional<std::vector<box_argument>>& boxes, const std::string& placement, double balance,
    const std::optional<std::vector<std::int32_t>>& owners, const std::string& load, bool exact,
    const std::optional<std::vector<std::int32_t>>& node_of, std::int64_t between_nodes);

/// What a rank sends, receives and keeps in a plan that was made before: of each of the three the peers, patches and
/// parts (int32) and the corners (int64) of all pieces, as bytes. boxes, owners: as plan_redistribution() returns them.
[[nodiscard]] pybind11::tuple transfers_of_rank(const extents_argument& extents,
                                                const std::optional<extents_argument>& patch,
                                                const extents_argument& counts, std::int64_t ranks,
                                                const pybind11::tuple& boxes, const pybind11::bytes& owners,
                                                std::int64_t rank);

}  // namespace laconic::python
