// SPDX-License-Identifier: BSD-3-Clause
// The measurement: every rank's contribution flows in, one row per algorithm (time, bytes, error) and the stacks flow
// out. The judge is a sum in a wider type, taken by rank 0 beside the timed runs.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "settings.hpp"

namespace stacking {

struct table_row {
    std::string algorithm;
    std::string ran;                ///< what `auto` took in the last run; else the row's or MPI's own name
    std::vector<double> warm_up_s;  ///< of the slowest rank, the calls before those that count
    double seconds = 0;             ///< median over the repetitions of the slowest rank's time
    double speed_up = 0;            ///< against MPI_Allreduce
    std::uint64_t sent_bytes = 0;   ///< by the rank that sent most; of MPI_Allreduce, what a ring would send
    double ratio = 0;               ///< what the same messages would weigh uncompressed / what they weighed
    double max_error = 0;           ///< against the exact stack
    double bound = 0;               ///< guaranteed before the final rounding; 0 for MPI_Allreduce, which promises none
    double psnr = 0, nrmse = 0;
    std::uint64_t violations = 0;    ///< values further off than bound + half an ulp, or no longer finite
    bool same_on_all_ranks = false;  ///< bit for bit
};

struct measurement {
    std::vector<table_row> rows;     ///< MPI_Allreduce first; times everywhere, errors on rank 0
    std::vector<double> exact;       ///< rank 0 only, as are the next two
    std::vector<double> compressed;  ///< the stack of the last algorithm in the table
    double range = 0;                ///< max - min of the exact stack
};

/// Runs every algorithm once on a few values, to find a wrong name before hours of computing. Collective.
[[nodiscard]] laconic::status try_algorithms(const settings& wanted, MPI_Comm comm);

/// Collective; all ranks fail together with what laconic::allreduce() returned.
template <class T>
[[nodiscard]] laconic::result<measurement> measure(const settings& wanted, const std::vector<T>& mine, MPI_Comm comm);

}  // namespace stacking
