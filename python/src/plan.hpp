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
[[nodiscard]] pybind11::tuple plan_redistribution(const extents_argument& extents,
                                                  const std::optional<extents_argument>& patch,
                                                  const std::optional<extents_argument>& patches, std::int64_t ranks,
                                                  const std::optional<extents_argument>& blocks,
                                                  const std::optional<std::vector<box_argument>>& boxes,
                                                  const std::string& placement, double balance,
                                                  const std::optional<std::vector<std::int32_t>>& owners);

}  // namespace laconic::python
