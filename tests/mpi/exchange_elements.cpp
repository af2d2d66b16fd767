// SPDX-License-Identifier: BSD-3-Clause
// Every element arrives once, at its place, whatever the layout, the patches, the element and the engine; every rank
// has the same plan.
#include <array>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "exchange_problem.hpp"
#include "run.hpp"

namespace laconic::test {

std::span<const exchange_engine> engines_here() {
    using enum exchange_engine;
    static constexpr std::array all{automatic, shared,    batched,  per_rank,
                                    per_patch, alltoallw, neighbor, partitioned};
    return MPI_VERSION >= 4 ? std::span(all) : std::span(all).first(all.size() - 1);
}

void elements_arrive() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const unsigned seeds = ranks > 4 ? 30 : 60;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        exchange_problem problem(seed, rank, ranks);
        check_same_bytes(std::as_bytes(problem.planned().owners()), MPI_COMM_WORLD, problem.text());
        for (const exchange_engine engine : engines_here())
            for (const bool storage : {false, true}) {
                exchange_options options = problem.options(storage);
                options.engine = engine;
                auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
                check(made.ok(), problem.text() + ": " + made.error().message());
                if (!made) continue;
                for (int run = 0; run < 2; ++run) problem.run_and_check(*made, std::string(name_of(engine)), storage);
            }
    }
}

}  // namespace laconic::test
