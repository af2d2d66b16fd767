// SPDX-License-Identifier: BSD-3-Clause
// The C face's options and errors, and calls that it passes on to MPI.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "auto_probe.hpp"
#include "c_calls.hpp"
#include "cases.hpp"
#include "reference.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 5000;

int handled = 0;
void count_call(MPI_Comm*, int*, ...) { ++handled; }

void check_compressed() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const reference<double> exact(field::smooth, ranks, count);
    const std::vector<double> in = make_field<double>(field::smooth, rank, count);
    std::vector<double> out(count);
    laconic_collective_options options{};
    options.bound = 1e-5;
    int code = laconic_allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_OK, std::string("C sum: ") + laconic_last_message());
    check_promise(out, exact, ranks, 1, ranks == 1 ? 0 : 1e-5, accumulator::exact, "C sum");
    options.algorithm = "homcomp_f";
    std::vector<double> lossy(count);
    code = laconic_allreduce(in.data(), lossy.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_OK, std::string("C compressed sum: ") + laconic_last_message());
    check_promise(lossy, exact, ranks, 1, ranks == 1 ? 0 : 1e-5, accumulator::exact, "C compressed sum");
    check(ranks == 1 || lossy != out, "C compressed sum: the algorithm of the options was not used");
    options.scope = LACONIC_SCOPE_PROBABLE;
    options.confidence = 0.99;
    std::vector<double> probable(count);
    code = laconic_allreduce(in.data(), probable.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_OK && (ranks < 3 || probable != lossy), "C scope probable");
    options.scope = LACONIC_SCOPE_RESULT;

    options.average = 1;
    options.algorithm = "homomorphic";
    options.segment_bytes = 4096;
    std::vector<double> both = in;
    code = laconic_allreduce(MPI_IN_PLACE, both.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_OK, std::string("C avg in place: ") + laconic_last_message());
    check_promise(both, exact, ranks, ranks, ranks == 1 ? 0 : 1e-5, accumulator::exact, "C avg in place");

    options.algorithm = nullptr;
    options.machine = "/nowhere/machine.toml";
    code = laconic_allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code != LACONIC_OK && std::string(laconic_last_message()).find("/nowhere") != std::string::npos,
          std::string("C machine that cannot be read: ") + laconic_last_message());
    options.machine = nullptr;
    setenv("LACONIC_MACHINE", "/nowhere/else.toml", 1);
    code = laconic_allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code != LACONIC_OK && std::string(laconic_last_message()).find("/nowhere/else") != std::string::npos,
          std::string("C machine of the environment: ") + laconic_last_message());
    unsetenv("LACONIC_MACHINE");
    options.bound = -2;
    code = laconic_allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    check(code == LACONIC_ERR_BOUND, "C bad bound");
    check(std::string(laconic_last_message()).find("-2") != std::string::npos, "C message names the bound");
}

void keep_larger(void* in, void* inout, int* elements, MPI_Datatype*) {
    for (int i = 0; i < *elements; ++i)
        static_cast<float*>(inout)[i] = std::max(static_cast<float*>(in)[i], static_cast<float*>(inout)[i]);
}

void check_passed_on() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    laconic_collective_options options{};
    options.bound = 0.5;
    const std::vector<int> ones(100, 1);
    std::vector<int> sums(100);
    check(laconic_allreduce(ones.data(), sums.data(), 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK &&
              sums == std::vector<int>(100, ranks),
          "C integers pass through");
    const float difference = static_cast<float>(rank) + 0.25F;
    MPI_Op keeps_first = MPI_OP_NULL;
    MPI_Op_create(keep_larger, 1, &keeps_first);
    for (const bool later : {false, true}) {
        float largest = difference;
        laconic_request request = LACONIC_REQUEST_NULL;
        const int code =
            later ? laconic_iallreduce(MPI_IN_PLACE, &largest, 1, MPI_FLOAT, keeps_first, MPI_COMM_WORLD, &options,
                                       &request)
                  : laconic_allreduce(MPI_IN_PLACE, &largest, 1, MPI_FLOAT, keeps_first, MPI_COMM_WORLD, &options);
        check(
            code == LACONIC_OK && laconic_wait(&request) == LACONIC_OK && largest == static_cast<float>(ranks) - 0.75F,
            "C user-defined operation passes through");
    }
    MPI_Op_free(&keeps_first);
    float largest = difference;
    check(laconic_allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK,
          "C count 0");
    check(laconic_allreduce(&largest, &largest, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_NULL, &options) == LACONIC_ERR_ARGUMENT,
          "C MPI_COMM_NULL");
}

void check_refused_average() {
    laconic_collective_options options{};
    options.average = 1;
    int one = 1;
    check(laconic_allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_ERR_ARGUMENT,
          "C average of integers");
    check(std::string(laconic_last_message()).find("average") != std::string::npos, "C message names average");
}

/// All ranks make the same mistake.
void check_mistakes() {
    const int ranks = size_of(MPI_COMM_WORLD);
    const MPI_Comm comm = MPI_COMM_WORLD;
    std::vector<float> values(static_cast<std::size_t>(ranks) * 8, 1.0F);
    float* const data = values.data();
    std::vector<std::size_t> ones(static_cast<std::size_t>(ranks), 1);
    const auto fails = [&](int code, int want, const std::string& word, const char* what) {
        check(code == want, std::string("C ") + what + ": " + std::to_string(code) + " " + laconic_last_message());
        check(std::string(laconic_last_message()).find(word) != std::string::npos,
              std::string("C ") + what + " should mention '" + word + "': " + laconic_last_message());
    };
    laconic_collective_options options{};
    options.bound = 0.1;
    options.check = 1;
    const auto with = [&](auto change) {
        static laconic_collective_options changed;
        changed = options;
        change(changed);
        return &changed;
    };
    static constexpr int absurd_kind = 256;
    using given = laconic_collective_options;
    fails(laconic_allreduce(MPI_IN_PLACE, data, 8, MPI_FLOAT, MPI_SUM, comm,
                            with([](given& o) { std::memcpy(&o.kind, &absurd_kind, sizeof o.kind); })),
          LACONIC_ERR_ARGUMENT, "bound kind", "bound kind 256");
    fails(laconic_allreduce(MPI_IN_PLACE, data, 8, MPI_FLOAT, MPI_SUM, comm,
                            with([](given& o) { o.scope = static_cast<laconic_scope>(3); })),
          LACONIC_ERR_ARGUMENT, "scope", "scope 3");
    fails(laconic_allreduce(MPI_IN_PLACE, data, 8, MPI_FLOAT, MPI_SUM, comm, with([](given& o) { o.confidence = 2; })),
          LACONIC_ERR_ARGUMENT, "confidence", "confidence 2");
    fails(laconic_bcast(data, 8, MPI_FLOAT, 0, comm, with([](given& o) { o.algorithm = "pigeon"; })),
          LACONIC_ERR_ARGUMENT, "pigeon", "algorithm pigeon");
    fails(laconic_bcast(data, 8, MPI_FLOAT, ranks, comm, &options), LACONIC_ERR_ARGUMENT, "root", "root");
    fails(laconic_bcast(MPI_IN_PLACE, 8, MPI_FLOAT, 0, comm, &options), LACONIC_ERR_ARGUMENT, "MPI_IN_PLACE",
          "bcast in place");
    fails(laconic_alltoall(data, 1, MPI_IN_PLACE, 1, MPI_FLOAT, comm, &options), LACONIC_ERR_ARGUMENT, "recvbuf",
          "MPI_IN_PLACE for recvbuf");
    fails(laconic_scatter(MPI_IN_PLACE, 1, data, 1, MPI_FLOAT, 0, comm, &options), LACONIC_ERR_ARGUMENT, "sendbuf",
          "scatter in place at the wrong side");
    if (ranks > 1)
        fails(laconic_gather(MPI_IN_PLACE, 1, data, 1, MPI_FLOAT, 0, comm, &options), LACONIC_ERR_ARGUMENT, "sendbuf",
              "gather in place on all ranks");
    fails(laconic_allgather(data, 2, data + ranks, 1, MPI_FLOAT, comm, &options), LACONIC_ERR_ARGUMENT, "out has",
          "allgather of two counts");
    fails(laconic_allreduce(data, nullptr, 8, MPI_FLOAT, MPI_SUM, comm, &options), LACONIC_ERR_ARGUMENT, "null",
          "recvbuf NULL");
    fails(laconic_allgatherv(data, 1, data, nullptr, ones.data(), MPI_FLOAT, comm, &options), LACONIC_ERR_ARGUMENT,
          "counts", "no counts");
    fails(laconic_alltoallv(data, ones.data(), nullptr, data, ones.data(), ones.data(), MPI_INT, comm, &options),
          LACONIC_ERR_ARGUMENT, "displacements", "no displacements, passed on");
    fails(laconic_allreduce(MPI_IN_PLACE, data, static_cast<std::size_t>(-8), MPI_FLOAT, MPI_SUM, comm, &options),
          LACONIC_ERR_ARGUMENT, "beyond all memory", "a negative count");
    fails(laconic_allgather(data, 1, data, SIZE_MAX / 32, MPI_DOUBLE, comm, &options), LACONIC_ERR_ARGUMENT,
          ranks == 1 ? "needs" : "beyond all memory", "counts that overflow");
    fails(laconic_bcast(data, std::size_t{1} << 31, MPI_INT, 0, comm, &options), LACONIC_ERR_UNSUPPORTED, "2^31",
          "a count beyond int, passed on");
    ones.back() = std::size_t{1} << 31;
    fails(laconic_reduce_scatter(data, data, ones.data(), MPI_INT, MPI_SUM, comm, &options), LACONIC_ERR_UNSUPPORTED,
          "2^31", "a listed count beyond int, passed on");
    fails(laconic_allreduce(MPI_IN_PLACE, data, 8, MPI_FLOAT, MPI_MAX, comm, with([](given& o) { o.average = 1; })),
          LACONIC_ERR_ARGUMENT, "average", "average of a maximum");
    check(laconic_bcast(data, 8, MPI_FLOAT, 0, comm, with([](given& o) { o.average = 1; })) == LACONIC_OK,
          "C average is for reductions");
    fails(laconic_bcast(data, 8, MPI_FLOAT, 0, comm, with([](given& o) {
                            o.algorithm = "ring/once:zfp_rate";
                            o.rate = -1;
                        })),
          LACONIC_ERR_ARGUMENT, "rate", "rate -1");
    // `stock` compares nothing unless it is asked to.
    if (const bool last = rank_in(comm) + 1 == ranks; ranks > 1) {
        options.algorithm = "stock";
        fails(laconic_bcast(data, 8, MPI_FLOAT, 0, comm, with([&](given& o) { o.bound = last ? 0.2 : 0.1; })),
              LACONIC_ERR_MISMATCH, "error bound differs", "bounds that differ");
        fails(laconic_bcast(data, 8, MPI_FLOAT, 0, comm, with([&](given& o) { o.segment_bytes = last ? 1 << 20 : 0; })),
              LACONIC_ERR_MISMATCH, "segment size differs", "segments that differ");
        check(laconic_bcast(data, 8, MPI_FLOAT, 0, comm, with([&](given& o) {
                                o.bound = last ? 0.2 : 0.1;
                                o.check = 0;
                            })) == LACONIC_OK,
              "C stock without comparing");
    }
    check(laconic_half_type() == laconic_half_type() && laconic_half_type() != laconic_bfloat16_type(),
          "C 16-bit types are made once");
}

/// MPI's own errors reach the error handler of the caller's communicator, once.
void check_error_handler() {
    MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, count_call);
    int value = 0;
    for (const form how : forms) {
        handled = 0;
        laconic_request request = LACONIC_REQUEST_NULL;
        int code = LACONIC_OK;
        const int root = size_of(comm) + 3;
        if (how == form::blocking) code = laconic_bcast(&value, 1, MPI_INT, root, comm, nullptr);
        if (how == form::nonblocking) code = laconic_ibcast(&value, 1, MPI_INT, root, comm, nullptr, &request);
        if (how == form::persistent) {
            code = laconic_bcast_init(&value, 1, MPI_INT, root, comm, nullptr, &request);
            if (code == LACONIC_OK) code = laconic_start(&request);
        }
        if (code == LACONIC_OK) code = laconic_wait(&request);
        const std::string message = laconic_last_message();
        check(code == LACONIC_ERR_MPI && message.find("bcast") != std::string::npos, "C an error of MPI: " + message);
        check(handled == 1, "C the error handler ran " + std::to_string(handled) + " times");
        laconic_request_free(&request);
    }
    MPI_Comm_free(&comm);
}

/// MPI fails while a first call makes what is kept with its communicator, which takes no further ones.
void check_first_call_fails() {
    MPI_Comm comm = duplicate_with(MPI_COMM_SELF, count_call);
    handled = 0;
    split_fails = true;
    float value = 1;
    for (int i = 0; i < 2; ++i) {
        const int code = laconic_allreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, comm, nullptr);
        check(code == LACONIC_ERR_MPI && handled == 1,
              "C first call: " + std::to_string(code) + ", handled " + std::to_string(handled));
    }
    split_fails = false;
    MPI_Comm_free(&comm);
}

/// Between two groups: MPI's own business.
void check_between_groups() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks < 2) return;
    MPI_Comm group = MPI_COMM_NULL;
    MPI_Comm between = MPI_COMM_NULL;
    const int first = ranks > 2 ? 2 : 1;  // of the other group
    const int side = rank < first ? 0 : 1;
    const bool idle = rank == 1 && side == 0;
    const int root = rank == 0 ? MPI_ROOT : idle ? MPI_PROC_NULL : 0;
    // Of whom MPI does not look at any argument but the root.
    const std::size_t anything = SIZE_MAX - 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, side == 0 ? first : 0, 5, &between);
    const float mine = side == 0 ? 10.0F : 1.0F;
    float sum = 0;
    int code = laconic_allreduce(&mine, &sum, 1, MPI_FLOAT, MPI_SUM, between, nullptr);
    check(code == LACONIC_OK &&
              sum == (side == 0 ? static_cast<float>(ranks - first) : 10.0F * static_cast<float>(first)),
          "C sum between groups");
    sum = rank == 0 ? 5.0F : 0.0F;
    code = laconic_bcast(&sum, idle ? anything : 1, MPI_FLOAT, root, between, nullptr);
    check(code == LACONIC_OK && sum == (idle ? 0.0F : 5.0F),
          std::string("C bcast between groups: ") + laconic_last_message());
    code = laconic_reduce(&mine, &sum, idle ? anything : 1, MPI_FLOAT, MPI_SUM, root, between, nullptr);
    check(code == LACONIC_OK && (rank != 0 || sum == static_cast<float>(ranks - first)),
          std::string("C reduce between groups: ") + laconic_last_message());
    float part = 0;
    const std::vector<float> parts(static_cast<std::size_t>(ranks), 3.0F);
    code = laconic_scatter(parts.data(), rank == 0 ? 1 : anything, &part, side == 0 ? anything : 1, MPI_FLOAT, root,
                           between, nullptr);
    check(code == LACONIC_OK && (side == 0 || part == 3.0F),
          std::string("C scatter between groups: ") + laconic_last_message());
    // Rank 0 gathers from all others, whose counts it lists.
    const auto others = static_cast<std::size_t>(ranks - first);
    std::vector<std::size_t> counts(others), places(others);
    for (std::size_t k = 0; k < others; ++k) counts[k] = k + 1, places[k] = k * (k + 1) / 2;
    std::vector<float> all(others * (others + 1) / 2, -1.0F);
    const int number = side == 0 ? 0 : rank - first + 1;
    const std::vector<float> own(static_cast<std::size_t>(number), static_cast<float>(number));
    code =
        laconic_gatherv(own.data(), side == 0 ? anything : own.size(), all.data(), rank == 0 ? counts.data() : nullptr,
                        rank == 0 ? places.data() : nullptr, MPI_FLOAT, root, between, nullptr);
    check(code == LACONIC_OK, std::string("C gatherv between groups: ") + laconic_last_message());
    if (rank == 0)
        for (std::size_t k = 0; k < others; ++k)
            for (std::size_t i = 0; i < counts[k]; ++i)
                check(all[places[k] + i] == static_cast<float>(k + 1), "C gatherv between groups");
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
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
    check_mistakes();
    check_error_handler();
    check_between_groups();
    check_bad_environment();
    check_first_call_fails();
}

}  // namespace laconic::test
