// SPDX-License-Identifier: BSD-3-Clause
// One call to MPI for each operation, in two forms.
#include "collective/mpi_call.hpp"

#include <algorithm>

namespace laconic::collective {

#define LACONIC_ISSUE(now, later, ...) (request == nullptr ? MPI_##now(__VA_ARGS__) : MPI_##later(__VA_ARGS__, request))

int mpi_call::issue(MPI_Comm comm, MPI_Request* request) const {
    switch (op) {
        case operation::allreduce: return LACONIC_ISSUE(Allreduce, Iallreduce, in, out, in_count, type, combine, comm);
        case operation::reduce: return LACONIC_ISSUE(Reduce, Ireduce, in, out, in_count, type, combine, root, comm);
        case operation::reduce_scatter:
            if (varying)
                return LACONIC_ISSUE(Reduce_scatter, Ireduce_scatter, in, out, out_counts.data(), type, combine, comm);
            return LACONIC_ISSUE(Reduce_scatter_block, Ireduce_scatter_block, in, out, out_count, type, combine, comm);
        case operation::allgather:
            if (varying)
                return LACONIC_ISSUE(Allgatherv, Iallgatherv, in, in_count, type, out, out_counts.data(),
                                     out_displacements.data(), type, comm);
            return LACONIC_ISSUE(Allgather, Iallgather, in, in_count, type, out, out_count, type, comm);
        case operation::gather:
            if (varying)
                return LACONIC_ISSUE(Gatherv, Igatherv, in, in_count, type, out, out_counts.data(),
                                     out_displacements.data(), type, root, comm);
            return LACONIC_ISSUE(Gather, Igather, in, in_count, type, out, out_count, type, root, comm);
        case operation::scatter:
            if (varying)
                return LACONIC_ISSUE(Scatterv, Iscatterv, in, in_counts.data(), in_displacements.data(), type, out,
                                     out_count, type, root, comm);
            return LACONIC_ISSUE(Scatter, Iscatter, in, in_count, type, out, out_count, type, root, comm);
        case operation::bcast: return LACONIC_ISSUE(Bcast, Ibcast, out, out_count, type, root, comm);
        case operation::alltoall: break;
    }
    if (varying)
        return LACONIC_ISSUE(Alltoallv, Ialltoallv, in, in_counts.data(), in_displacements.data(), type, out,
                             out_counts.data(), out_displacements.data(), type, comm);
    return LACONIC_ISSUE(Alltoall, Ialltoall, in, in_count, type, out, out_count, type, comm);
}

#undef LACONIC_ISSUE

bool fits_int(std::span<const std::size_t> list) noexcept {
    return std::all_of(list.begin(), list.end(), [](std::size_t number) { return number <= longest_int; });
}

std::vector<int> to_ints(std::span<const std::size_t> list) {
    std::vector<int> ints;
    ints.reserve(list.size());
    for (const std::size_t number : list) ints.push_back(static_cast<int>(number));
    return ints;
}

}  // namespace laconic::collective
