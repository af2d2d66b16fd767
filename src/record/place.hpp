// SPDX-License-Identifier: BSD-3-Clause
// Where a rank is meant: what the recorder knows of a communicator, and of a window or file through the one it came
// from.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace laconic::record {

struct place {
    std::uint64_t code = 0;     ///< as in a signature: 0 null, odd predefined, even symbolic
    int rank = 0;               ///< the caller's own
    int size = 0;               ///< of the caller's own group
    int peers = 0;              ///< whom collectives reach: the remote group of an intercommunicator, else the own one
    std::uintptr_t memory = 0;  ///< what MPI allocated for a window
    bool inter = false;
    bool far = false;  ///< has members outside the launched world, which may not be traced

    /// Whether what only the root says is said by this rank.
    [[nodiscard]] bool is_root(int root) const noexcept { return inter ? root == MPI_ROOT : root == rank; }
};

}  // namespace laconic::record
