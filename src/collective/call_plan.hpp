// SPDX-License-Identifier: BSD-3-Clause
// How a call quantises: what runs, its options and the span of all ranks' values flow in; the one quantiser of all
// ranks, and what it guarantees, flow out. No communication.
#pragma once

#include <algorithm>

#include "collective/agreement.hpp"
#include "collective/geometry.hpp"
#include "collective/quantisation.hpp"
#include "laconic/collective_options.hpp"
#include "model/cost.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

struct planned_call {
    operation op = operation::allreduce;
    reduction combine = reduction::sum;
    cell what;
    bound limit;
    scope bound_scope = scope::result;
    double confidence = 0.9544;
    int ranks = 1;
    int nodes = 1;         ///< of a hierarchical cell: contributions are the sums of the nodes
    int largest_node = 1;  ///< ranks of the largest one
};

/// Whether a row compresses and makes partial sums, or minima and so on, in the type of the elements.
[[nodiscard]] bool adds_values(operation op, const cell& what) noexcept;

/// How errors meet in an operation.
[[nodiscard]] growth growth_of(operation op, reduction combine) noexcept;

/// Precondition: values are the same on all ranks. An empty plan where nothing is compressed.
template <class T>
[[nodiscard]] quantisation<T> plan_call(const planned_call& call, const value_span& values) noexcept;

/// Whether roundings of T leave at least half of what a sum may be off by, and no partial sum can overflow: else the
/// bound is not kept, or kept by steps so small that little is saved. Always true of rows that do not add in T.
template <class T>
[[nodiscard]] bool leaves_bound(const planned_call& call, const value_span& values) noexcept;

/// What a report says of a plan that has run.
template <class T>
void describe(const quantisation<T>& plan, codec_id which, collective_report& report) noexcept;

/// Threads of this rank's codec, of those that the options ask for.
[[nodiscard]] inline unsigned threads_of(const collective_options& options, const mpi::channel& channel) noexcept {
    return options.codec_threads > 0 ? options.codec_threads : channel.processors();
}

/// The same on all ranks that were given the same: of the rank that has the fewest.
[[nodiscard]] inline unsigned agreed_threads_of(const collective_options& options,
                                                const mpi::channel& channel) noexcept {
    return std::min(options.codec_threads > 0 ? options.codec_threads : channel.least_processors(),
                    model::most_threads);
}

/// The range of the finite values that this rank reads.
template <class T>
[[nodiscard]] value_span span_of(std::span<const T> in, const geometry& call, unsigned threads);

}  // namespace laconic::collective
