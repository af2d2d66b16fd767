// SPDX-License-Identifier: BSD-3-Clause
// Who is in which communicator: what each rank makes (rank_traffic.hpp) flows in, groups of ranks of the world flow
// out. Calls that make communicators are collective, so the n-th on one parent is the same call on all its members.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "laconic/trace.hpp"
#include "trace/rank_traffic.hpp"

namespace laconic::trace {

struct communicator {
    std::string name;                  ///< "MPI_COMM_WORLD", "MPI_Comm_split 3"
    std::int32_t parent = -1;          ///< number of a communicator
    std::vector<std::uint32_t> group;  ///< ranks of the world in the communicator's order
    std::vector<std::uint32_t> other;  ///< the second group of one with two
    std::vector<std::int64_t> dims;    ///< of a Cartesian grid
};

/// What one pass over all calls tells.
class communicators {
public:
    struct rank_facts {
        std::map<std::uint64_t, std::uint64_t> threads;  ///< calls of each
        bool timed = false;
        std::uint64_t first_ns = 0, end_ns = 0;  ///< of its calls
    };

    /// returns corrupt        the trace contradicts itself
    ///         out_of_memory  more than 2^20 communicators or 2^16 threads of one rank, or 2^24
    ///                        communicators of all ranks
    /// cost     O(calls); memory as there are communicators made
    [[nodiscard]] static result<communicators> of(const trace_file& file);

    /// Number 0 is the world, 1 stands for every rank's MPI_COMM_SELF.
    [[nodiscard]] const std::vector<communicator>& all() const noexcept { return all_; }
    /// -1: not known, as one that reaches beyond the world, or one of several that a call made without telling them
    /// apart (MPI_Comm_split_type on several nodes).
    [[nodiscard]] std::int32_t number(std::uint32_t rank, std::int32_t local) const noexcept;
    [[nodiscard]] comm_shape shape(std::uint32_t rank, std::int32_t local) const noexcept;
    /// The rank of the world that `peer` is, to `rank`; no_root where it is not known.
    [[nodiscard]] std::uint32_t world_rank(std::uint32_t rank, std::int32_t local, std::uint32_t peer) const noexcept;
    [[nodiscard]] const std::map<std::uint32_t, rank_facts>& ranks() const noexcept { return ranks_; }

private:
    friend class communicator_search;
    static result<communicators> found_in(const trace_file& file);
    std::vector<communicator> all_;
    std::map<std::uint32_t, std::vector<std::int32_t>> numbers_;  ///< by rank, then local number
    std::map<std::uint32_t, rank_facts> ranks_;
};

}  // namespace laconic::trace
