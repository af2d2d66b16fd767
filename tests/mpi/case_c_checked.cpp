// SPDX-License-Identifier: BSD-3-Clause
// What ranks hear of each other's calls from C under `check`, those that are passed on to MPI among them.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cases.hpp"
#include "laconic/laconic.h"
#include "run.hpp"

namespace laconic::test {
namespace {

/// Under `check` the ranks hear of a call that is MPI's on some of them alone, and of one that a rank cannot make.
void check_compared() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const bool last = rank == ranks - 1;
    laconic_collective_options options{};
    options.bound = 0.5;
    options.check = 1;
    for (const bool later : {false, true}) {
        int sum = 1;
        laconic_request request = LACONIC_REQUEST_NULL;
        const int code =
            later ? laconic_iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options, &request)
                  : laconic_allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options);
        check(code == LACONIC_OK && laconic_wait(&request) == LACONIC_OK && sum == ranks,
              std::string("C compared and passed on: ") + laconic_last_message());
    }
    float value = 1;
    const auto told = [&](int code, int want, const char* word, const std::string& what) {
        check(code == want && std::string(laconic_last_message()).find(word) != std::string::npos,
              "C " + what + ": " + std::to_string(code) + " " + laconic_last_message());
    };
    if (ranks > 1) {
        const MPI_Datatype type = last ? MPI_INT : MPI_FLOAT;
        told(laconic_allreduce(MPI_IN_PLACE, &value, 1, type, MPI_SUM, MPI_COMM_WORLD, &options), LACONIC_ERR_MISMATCH,
             "passed on to MPI on another", "type is MPI's on one rank");
        const MPI_Op op = last ? MPI_OP_NULL : MPI_SUM;
        told(laconic_allreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, op, MPI_COMM_WORLD, &options), LACONIC_ERR_MISMATCH,
             "passed on to MPI on another", "operation is MPI's on one rank");
    }
    options.average = 1;
    told(laconic_allreduce(MPI_IN_PLACE, &value, 1, last ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options),
         LACONIC_ERR_ARGUMENT, "average", "average of integers on one rank");
    options.average = 0;
    laconic_request request = LACONIC_REQUEST_NULL;
    int code = laconic_iallreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options,
                                  last ? nullptr : &request);
    if (code == LACONIC_OK) code = laconic_wait(&request);
    told(code, LACONIC_ERR_ARGUMENT, "request is NULL", "no request on one rank");
    check(laconic_allreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK,
          std::string("C afterwards: ") + laconic_last_message());
    // Where nobody listens it does not speak: the others do not make the call.
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &alone);
    check(laconic_allreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, alone, &options) == LACONIC_OK,
          "a first call");
    options.check = 0;
    if (last) {
        code = laconic_iallreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, alone, &options, nullptr);
        told(code, LACONIC_ERR_ARGUMENT, "request is NULL", "no request, unchecked");
    }
    options.algorithm = "ring_raw";
    check(laconic_allreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, alone, &options) == LACONIC_OK,
          std::string("C second try: ") + laconic_last_message());
    MPI_Comm_free(&alone);
}

/// Where MPI fails in a call on one rank, or ranks differ, in started ones: all hear of it, as often as it is started.
void check_started_apart() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const bool last = rank == ranks - 1;
    if (ranks == 1) return;
    // Never freed: what MPI has begun on them does not end.
    MPI_Comm apart = MPI_COMM_NULL, failing = MPI_COMM_NULL;
    for (MPI_Comm* const comm : {&apart, &failing}) {
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
        MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    }
    laconic_collective_options options{};
    options.bound = 0.5;
    options.check = 1;
    static int value = 1;
    laconic_request request = LACONIC_REQUEST_NULL;
    check(laconic_allreduce_init(MPI_IN_PLACE, &value, 1, last ? MPI_INT : MPI_FLOAT, MPI_SUM, apart, &options,
                                 &request) == LACONIC_OK,
          laconic_last_message());
    for (const int want : {LACONIC_ERR_MISMATCH, LACONIC_ERR_MPI, LACONIC_ERR_MPI}) {
        int code = laconic_start(&request);
        if (code == LACONIC_OK) code = laconic_wait(&request);
        check(code == want, "C started apart: " + std::to_string(code) + " " + laconic_last_message());
    }
    check(laconic_request_free(&request) == LACONIC_OK, laconic_last_message());
    int code = laconic_ibcast(&value, 1, MPI_INT, last ? ranks + 7 : 0, failing, &options, &request);
    if (code == LACONIC_OK) code = laconic_wait(&request);
    check(code == LACONIC_ERR_MPI,
          "C started, MPI fails on one rank: " + std::to_string(code) + " " + laconic_last_message());
    float sum = 1;
    for (const MPI_Comm comm : {apart, failing})
        check(laconic_allreduce(MPI_IN_PLACE, &sum, 1, MPI_FLOAT, MPI_SUM, comm, &options) == LACONIC_ERR_MPI,
              std::string("C after MPI has failed: ") + laconic_last_message());
}

/// `check` from the environment and from a file means calls that are passed on, too.
void check_compared_by_environment() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const bool last = rank == ranks - 1;
    if (ranks == 1) return;
    const std::string file = "laconic-check-" + std::to_string(getpid()) + ".toml";
    if (std::FILE* const out = std::fopen(file.c_str(), "w"); out != nullptr) {
        std::fputs("check = \"on\"\n", out);
        std::fclose(out);
    }
    int value = 1;
    for (const bool by_file : {false, true}) {
        const char* const name = by_file ? "LACONIC_CONFIG" : "LACONIC_CHECK";
        setenv(name, by_file ? file.c_str() : "on", 1);
        const int code =
            laconic_allreduce(MPI_IN_PLACE, &value, 1, last ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, nullptr);
        check(code == LACONIC_ERR_MISMATCH, std::string(name) + ": " + laconic_last_message());
        unsetenv(name);
    }
    std::remove(file.c_str());
}

/// Without `check` nobody hears of a call of `auto` that one rank gets wrong where short ones are made without a word:
/// nor does that rank wait for the others.
void check_unheard() {
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    const bool last = rank_in(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1;
    const std::vector<float> in(4 * ranks, 1);
    std::vector<float> out(in.size());
    const std::vector<std::size_t> counts(ranks, 4);
    laconic_collective_options options{};
    options.bound = 1e-3;
    options.algorithm = "auto";
    const auto gather = [&](float* to) {
        return laconic_allgather(in.data(), 4, to, 4, MPI_FLOAT, MPI_COMM_WORLD, &options);
    };
    const auto sum = [&](const std::size_t* of) {
        return laconic_reduce_scatter(in.data(), out.data(), of, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
    };
    for (int i = 0; i < 3; ++i) {
        check(gather(out.data()) == LACONIC_OK, laconic_last_message());
        check(sum(counts.data()) == LACONIC_OK, laconic_last_message());
        if (!last) continue;
        check(gather(static_cast<float*>(MPI_IN_PLACE)) == LACONIC_ERR_ARGUMENT, laconic_last_message());
        check(sum(nullptr) == LACONIC_ERR_ARGUMENT, laconic_last_message());
        // A file that this rank alone cannot read.
        setenv("LACONIC_CONFIG", "/nowhere/laconic.toml", 1);
        float value = 1;
        for (const MPI_Datatype type : {MPI_FLOAT, MPI_INT})
            check(laconic_allreduce(MPI_IN_PLACE, &value, 1, type, MPI_SUM, MPI_COMM_WORLD, nullptr) == LACONIC_ERR_IO,
                  laconic_last_message());
        unsetenv("LACONIC_CONFIG");
    }
}

}  // namespace

void c_calls_are_compared() {
    check_unheard();
    check_compared();
    check_started_apart();
    check_compared_by_environment();
}

}  // namespace laconic::test
