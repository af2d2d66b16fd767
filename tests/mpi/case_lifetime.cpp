// SPDX-License-Identifier: BSD-3-Clause
// The private duplicate and its memory: kept, not grown, by repeated calls; freed with the communicator; given up
// after an MPI error, which the user's error handler sees.
#include "cases.hpp"
#include "collective/calls_under_way.hpp"
#include "fields.hpp"
#include "mpi/channel.hpp"
#include "mpi_sends.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

void check_reuse() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const std::size_t before = mpi::open_channels();
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::vector<float> in = make_field<float>(field::smooth, rank, 50000);
    std::uint64_t held = 0;
    for (int call = 0; call < 20; ++call) {
        collective_report report;
        reduce(in, reduction::sum, comm, options_for("fused", bound::abs(1e-3)), "reuse", &report);
        if (call == 0) held = report.workspace_bytes;
        check(report.workspace_bytes == held,
              "workspace grew from " + std::to_string(held) + " to " + std::to_string(report.workspace_bytes));
    }
    check(mpi::open_channels() == before + 1, "one channel per communicator");
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    reduce(in, reduction::sum, copy, options_for("fused", bound::abs(1e-3)), "a duplicate has a channel of its own");
    check(mpi::open_channels() == before + 2, "a duplicate shares nothing");
    MPI_Comm_free(&comm);
    MPI_Comm_free(&copy);
    check(mpi::open_channels() == before, "freeing the communicator frees the channel");
}

/// The program's own messages on the same communicator, with any tag, stay its own.
void check_separation() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    int mine = rank;
    int theirs = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    const std::vector<float> in = make_field<float>(field::smooth, rank, 9000);
    reduce(in, reduction::sum, MPI_COMM_WORLD, options_for("ring_raw", {}), "beside a wildcard receive");
    MPI_Send(&mine, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(theirs == (rank + ranks - 1) % ranks, "a wildcard receive caught a message of the collective");
}

void check_freeing_handler() {
    MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, remember_and_free);
    const std::vector<float> in = make_field<float>(field::smooth, rank_in(comm), 50000);
    std::vector<float> out(in.size());
    handled_code = MPI_SUCCESS;
    sends().fail = true;
    const auto done = allreduce<float>(std::span<const float>(in), std::span<float>(out), reduction::sum, comm,
                                       options_for("fused", bound::abs(1e-3)));
    sends().fail = false;
    check(done.error().code() == errc::mpi && handled_code == MPI_ERR_OTHER, "a handler that frees the communicator");
}

void check_mpi_error() {
    MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, remember_code);
    const std::vector<float> in = make_field<float>(field::smooth, rank_in(comm), 50000);
    std::vector<float> out(in.size());
    for (const bool broken : {true, false}) {
        sends().fail = broken;
        const status why = allreduce<float>(std::span<const float>(in), std::span<float>(out), reduction::sum, comm,
                                            options_for("fused", bound::abs(1e-3)))
                               .error();
        check(why.code() == errc::mpi, "an MPI error, then a refusal: " + why.message());
        if (broken) check(handled_code == MPI_ERR_OTHER, "the user's error handler was not called");
    }
    MPI_Comm_free(&comm);
}

}  // namespace

void channels_live_and_die_with_communicators() {
    check_reuse();
    check_separation();
    check(collective::calls_with_tags() == 1024, "both MPIs have tags for 1024 calls at a time");
    if (size_of(MPI_COMM_WORLD) == 1) return;
    check_mpi_error();
    check_freeing_handler();
}

}  // namespace laconic::test
