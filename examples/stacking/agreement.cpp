// SPDX-License-Identifier: BSD-3-Clause
// Failing together: one status per rank flows in, the first failure flows out on all ranks.
#include "agreement.hpp"

#include <string>

namespace stacking {

laconic::status agreed(const laconic::status& mine, MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int candidate = mine.ok() ? ranks : rank;
    int first = ranks;
    MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == ranks) return {};
    int code_and_length[2] = {static_cast<int>(mine.code()), static_cast<int>(mine.context().size())};
    MPI_Bcast(code_and_length, 2, MPI_INT, first, comm);
    std::string context = mine.context();
    context.resize(static_cast<std::size_t>(code_and_length[1]));
    MPI_Bcast(context.data(), code_and_length[1], MPI_CHAR, first, comm);
    return {static_cast<laconic::errc>(code_and_length[0]), context};
}

laconic::status alike(const std::string& mine, MPI_Comm comm) {
    auto length = static_cast<int>(mine.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, comm);
    std::string first = mine;
    first.resize(static_cast<std::size_t>(length));
    MPI_Bcast(first.data(), length, MPI_CHAR, 0, comm);
    if (first == mine) return agreed({}, comm);
    return agreed({laconic::errc::invalid_argument,
                   "the ranks have different options, '" + first + "' and '" + mine + "'; give all of them the same"},
                  comm);
}

}  // namespace stacking
