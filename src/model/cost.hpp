// SPDX-License-Identifier: BSD-3-Clause
// What a collective costs: a machine, a question (operation, bytes, ranks, ratio, ...) and a cell of schedule x payload
// flow in; predicted seconds with their parts flow out. Pure functions: no allocation, no MPI, no libm, so that all
// ranks, whatever their processors, compute the same bits.
#pragma once

#include <cstdint>
#include <limits>

#include "base/node_sizes.hpp"
#include "laconic/status.hpp"
#include "model/cell.hpp"
#include "model/machine.hpp"

namespace laconic::model {

/// Of a rank: with more, memory is what limits a codec.
inline constexpr unsigned most_threads = 64;

struct question {
    operation op = operation::allreduce;
    /// Uncompressed bytes: allreduce, reduce, reduce_scatter: of each rank's contribution; allgather, gather: of the
    /// whole result; scatter, bcast: of the root's array; alltoall: of what each rank sends to all.
    std::uint64_t bytes = 0;
    int ranks = 2;
    int nodes = 2;     ///< ranks are dealt out to nodes in blocks; 1 to ranks
    double ratio = 1;  ///< original / compressed size of one rank's values, with fle at the step that this call uses;
                       ///< what other codecs make of them: codec_rates::size_factor
    /// Bits that a value of a sum grows by when the number of contributions doubles: 1 for contributions that resemble
    /// each other (the worst), 0.5 for independent ones. (Isabel over 8 ranks: ratio 7.2 -> 4.2, growth 1.)
    double growth_bits = 1;
    unsigned element_bytes = 4;
    std::uint64_t segment_bytes = 0;  ///< uncompressed bytes per message of the engine; 0: segment_bytes_of()
    unsigned threads = 1;             ///< of a rank's codec; at most most_threads
    double worst_ratio = 1e9;         ///< of any rank, where it is known to be less than `ratio`
    int largest_node = 0;             ///< ranks of it; 0: as many as in blocks
    int smallest_node = 0;            ///< likewise
    double node_step = 0;  ///< by how much coarser than contributions sums of nodes are quantised; 0: ranks / nodes, as
                           ///< in sums with scope::result and in averages, unless scope::probable

    void lie_on(const base::node_sizes& all) noexcept {
        nodes = all.count;
        largest_node = all.largest;
        smallest_node = all.smallest;
    }
};

/// Seconds on the busiest way through the call. The parts are what that way is busy with; what overlaps counts in each
/// part and once in total_s, so the parts may add up to more than total_s, never to less.
struct cost {
    double total_s = 0;
    double agreement_s = 0;  ///< the call itself and the small message in which ranks of compressed rows compare
                             ///< arguments; not in stock
    double latency_s = 0;    ///< waiting for first bytes, and the processor's share in messages
    double wire_s = 0;       ///< bytes on the way
    double compress_s = 0;   ///< with the pass that finds the range
    double combine_s = 0;    ///< additions, of values or of streams
    double decompress_s = 0;
    double copy_s = 0;
    /// What the formula's times were multiplied by: what calibration found of the row, else 1.
    double factor = 1;
};

/// The time of what cannot be done.
inline constexpr double impossible_s = std::numeric_limits<double>::infinity();

/// returns ok, or invalid_argument with the value and the remedy: ranks >= 1, 1 <= nodes <= ranks, finite ratio >= 1,
///         0 <= growth_bits <= 64, element_bytes 2, 4 or 8
[[nodiscard]] status check(const question& what);

/// Predicted cost of a cell. All parts are infinite when the cell cannot serve the operation or its codec has no rates
/// here, and for schedule_kind::chosen. Fewer than two ranks cost nothing. Precondition: check(what).ok().
[[nodiscard]] cost estimate(const machine& where, const question& what, const cell& how) noexcept;

/// Values that `auto` compresses before it decides: one of so many, but not more than these.
inline constexpr std::size_t sampled_share = 8;
inline constexpr std::size_t sampled_values = 8 * 2048;

/// What it costs to look at a sample of the values. Same preconditions.
[[nodiscard]] double sampling_s(const machine& where, const question& what) noexcept;

/// What it costs `auto` to ask: a sample, and one small message in which the ranks agree on its ratio, whatever they
/// then decide. Compressed rows need that message anyway. Same preconditions.
[[nodiscard]] double asking_s(const machine& where, const question& what) noexcept;

/// The MPI library's own call: the best classic uncompressed algorithm by the formulas of papers/004, section 2.5, and
/// Thakur et al., times machine::stock_of(op). Same preconditions.
[[nodiscard]] cost estimate_stock(const machine& where, const question& what) noexcept;

/// The same without the factor: what calibration divides measured times by.
[[nodiscard]] cost estimate_classic(const machine& where, const question& what) noexcept;

}  // namespace laconic::model
