// SPDX-License-Identifier: BSD-3-Clause
// Runs every group of checks of exchanges on all ranks, as main.cpp does for collectives.
#include <mpi.h>

#include <cstdio>
#include <string_view>

#include "check.hpp"
#include "exchange_cases.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    using namespace laconic::test;
    struct group {
        const char* name;
        void (*run)();
    };
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (const group& each : {group{"elements_arrive", elements_arrive},
                              group{"exchange_arguments_are_checked", exchange_arguments_are_checked},
                              group{"refused_exchanges_move_nothing", refused_exchanges_move_nothing},
                              group{"compressed_exchanges_keep_their_bound", compressed_exchanges_keep_their_bound},
                              group{"exchanges_work_from_c", exchanges_work_from_c},
                              group{"fields_with_strides_arrive_from_c", fields_with_strides_arrive_from_c},
                              group{"c_calls_fail_on_all_ranks", c_calls_fail_on_all_ranks},
                              group{"exchanges_keep_moving", exchanges_keep_moving},
                              group{"exchanges_do_not_allocate", exchanges_do_not_allocate},
                              group{"missing_memory_is_told_everywhere", missing_memory_is_told_everywhere}}) {
        if (argc > 1 && std::string_view(argv[1]) != each.name) continue;
        const std::uint64_t before = failures_of_all_ranks();
        const double start = MPI_Wtime();
        each.run();
        const std::uint64_t failed = failures_of_all_ranks() - before;
        if (rank == 0)
            std::printf("%-45s %6.2f s  %s\n", each.name, MPI_Wtime() - start, failed == 0 ? "ok" : "FAILED");
        std::fflush(stdout);
    }
    const bool ok = failures_of_all_ranks() == 0;
    MPI_Finalize();
    return ok ? 0 : 1;
}
