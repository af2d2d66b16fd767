// SPDX-License-Identifier: BSD-3-Clause
// Operations of the program's own: values are combined by the program's function, whatever carries them.
#include <cmath>
#include <string>
#include <vector>

#include "c_calls.hpp"
#include "cases.hpp"
#include "mpi/narrow_types.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// The value of larger magnitude, the positive one of two that are equal: commutes, is associative, and moves no error.
template <class T>
T larger(T a, T b) {
    const auto x = static_cast<double>(static_cast<real_type<T>>(a));
    const auto y = static_cast<double>(static_cast<real_type<T>>(b));
    return std::fabs(x) > std::fabs(y) || (std::fabs(x) == std::fabs(y) && x > y) ? a : b;
}
template <class T>
void keep_larger(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i)
        static_cast<T*>(inout)[i] = larger(static_cast<const T*>(in)[i], static_cast<T*>(inout)[i]);
}

template <class T>
void check_rows() {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(keep_larger<T>, 1, &op);
    const int ranks = size_of(world);
    constexpr double e = 1e-2;
    for (const std::size_t count : {std::size_t{7}, std::size_t{30011}}) {
        std::vector<T> exact(count, T(real_type<T>{0}));
        for (int rank = 0; rank < ranks; ++rank) {
            const std::vector<T> one = make_field<T>(field::smooth, rank, count);
            for (std::size_t i = 0; i < count; ++i) exact[i] = rank == 0 ? one[i] : larger(exact[i], one[i]);
        }
        const std::vector<T> in = make_field<T>(field::smooth, rank_in(world), count);
        for (const char* row :
             {"stock", "auto", "ring_raw", "rabenseifner/raw", "recursive_doubling/raw", "hierarchical/raw",
              "binomial/raw", "cpr_p2p:fle", "c_coll:fle", "hierarchical/per_hop"}) {
            std::vector<T> out(count);
            auto call = collective_call<T>::allreduce(in, out, reduction::custom);
            call.custom = op;
            collective_options options = options_for(row, bound::abs(e));
            options.ranks_per_node = 2;
            const auto done = run(call, world, options);
            const std::string what = std::string("own operation, ") + row;
            check(done.ok(), what + ": " + done.error().message());
            if (!done.ok()) continue;
            const bool lossy = done->step > 0;
            check(!lossy || std::isinf(done->result_bound), what + ": nothing is guaranteed");
            double worst = 0;
            for (std::size_t i = 0; i < count; ++i)
                // Which of two nearly equal magnitudes of opposite sign wins may change with the error.
                worst = std::max(worst, std::fabs(std::fabs(static_cast<double>(static_cast<real_type<T>>(out[i]))) -
                                                  std::fabs(static_cast<double>(static_cast<real_type<T>>(exact[i])))));
            const double half_ulps = sizeof(T) == 2 ? 0.25 : 1e-6;
            check(worst <= (lossy ? ranks * e + half_ulps : 0), what + ": error " + std::to_string(worst));
        }
    }
    MPI_Op_free(&op);
}

void check_refusals() {
    std::vector<float> in(100, 1);
    std::vector<float> out(100);
    auto call = collective_call<float>::allreduce(in, out, reduction::custom);
    const auto expect = [&](const char* row, errc code, const char* what) {
        const auto done = run(call, world, options_for(row, bound::abs(1e-3)));
        check(done.error().code() == code, std::string(what) + ": " + done.error().message());
    };
    expect("ring_raw", errc::invalid_argument, "no MPI_Op");
    for (const MPI_Op other : {MPI_BAND, MPI_LAND, MPI_MAXLOC, MPI_NO_OP}) {
        call.custom = other;
        expect("ring_raw", errc::invalid_argument, "an MPI_Op that floats do not have");
    }
    const std::vector<half> narrow(100, half(1.0F));
    std::vector<half> sum(100);
    auto narrow_call = collective_call<half>::allreduce(narrow, sum, reduction::custom);
    narrow_call.custom = MPI_SUM;
    const auto refused = run(narrow_call, world, options_for("ring_raw", bound::abs(1e-3)));
    check(refused.error().code() == errc::invalid_argument, "MPI_SUM of halves: " + refused.error().message());
    call.custom = MPI_SUM;
    expect("ring_raw", errc::ok, "MPI_SUM as if it were the program's own");
    check(out[99] == static_cast<float>(size_of(world)), "MPI_SUM as if it were the program's own: another sum");
    MPI_Op_create(keep_larger<float>, 0, &call.custom);
    expect("ring_raw", errc::unsupported, "an MPI_Op that does not commute");
    MPI_Op_free(&call.custom);
    MPI_Op_create(keep_larger<float>, 1, &call.custom);
    expect("fused", errc::unsupported, "streams of an own operation");
    MPI_Op_free(&call.custom);
}

/// From C the same, and what laconic does not take is MPI's.
void check_c_face() {
    const int ranks = size_of(world);
    const std::vector<double> in(5000, rank_in(world) % 2 == 0 ? rank_in(world) + 1.5 : -rank_in(world) - 1.5);
    const double last = ranks + 0.5;
    for (const int commutes : {1, 0}) {
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(keep_larger<double>, commutes, &op);
        for (const char* row : {"ring_raw", "c_coll", "fused"}) {
            laconic_collective_options options = {};
            options.kind = LACONIC_ABSOLUTE;
            options.bound = 1e-3;
            options.algorithm = row;
            std::vector<double> out(in.size());
            const int code = laconic_allreduce(in.data(), out.data(), in.size(), MPI_DOUBLE, op, world, &options);
            check(code == LACONIC_OK && std::fabs(std::fabs(out.back()) - last) <= ranks * 1e-3,
                  std::string("C, own operation, ") + row + ": " + std::to_string(out.back()));
        }
        MPI_Op_free(&op);
    }
}

}  // namespace

void own_operations_work() {
    check_rows<float>();
    check_rows<double>();
    check_rows<half>();
    check_rows<bfloat16>();
    check_refusals();
    check_c_face();
}

}  // namespace laconic::test
