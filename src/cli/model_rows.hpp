// SPDX-License-Identifier: BSD-3-Clause
// Rows of the algorithm table as candidates of the cost model: an operation flows in, names and cells flow out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collective/registry.hpp"
#include "model/cell.hpp"

namespace laconic::cli {

/// Cells of the named rows of an operation that can run with elements of so many bytes, in the table's order; with
/// stock, without `auto`.
[[nodiscard]] inline std::vector<model::cell> model_rows(collective::operation op, unsigned element_bytes) {
    std::vector<model::cell> cells;
    for (const collective::algorithm& row : collective::algorithms()) {
        if (row.op != op || row.what.schedule == collective::schedule_kind::chosen) continue;
        if (element_bytes > 2 || collective::takes_16_bit(row.what)) cells.push_back(row.what);
    }
    return cells;
}

}  // namespace laconic::cli
