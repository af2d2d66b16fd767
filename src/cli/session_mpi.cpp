// SPDX-License-Identifier: BSD-3-Clause
// Ranks of the command line's MPI programs: joining, comparing notes, failing together.
#include "cli/session_mpi.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace laconic::cli {

mpi_session::mpi_session() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

mpi_session::~mpi_session() { MPI_Finalize(); }

bool mpi_session::all_agree_to_go_on(const std::optional<failure>& mine) const {
    const int candidate = mine ? rank_ : ranks_;
    int first = ranks_;
    MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank_) throw failure(*mine);
    return first == ranks_;
}

std::string mpi_session::of_rank_0(const std::string& mine) const {
    auto length = static_cast<int>(mine.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::string first = mine;
    first.resize(static_cast<std::size_t>(length));
    MPI_Bcast(first.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
    return first;
}

void mpi_session::abort(const failure& why, std::string_view command) const {
    std::fflush(stdout);
    std::fputs(fmt::format("laconic {}: rank {}: {}\n", command, rank_, why.what()).c_str(), stderr);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, why.exit_code());
    std::_Exit(why.exit_code());
}

/// Ranks whose arguments were refused before MPI was initialised still meet the others, who wait for them.
bool speaks_for_the_job(int exit_code) {
    int known = 0;
    MPI_Initialized(&known);
    if (known != 0) return true;
    const mpi_session session;
    try {
        return session.all_agree_to_go_on(failure(exit_code, {}));
    } catch (const failure&) {
        return true;
    }
}

}  // namespace laconic::cli
