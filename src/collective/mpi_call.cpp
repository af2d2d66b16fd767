// SPDX-License-Identifier: BSD-3-Clause
// MPI's calls with lists of counts, each in two forms.
#include "collective/mpi_call.hpp"

#include <algorithm>

#include "collective/lending.hpp"

namespace laconic::collective {

int mpi_call::issue(MPI_Comm comm, MPI_Request* request) const {
    if (!varying) return issue_even(comm, request);
    switch (op) {
        case operation::reduce_scatter:
            return now_or_later(request, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, out_counts.data(), type,
                                combine, comm);
        case operation::allgather:
            return now_or_later(request, MPI_Allgatherv, MPI_Iallgatherv, in, in_count, type, out, out_counts.data(),
                                out_displacements.data(), type, comm);
        case operation::gather:
            return now_or_later(request, MPI_Gatherv, MPI_Igatherv, in, in_count, type, out, out_counts.data(),
                                out_displacements.data(), type, root, comm);
        case operation::scatter:
            return now_or_later(request, MPI_Scatterv, MPI_Iscatterv, in, in_counts.data(), in_displacements.data(),
                                type, out, out_count, type, root, comm);
        case operation::alltoall:
            return now_or_later(request, MPI_Alltoallv, MPI_Ialltoallv, in, in_counts.data(), in_displacements.data(),
                                type, out, out_counts.data(), out_displacements.data(), type, comm);
        default: return issue_even(comm, request);
    }
}

void mpi_call::abandon() noexcept {
    for (auto* const list : {&in_counts, &in_displacements, &out_counts, &out_displacements}) never_free(*list);
}

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
