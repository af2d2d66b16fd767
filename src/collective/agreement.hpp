// SPDX-License-Identifier: BSD-3-Clause
// One small allreduce before any data moves. Each rank's view of the call flows in, valid or not; out flows, on all
// ranks alike, either the range of all ranks' values or the reason why the call cannot run. A rank with a bad
// argument takes part here, so the others learn of it instead of waiting for it.
#pragma once

#include <cstdint>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"
#include "laconic/collective.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

/// What has to be the same on every rank.
struct call_shape {
    std::uint64_t count = 0;
    element_type type = element_type::f32;
    reduction op = reduction::sum;
    bound limit;
    scope bound_scope = scope::result;
    std::uint32_t algorithm = 0;  ///< index into algorithms()
    std::uint64_t segment_bytes = 0;
};

/// The finite values of one rank, or of all of them.
struct value_span {
    bool any_finite = false;
    double min = 0, max = 0, max_abs = 0;
};

/// Collective over the channel.
/// local   ok, or why this rank cannot run the call; `shape` then counts for nothing
/// returns the span over all ranks; else on all ranks the same status: the local failure of the lowest rank among
///         those with the highest code, prefixed with its rank; mismatch naming both values; or mpi.
[[nodiscard]] result<value_span> agree(mpi::channel& channel, const call_shape& shape, const value_span& values,
                                       const status& local);

}  // namespace laconic::collective
