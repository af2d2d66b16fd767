// SPDX-License-Identifier: BSD-3-Clause
// What `laconic plan` is asked: texts and files flow in, a layout, a patch grid and a placement flow out, or a failure
// that names the flag, the value and the remedy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laconic/redistribute.hpp"

namespace laconic::cli {

struct plan_request {
    std::string global, patch, counts, grid, ranks, boxes, owners;
    std::string placement = "optimal", balance = "1", by = "patches";
    std::string node_size, between_nodes = "8", element_bytes = "8";
    std::string png;
    bool exact = false, pareto = false, json = false;
};

struct plan_question {
    layout from;
    patch_grid to;
    placement how;
    std::vector<std::int64_t> blocks;  ///< of a regular layout; else empty
    std::int64_t element_bytes = 8;
};

/// "1000x1000x40" -> {1000, 1000, 40}; a usage failure that names `flag` for anything else.
[[nodiscard]] std::vector<std::int64_t> extents_of(std::string_view flag, const std::string& text);

[[nodiscard]] plan_question read_plan_question(const plan_request& request);

}  // namespace laconic::cli
