// SPDX-License-Identifier: BSD-3-Clause
// Affinity masks are exchanged, so that ranks bound to cores of their own have those, and ranks that are not bound
// share all there are.
#include "mpi/processors.hpp"

#include <sched.h>

#include <algorithm>

namespace laconic::mpi {

processor_share share_of(const processor_set& mine, std::span<const processor_set> all) noexcept {
    double share = 0;
    for (std::size_t word = 0; word < mine.size(); ++word)
        for (std::uint64_t left = mine[word]; left != 0; left &= left - 1) {
            const std::uint64_t processor = left & -left;
            const auto users = std::count_if(all.begin(), all.end(),
                                             [&](const processor_set& one) { return (one[word] & processor) != 0; });
            share += 1 / static_cast<double>(std::max<std::ptrdiff_t>(users, 1));
        }
    // Sums of thirds and the like are a hair below whole numbers.
    share += 1e-6;
    return {std::max(1U, static_cast<unsigned>(share)), share < 1 && mine != processor_set{}};
}

int share_processors(MPI_Comm node, std::span<processor_set> masks, processor_share& share) noexcept {
    processor_set mine{};
    // Of machines with more processors than there are bits this fails: a rank that knows nothing has one.
    if (sched_getaffinity(0, sizeof mine, reinterpret_cast<cpu_set_t*>(mine.data())) != 0) mine = {};
    const int code = MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, masks.data(),
                                   static_cast<int>(mine.size()), MPI_UINT64_T, node);
    if (code == MPI_SUCCESS) share = share_of(mine, masks);
    return code;
}

}  // namespace laconic::mpi
