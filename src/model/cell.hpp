// SPDX-License-Identifier: BSD-3-Clause
// The words for what a collective does: operations, schedules, payloads, and a cell of schedule x payload. The table of
// algorithms (src/collective) is made of them, and the cost model speaks them.
#pragma once

#include <cstdint>

#include "laconic/codec.hpp"
#include "laconic/collective_options.hpp"

namespace laconic::model {

using laconic::operation;
inline constexpr int operation_count = 8;

enum class schedule_kind : std::uint8_t {
    stock,               ///< the MPI library's own call
    ring,                ///< around the ring; with one source or destination: a chain
    recursive_doubling,  ///< everything exchanged with partners at doubling distances
    rabenseifner,        ///< recursive halving, then recursive doubling
    binomial,            ///< trees
    pairwise,            ///< straight from source to destination
    hierarchical,        ///< shared memory inside a node, a ring between nodes
    chosen,              ///< what the cost model says
};
enum class payload_kind : std::uint8_t { raw, per_hop, once, pipelined, homomorphic, quantised, fused };

/// A cell of the table.
struct cell {
    schedule_kind schedule = schedule_kind::stock;
    payload_kind payload = payload_kind::raw;
    codec_id codec = codec_id::raw;

    friend bool operator==(const cell&, const cell&) = default;
};

/// allreduce, reduce, reduce_scatter.
[[nodiscard]] constexpr bool is_reduction(operation op) noexcept { return op <= operation::reduce_scatter; }

}  // namespace laconic::model
