// SPDX-License-Identifier: BSD-3-Clause
// MPI in the programs of the command line, and how their ranks fail: together, with one voice, and without leaving
// anybody waiting.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace laconic::cli {

/// MPI from here to the end of the scope.
class mpi_session {
public:
    mpi_session();
    mpi_session(const mpi_session&) = delete;
    mpi_session& operator=(const mpi_session&) = delete;
    ~mpi_session();
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int ranks() const noexcept { return ranks_; }

    /// Collective: true when no rank failed. Otherwise throws the failure of the first rank that has one on that rank,
    /// and returns false on all others, which end in silence (launchers kill a job at its first exit code that is not
    /// 0: that has to be the rank that speaks).
    [[nodiscard]] bool all_agree_to_go_on(const std::optional<failure>& mine) const;
    /// Collective: the text of rank 0.
    [[nodiscard]] std::string of_rank_0(const std::string& mine) const;
    /// Prints and ends all ranks. `command`: the name of the subcommand, for the message.
    [[noreturn]] void abort(const failure& why, std::string_view command = "bench collective") const;

private:
    int rank_ = 0;
    int ranks_ = 1;
};

}  // namespace laconic::cli
