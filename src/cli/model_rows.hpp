// SPDX-License-Identifier: BSD-3-Clause
// Rows of the algorithm table as candidates of the cost model: an operation flows in, names and cells flow out. The
// model lies below the table and has words of its own; here they are held against each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collective/registry.hpp"
#include "model/cell.hpp"

namespace laconic::cli {

namespace same_words {
template <class Registry, class Model>
constexpr bool same(Registry a, Model b) {
    return static_cast<int>(a) == static_cast<int>(b);
}
using rs = collective::schedule_kind;
using ms = model::schedule_kind;
using rp = collective::payload_kind;
using mp = model::payload_kind;
using ro = collective::operation;
using mo = model::operation;
static_assert(same(rs::stock, ms::stock) && same(rs::ring, ms::ring) &&
              same(rs::recursive_doubling, ms::recursive_doubling) && same(rs::rabenseifner, ms::rabenseifner) &&
              same(rs::binomial, ms::binomial) && same(rs::pairwise, ms::pairwise) &&
              same(rs::hierarchical, ms::hierarchical) && same(rs::chosen, ms::chosen));
static_assert(same(rp::raw, mp::raw) && same(rp::per_hop, mp::per_hop) && same(rp::once, mp::once) &&
              same(rp::pipelined, mp::pipelined) && same(rp::homomorphic, mp::homomorphic) &&
              same(rp::quantised, mp::quantised) && same(rp::fused, mp::fused));
static_assert(same(ro::allreduce, mo::allreduce) && same(ro::reduce, mo::reduce) &&
              same(ro::reduce_scatter, mo::reduce_scatter) && same(ro::allgather, mo::allgather) &&
              same(ro::gather, mo::gather) && same(ro::scatter, mo::scatter) && same(ro::bcast, mo::bcast) &&
              same(ro::alltoall, mo::alltoall) && collective::operation_count == model::operation_count);
}  // namespace same_words

[[nodiscard]] inline model::operation model_operation(collective::operation op) noexcept {
    return static_cast<model::operation>(op);
}

/// Cells of the named rows of an operation, in the table's order; with stock, without `auto`.
[[nodiscard]] inline std::vector<model::cell> model_rows(collective::operation op) {
    std::vector<model::cell> cells;
    for (const collective::algorithm& row : collective::algorithms())
        if (row.op == op && row.what.schedule != collective::schedule_kind::chosen)
            cells.push_back(model::cell_from(row.what));
    return cells;
}

/// The name of a cell as users write it.
[[nodiscard]] inline std::string model_row_name(collective::operation op, const model::cell& what) {
    return collective::name_of(op, {static_cast<collective::schedule_kind>(what.schedule),
                                    static_cast<collective::payload_kind>(what.payload), what.codec});
}

}  // namespace laconic::cli
