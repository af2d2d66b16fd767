// SPDX-License-Identifier: BSD-3-Clause
// One MPI_Allreduce, or several consecutive ones for counts beyond the range of int.
#include "collective/stock.hpp"

#include <algorithm>

namespace laconic::collective {

int stock_allreduce(const void* in, void* out, std::size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    constexpr std::size_t most = std::size_t{1} << 30;
    const bool in_place = in == MPI_IN_PLACE || (in == out && count > 0);
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    if (count > most)
        if (const int code = MPI_Type_get_extent(type, &lower, &extent); code != MPI_SUCCESS) return code;
    std::size_t done = 0;
    do {
        const std::size_t now = std::min(most, count - done);
        const MPI_Aint offset = static_cast<MPI_Aint>(done) * extent;
        const void* const source = in_place ? MPI_IN_PLACE : static_cast<const std::byte*>(in) + offset;
        if (const int code =
                MPI_Allreduce(source, static_cast<std::byte*>(out) + offset, static_cast<int>(now), type, op, comm);
            code != MPI_SUCCESS)
            return code;
        done += now;
    } while (done < count);
    return MPI_SUCCESS;
}

}  // namespace laconic::collective
