// SPDX-License-Identifier: BSD-3-Clause
// Runs without a check, among messages of the program's own, and over nodes of several ranks: nobody waits for ever,
// and every element arrives.
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "exchange_problem.hpp"
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

}  // namespace

void exchanges_keep_moving() {
    for (const exchange_engine engine : {exchange_engine::shared, exchange_engine::batched, exchange_engine::per_rank})
        check_own_messages(engine);
    check_without_shared_memory();
}

}  // namespace laconic::test
