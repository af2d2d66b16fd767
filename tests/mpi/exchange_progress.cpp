// SPDX-License-Identifier: BSD-3-Clause
// Runs without a check, among messages of the program's own, and over nodes of several ranks: nobody waits for ever,
// and every element arrives.
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "exchange_problem.hpp"
#include "mpi/channel.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

/// A rank that waits in a run moves what it has sent itself: others may come to the run only when they have it.
void check_own_messages(exchange_engine engine) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    exchange_problem problem(3, rank, ranks);
    exchange_options options = problem.options(false);
    options.engine = engine;
    options.check = false;
    auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
    check(made.ok(), made.error().message());
    if (!made) return;
    constexpr int tag = 7, count = 1 << 21;
    std::vector<double> message(count, rank);
    const bool sends = rank % 2 == 0 && rank + 1 < ranks;
    MPI_Request request = MPI_REQUEST_NULL;
    if (sends) MPI_Isend(message.data(), count, MPI_DOUBLE, rank + 1, tag, MPI_COMM_WORLD, &request);
    if (rank % 2 == 1) {
        MPI_Recv(message.data(), count, MPI_DOUBLE, rank - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(message[count - 1] == rank - 1, "a message of the program's own");
    }
    problem.run_and_check(*made, std::string(name_of(engine)) + " without check", false);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void check_without_shared_memory() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    for (const unsigned seed : {1U, 4U, 7U, 12U}) {
        exchange_problem problem(seed, rank, ranks);
        for (const exchange_engine engine : {exchange_engine::automatic, exchange_engine::shared})
            for (const bool compare : {true, false}) {
                exchange_options options = problem.options(true);
                options.engine = engine;
                options.shared_memory = false;
                options.check = compare;
                auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
                check(made.ok(), made.error().message());
                if (!made) continue;
                problem.run_and_check(*made, std::string(name_of(engine)) + " without shared memory", true);
                check(made->report().shared_bytes == 0, "shared memory is used where none is wanted");
            }
    }
}

/// Pairs of ranks taken for nodes: some pieces go through memory, others by messages. Where ranks are on several nodes
/// in truth nothing is pretended.
void check_small_nodes() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int rank = rank_in(comm), ranks = size_of(comm);
    const auto found = mpi::channel_of(comm, mpi::channel_use::exchanges);
    check(found.ok(), found.error().message());
    const bool pretended = found.ok() && (**found).nodes() == 1 && ranks > 2;
    if (pretended)
        for (int& leader : std::span(const_cast<int*>((**found).leaders().data()), static_cast<std::size_t>(ranks))) {
            const int which = static_cast<int>(&leader - (**found).leaders().data());
            leader = which - which % 2;
        }
    std::uint64_t both[2] = {0, 0};
    for (const unsigned seed : {2U, 3U, 5U, 8U, 13U, 16U}) {
        exchange_problem problem(seed, rank, ranks);
        for (const bool compare : {true, false}) {
            exchange_options options = problem.options(true);
            options.engine = exchange_engine::shared;
            options.check = compare;
            auto made = exchange::make(comm, problem.planned(), problem.element(), options);
            check(made.ok(), made.error().message());
            if (!made) continue;
            for (int run = 0; run < 2; ++run) problem.run_and_check(*made, "shared between small nodes", true);
            both[0] += made->report().shared_bytes;
            both[1] += made->report().message_bytes;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_SUM, comm);
    check(!pretended || (both[0] > 0 && both[1] > 0), "nodes of two ranks use memory and messages");
    MPI_Comm_free(&comm);
}

}  // namespace

void exchanges_keep_moving() {
    for (const exchange_engine engine : {exchange_engine::shared, exchange_engine::batched, exchange_engine::per_rank})
        check_own_messages(engine);
    check_without_shared_memory();
    check_small_nodes();
}

}  // namespace laconic::test
