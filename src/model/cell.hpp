// SPDX-License-Identifier: BSD-3-Clause
// The words that the cost model speaks: operations, schedules, payloads and a cell of schedule x payload. The registry
// of src/collective stands on a higher floor and has the same words in the same order: cell_from() takes its cells in.
#pragma once

#include <cstdint>

#include "laconic/codec.hpp"

namespace laconic::model {

enum class operation : std::uint8_t { allreduce, reduce, reduce_scatter, allgather, gather, scatter, bcast, alltoall };
inline constexpr int operation_count = 8;

enum class schedule_kind : std::uint8_t {
    stock,
    ring,
    recursive_doubling,
    rabenseifner,
    binomial,
    pairwise,
    hierarchical,
    chosen,
};
enum class payload_kind : std::uint8_t { raw, per_hop, once, pipelined, homomorphic, quantised, fused };

struct cell {
    schedule_kind schedule = schedule_kind::stock;
    payload_kind payload = payload_kind::raw;
    codec_id codec = codec_id::raw;

    friend bool operator==(const cell&, const cell&) = default;
};

/// allreduce, reduce, reduce_scatter.
[[nodiscard]] constexpr bool is_reduction(operation op) noexcept { return op <= operation::reduce_scatter; }

/// A cell of the registry as a cell of the model. Precondition: both enumerate in the same order.
template <class Cell>
[[nodiscard]] constexpr cell cell_from(const Cell& other) noexcept {
    return {static_cast<schedule_kind>(other.schedule), static_cast<payload_kind>(other.payload), other.codec};
}

}  // namespace laconic::model
