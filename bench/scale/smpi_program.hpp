// SPDX-License-Identifier: BSD-3-Clause
// What the programs of the simulation have in common: a communicator of each rank's own, and an end with a message.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "laconic/status.hpp"

namespace laconic::scale {

template <class T>
T value_of(result<T> found) {
    if (!found) throw std::runtime_error(found.error().context());
    return std::move(found).value();
}

/// Between MPI_Init and MPI_Finalize: run(communicator). What it throws ends all ranks, with the program's name.
template <class Run>
int run_program(const char* name, int* argc, char*** argv, Run run) {
    MPI_Init(argc, argv);
    try {
        // SMPI's ranks share MPI_COMM_WORLD and what is attached to it; a duplicate is each one's own.
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        run(own);
        MPI_Comm_free(&own);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s: %s\n", name, problem.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}

}  // namespace laconic::scale
