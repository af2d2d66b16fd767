// SPDX-License-Identifier: BSD-3-Clause
// A plan and engines flow in on every rank; how long each engine takes, all of them in turn in every round, flows out.
#pragma once

#include <string>
#include <vector>

#include "cli/rank_picture.hpp"
#include "laconic/exchange.hpp"

namespace laconic::cli {

struct redistribute_bench_settings {
    std::vector<exchange_engine> engines;
    bool own_array = false;  ///< a further row: automatic, from the exchange's own array
    std::size_t element_bytes = 8;
    std::size_t batch_bytes = 0;
    bound limit;
    unsigned repetitions = 50;
    std::span<const float> field;  ///< with a bound: values for the elements, over and over
};

struct redistribute_measurement {
    std::string name;     ///< "memcpy", or an engine with what automatic stands for
    bool of_mpi = false;  ///< what a program could do with MPI alone
    std::string missing;  ///< why this engine was not measured; else empty
    double median_s = 0;  ///< of the slowest rank
    double min_s = 0;
    double ratio = 0;  ///< median over rounds of its time over that of the best variant of MPI in the same round
    std::uint64_t staging_bytes = 0, message_bytes = 0, wire_bytes = 0,
                  shared_bytes = 0;      ///< message_bytes and on: all ranks
    std::vector<rank_times> ranks = {};  ///< on rank 0
};

/// Collective over MPI_COMM_WORLD. The first row copies as many bytes as a rank gets, within each rank at once.
[[nodiscard]] std::vector<redistribute_measurement> measure_redistribution(const plan& what,
                                                                           const redistribute_bench_settings& settings);

}  // namespace laconic::cli
