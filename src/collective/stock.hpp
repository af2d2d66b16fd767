// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allreduce for any count: arrays flow in and out, in pieces that an int can count.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace laconic::collective {

/// What each of `ranks` ranks has to send at least in an allreduce of `size_bytes`, and sends around a ring.
[[nodiscard]] constexpr std::uint64_t ring_bytes(std::uint64_t size_bytes, std::uint64_t ranks) noexcept {
    return 2 * (ranks - 1) * size_bytes / ranks;
}

/// MPI_Allreduce with a 64-bit count. `in` may be MPI_IN_PLACE or equal to `out` (then in place).
/// returns MPI's code.
[[nodiscard]] int stock_allreduce(const void* in, void* out, std::size_t count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm);

}  // namespace laconic::collective
