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

/// request   null: blocking
template <class Now, class Later, class... Arguments>
[[nodiscard]] int now_or_later(MPI_Request* request, Now now, Later later, Arguments... arguments) {
    return request == nullptr ? now(arguments...) : later(arguments..., request);
}

/// The arguments, as MPI has them, of one type on both sides and of equal parts.
struct even_call {
    operation op = operation::allreduce;
    const void* in = nullptr;
    void* out = nullptr;              ///< of bcast: the buffer
    int in_count = 0, out_count = 0;  ///< sendcount and recvcount; allreduce, reduce: in_count; bcast: out_count
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op combine = MPI_OP_NULL;
    int root = 0;

    /// request   null: blocking
    /// returns   MPI's code
    [[nodiscard]] int issue_even(MPI_Comm comm, MPI_Request* request) const {
        switch (op) {
            case operation::allreduce:
                return now_or_later(request, MPI_Allreduce, MPI_Iallreduce, in, out, in_count, type, combine, comm);
            case operation::reduce:
                return now_or_later(request, MPI_Reduce, MPI_Ireduce, in, out, in_count, type, combine, root, comm);
            case operation::reduce_scatter:
                return now_or_later(request, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, out_count,
                                    type, combine, comm);
            case operation::allgather:
                return now_or_later(request, MPI_Allgather, MPI_Iallgather, in, in_count, type, out, out_count, type,
                                    comm);
            case operation::gather:
                return now_or_later(request, MPI_Gather, MPI_Igather, in, in_count, type, out, out_count, type, root,
                                    comm);
            case operation::scatter:
                return now_or_later(request, MPI_Scatter, MPI_Iscatter, in, in_count, type, out, out_count, type, root,
                                    comm);
            case operation::bcast:
                return now_or_later(request, MPI_Bcast, MPI_Ibcast, out, out_count, type, root, comm);
            case operation::alltoall: break;
        }
        return now_or_later(request, MPI_Alltoall, MPI_Ialltoall, in, in_count, type, out, out_count, type, comm);
    }
};

/// The same where parts may have a count each. Lists must live until a nonblocking call is over.
struct mpi_call : even_call {
    bool varying = false;
    std::vector<int> in_counts, in_displacements, out_counts, out_displacements;  ///< reduce_scatter: out_counts

    /// As issue_even().
    [[nodiscard]] int issue(MPI_Comm comm, MPI_Request* request) const;
    /// Leaves the lists to a nonblocking call that MPI has failed in, and may still read them.
    void abandon() noexcept;
};

inline constexpr auto longest_int = static_cast<std::size_t>(std::numeric_limits<int>::max());

[[nodiscard]] bool fits_int(std::span<const std::size_t> list) noexcept;
/// Precondition: fits_int().
[[nodiscard]] std::vector<int> to_ints(std::span<const std::size_t> list);

}  // namespace laconic::collective
