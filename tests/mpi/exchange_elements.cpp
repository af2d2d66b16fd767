// SPDX-License-Identifier: BSD-3-Clause
// Every element arrives once, at its place, whatever the layout, the patches, the element and the engine; every rank
// has the same plan.
#include "check.hpp"
#include "exchange_cases.hpp"
#include "exchange_problem.hpp"
#include "run.hpp"

namespace laconic::test {

namespace {

/// Engine neighbor is refused where MPI_Neighbor_alltoallw is broken, and only there: rank 0 sends a number to rank 1,
/// and nobody anything else.
void check_neighbor() {
    const int rank = rank_in(MPI_COMM_WORLD);
    if (size_of(MPI_COMM_WORLD) < 2) return;
    exchange_problem problem(1, rank, size_of(MPI_COMM_WORLD));
    exchange_options options = problem.options(false);
    options.engine = exchange_engine::neighbor;
    const auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
    check(made.ok() == neighbor_is_mended, "engine neighbor: " + made.error().message());
    if (!neighbor_is_mended)
        check(made.error().code() == errc::unsupported &&
                  made.error().message().find("MPICH issue 6233") != std::string::npos,
              "why there is no engine neighbor: " + made.error().message());
    const int one = 1, from = 0, to = 1;
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 1 ? 1 : 0, &from, &one, rank == 0 ? 1 : 0, &to, &one,
                                   MPI_INFO_NULL, 0, &graph);
    const double in = 42;
    double out = 0;
    const MPI_Aint none = 0;
    const MPI_Datatype type = MPI_DOUBLE;
    MPI_Neighbor_alltoallw(&in, &one, &none, &type, &out, &one, &none, &type, graph);
    // 4.0.3 may have it mended; it is refused with the others of 4.0.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40003000
    check(rank != 1 || out == 0, "MPI_Neighbor_alltoallw delivers: let engine neighbor in");
#else
    check(rank != 1 || out == in || !neighbor_is_mended, "MPI_Neighbor_alltoallw delivers " + std::to_string(out));
#endif
    MPI_Comm_free(&graph);
}

/// The exchange's own arrays, those of the program, and both at once: on every second rank, in every second run.
void check_own_arrays(exchange_problem& problem, exchange_engine engine, bool storage, int rank) {
    exchange_options options = problem.options(storage);
    options.engine = engine;
    options.shared_in = true;
    // Nobody waits between runs then: what a run offers must not be taken for the next one's.
    options.check = storage;
    auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
    check(made.ok(), problem.text() + ": " + made.error().message());
    if (!made) return;
    for (int run = 0; run < 5; ++run) {
        const bool own = run % 4 < 2 ? run % 2 == 0 : (rank + run) % 2 == 0;
        problem.run_and_check(*made, std::string(name_of(engine)), storage, own);
    }
}

/// The first runs try several sizes of batches; nobody can tell but by settled().
void check_trial(exchange_problem& problem, int ranks) {
    for (const bool check_runs : {true, false}) {
        exchange_options options = problem.options(false);
        options.engine = exchange_engine::batched;
        options.batch_bytes = 0;
        options.check = check_runs;
        auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
        check(made.ok(), problem.text() + ": " + made.error().message());
        if (!made) return;
        check(made->settled() == (ranks == 1), "settled before the first run");
        for (int run = 0; run < 12; ++run) {
            problem.run_and_check(*made, "batched, run " + std::to_string(run), false);
            check(made->settled() == (ranks == 1 || run >= 9), "settled after run " + std::to_string(run));
        }
    }
}

}  // namespace

void elements_arrive() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    check_neighbor();
    const unsigned seeds = ranks > 8 ? 8 : ranks > 3 ? 16 : 48;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        exchange_problem problem(seed, rank, ranks);
        check_same_bytes(std::as_bytes(problem.planned().owners()), MPI_COMM_WORLD, problem.text());
        if (seed % 7 == 0) check_trial(problem, ranks);
        for (const bool storage : {false, true})
            for (const auto engine : {exchange_engine::automatic, exchange_engine::batched})
                check_own_arrays(problem, engine, storage, rank);
        for (const exchange_engine engine : engines_here())
            for (const bool storage : {false, true}) {
                exchange_options options = problem.options(storage);
                options.engine = engine;
                auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
                check(made.ok(), problem.text() + ": " + made.error().message());
                if (!made) continue;
                check(made->in_memory(0).empty(), "an array in shared memory that nobody wanted");
                for (int run = 0; run < 2; ++run) problem.run_and_check(*made, std::string(name_of(engine)), storage);
            }
    }
}

}  // namespace laconic::test
