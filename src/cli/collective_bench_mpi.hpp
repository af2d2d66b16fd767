// SPDX-License-Identifier: BSD-3-Clause
// The measuring loop of `bench collective`: a field and settings flow in on every rank; rows of an algorithm's time,
// bytes and error flow out, the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/collective_arguments_mpi.hpp"
#include "laconic/collective.hpp"

namespace laconic::cli {

struct collective_bench_settings : collective_settings {
    unsigned repetitions = 0;
    bool with_counts = false;  ///< the form with a count for each rank; not of allreduce, reduce, bcast
};

struct collective_measurement {
    std::string algorithm;
    std::string ran;                 ///< what `auto` chose; else the same
    double median_s = 0, min_s = 0;  ///< of the slowest rank's times
    std::vector<double> times_s;     ///< of the slowest rank, a repetition each; in one repetition all rows run
    std::vector<double> warm_up_s;   ///< the same of the calls before those
    double speedup_vs_stock = 0;     ///< median over the repetitions of stock's time / this one's; 0: no stock row
    std::uint64_t sent_bytes = 0;    ///< of the rank that sends most
    double ratio = 1;                ///< bytes that the schedule would send uncompressed / bytes sent, all ranks
    double max_error = 0;            ///< against the exact result, over all elements
    double bound = 0;                ///< guaranteed for max_error: the result's bound and the final rounding
    std::uint64_t workspace_bytes = 0;
    double compress_s = 0, combine_s = 0, decompress_s = 0, copy_s = 0, wait_s = 0;  ///< mean per call, of rank 0
    bool same_bits = true;  ///< on all ranks, where they get the same elements
    /// By the cost model, for the machine of the options and `assumed_ratio`; 0 without such a machine.
    double predicted_s = 0;
    double assumed_ratio = 1;  ///< by the samples that `auto` takes
};

/// Collective over MPI_COMM_WORLD; the root is rank 0. Rank r reads the field tiled from an offset of its own. All rows
/// run in every repetition, one after the other, after calls that only warm up: three of each row, and of `auto` as
/// many as it takes to have tried what it tries.
/// Throws a data failure, on all ranks alike, when a collective fails.
template <class T>
[[nodiscard]] std::vector<collective_measurement> measure_collective(std::span<const T> field,
                                                                     const collective_bench_settings& settings);

}  // namespace laconic::cli
