// SPDX-License-Identifier: BSD-3-Clause
// What is known of the MPI library that this is compiled for.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace laconic::mpi {

/// Messages between nodes that are sent at once, without asking the receiver. Open MPI's limit over TCP is 64 KB with
/// headers; MPICH's is not documented: over UCX messages of 16 KB still arrive at once, those of 20 KB do not.
inline constexpr std::uint64_t eager_bytes =
#if defined(MPICH_VERSION)
    16 * 1024;
#else
    56 * 1024;
#endif

}  // namespace laconic::mpi
