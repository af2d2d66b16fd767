// SPDX-License-Identifier: BSD-3-Clause
// MPI's own collectives as one thing: the arguments of any of them flow in, MPI does it, blocking or not.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "laconic/collective_options.hpp"

namespace laconic::collective {

/// The arguments, as MPI has them, of one type on both sides. They must live until a nonblocking call is over.
struct mpi_call {
    operation op = operation::allreduce;
    bool varying = false;
    const void* in = nullptr;
    void* out = nullptr;              ///< of bcast: the buffer
    int in_count = 0, out_count = 0;  ///< sendcount and recvcount; allreduce, reduce: in_count; bcast: out_count
    std::vector<int> in_counts, in_displacements, out_counts, out_displacements;  ///< reduce_scatter: out_counts
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op combine = MPI_OP_NULL;
    int root = 0;

    /// request   null: blocking
    /// returns   MPI's code
    [[nodiscard]] int issue(MPI_Comm comm, MPI_Request* request) const;
};

inline constexpr auto longest_int = static_cast<std::size_t>(std::numeric_limits<int>::max());

[[nodiscard]] bool fits_int(std::span<const std::size_t> list) noexcept;
/// Precondition: fits_int().
[[nodiscard]] std::vector<int> to_ints(std::span<const std::size_t> list);

}  // namespace laconic::collective
