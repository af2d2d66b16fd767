// SPDX-License-Identifier: BSD-3-Clause
// laconic_allreduce: MPI's own conventions, options, and calls that it passes on to MPI.
#include <mpi.h>

#include <cstdlib>

#include "cases.hpp"
#include "laconic/laconic.h"
#include "reference.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 5000;

void check_compressed() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const reference<double> exact(field::smooth, ranks, count);
    const std::vector<double> in = make_field<double>(field::smooth, rank, count);
    std::vector<double> out(count);
    laconic_allreduce_options options{};
    options.bound = 1e-5;
    int code = laconic_allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_OK, std::string("C sum: ") + laconic_last_message());
    check_promise(out, exact, ranks, 1, ranks == 1 ? 0 : 1e-5, accumulator::exact, "C sum");

    options.average = 1;
    options.algorithm = "homomorphic";
    options.segment_bytes = 4096;
    std::vector<double> both = in;
    code = laconic_allreduce(MPI_IN_PLACE, both.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_OK, std::string("C avg in place: ") + laconic_last_message());
    check_promise(both, exact, ranks, ranks, ranks == 1 ? 0 : 1e-5, accumulator::exact, "C avg in place");

    options.bound = -2;
    code = laconic_allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_ERR_BOUND, "C bad bound");
    check(std::string(laconic_last_message()).find("-2") != std::string::npos, "C message names the bound");
}

void check_passed_on() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    laconic_allreduce_options options{};
    options.bound = 0.5;
    const std::vector<int> ones(100, 1);
    std::vector<int> sums(100);
    check(laconic_allreduce(ones.data(), sums.data(), 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK &&
              sums == std::vector<int>(100, ranks),
          "C integers pass through");
    float largest = static_cast<float>(rank) + 0.25F;
    check(laconic_allreduce(MPI_IN_PLACE, &largest, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, &options) == LACONIC_OK &&
              largest == static_cast<float>(ranks) - 0.75F,
          "C maximum passes through");
    check(laconic_allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK,
          "C count 0");
    check(laconic_allreduce(&largest, &largest, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_NULL, &options) == LACONIC_ERR_ARGUMENT,
          "C MPI_COMM_NULL");
}

void check_refused_average() {
    laconic_allreduce_options options{};
    options.average = 1;
    int one = 1;
    float largest = 1;
    check(laconic_allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_ERR_ARGUMENT,
          "C average of integers");
    check(std::string(laconic_last_message()).find("average") != std::string::npos, "C message names average");
    check(laconic_allreduce(MPI_IN_PLACE, &largest, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, &options) ==
              LACONIC_ERR_ARGUMENT,
          "C average of a maximum");
}

/// A variable that is bad on the last rank only: that rank's sentence everywhere, and the next call works.
void check_bad_environment() {
    const int last = size_of(MPI_COMM_WORLD) - 1;
    const bool mine = rank_in(MPI_COMM_WORLD) == last;
    std::vector<float> values(count, 1.0F);
    setenv("LACONIC_CHECK", "on", 1);
    if (mine) setenv("LACONIC_ABS", "bad", 1);
    int code = laconic_allreduce(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, nullptr);
    if (mine) unsetenv("LACONIC_ABS");
    const std::string message = laconic_last_message();
    check(code == LACONIC_ERR_BOUND, "C bad variable: " + message);
    for (const std::string& word : {std::string("LACONIC_ABS"), "rank " + std::to_string(last)})
        check(message.find(word) != std::string::npos, "C bad variable should mention " + word + ": " + message);
    check_same_bytes(std::as_bytes(std::span(message.data(), message.size())), MPI_COMM_WORLD, "C bad variable");
    code = laconic_allreduce(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, nullptr);
    check(code == LACONIC_OK, std::string("C after the bad variable: ") + laconic_last_message());
    unsetenv("LACONIC_CHECK");
}

}  // namespace

void c_face_works() {
    check_compressed();
    check_passed_on();
    check_refused_average();
    check_bad_environment();
}

}  // namespace laconic::test
