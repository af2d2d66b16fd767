// SPDX-License-Identifier: BSD-3-Clause
// Every MPI_Isend and MPI_Issend of this program flows through here: counted, and failing when a check wants an MPI
// error.
#pragma once

#include <atomic>
#include <cstdint>

namespace laconic::test {

struct mpi_sends {
    std::atomic<std::uint64_t> bytes = 0, messages = 0;
    std::atomic<std::uint64_t> confirmed = 0;  ///< of the messages, by MPI_Issend
    std::atomic<bool> fail = false;            ///< from now on with MPI_ERR_OTHER, uncounted
};
[[nodiscard]] mpi_sends& sends() noexcept;

}  // namespace laconic::test
