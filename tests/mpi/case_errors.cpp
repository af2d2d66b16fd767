// SPDX-License-Identifier: BSD-3-Clause
// One rank with different or bad arguments: every rank gets the same code and nobody waits; the next call works.
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "collective/calls_under_way.hpp"
#include "fields.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

struct arguments {
    std::vector<float> values = make_field<float>(field::smooth, 0, 3000);
    std::span<const float> in{values};
    std::vector<float> result = std::vector<float>(4000);
    std::span<float> out = std::span<float>(result).first(3000);
    reduction op = reduction::sum;
    collective_options options = checked("fused");

    static collective_options checked(std::string_view row) {
        collective_options options = options_for(row, bound::abs(1e-3));
        options.check = true;
        return options;
    }
};

void all_ranks_get(errc code, const std::string& mentioned, const std::string& what,
                   const std::function<status(arguments&)>& call) {
    arguments given;
    const status outcome = call(given);
    check(outcome.code() == code, what + ": " + outcome.message());
    check(outcome.context().find(mentioned) != std::string::npos,
          what + " should mention '" + mentioned + "': " + outcome.context());
    check_same_bytes(std::as_bytes(std::span(outcome.context().data(), outcome.context().size())), MPI_COMM_WORLD,
                     what + " message");
    arguments good;
    const auto next = allreduce<float>(good.in, good.out, good.op, MPI_COMM_WORLD, good.options);
    check(next.ok(), "the call after " + what + ": " + next.error().message());
}

/// `spoil` changes the arguments on the last rank only.
void last_rank_differs(errc code, const std::string& mentioned, const std::string& what,
                       const std::function<void(arguments&)>& spoil) {
    const bool last = rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD);
    all_ranks_get(code, mentioned, what, [&](arguments& given) {
        if (last) spoil(given);
        return allreduce<float>(given.in, given.out, given.op, MPI_COMM_WORLD, given.options).error();
    });
}

void check_mismatches() {
    const bool last = rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD);
    last_rank_differs(errc::mismatch, "2999 on one, 3000 on another", "count", [](arguments& a) {
        a.in = a.in.first(2999);
        a.out = a.out.first(2999);
    });
    last_rank_differs(errc::mismatch, "0.25", "bound", [](arguments& a) { a.options.limit.value = 0.25; });
    last_rank_differs(errc::mismatch, "relative", "kind", [](arguments& a) { a.options.limit = bound::rel(1e-3); });
    last_rank_differs(errc::mismatch, "contribution", "scope",
                      [](arguments& a) { a.options.bound_scope = scope::contribution; });
    last_rank_differs(errc::mismatch, "avg", "operation", [](arguments& a) { a.op = reduction::avg; });
    for (const std::string_view row : {"stock", "ring_raw", "cpr_p2p", "hzccl"})
        last_rank_differs(errc::mismatch, std::string(row), "algorithm",
                          [&](arguments& a) { a.options.algorithm = row; });
    last_rank_differs(errc::mismatch, "4096", "segment size", [](arguments& a) { a.options.segment_bytes = 4096; });
    all_ranks_get(errc::mismatch, "ranks_per_node", "nodes, by which messages are cut", [&](arguments& given) {
        given.options.algorithm = "ring_raw";
        given.options.ranks_per_node = last ? 1 : 0;
        return allreduce<float>(given.in, given.out, given.op, MPI_COMM_WORLD, given.options).error();
    });
    all_ranks_get(errc::mismatch, "double", "type", [&](arguments& given) {
        if (!last) return allreduce<float>(given.in, given.out, given.op, MPI_COMM_WORLD, given.options).error();
        std::vector<double> values(3000, 1.0);
        return allreduce<double>(std::span<const double>(values), std::span<double>(values), given.op, MPI_COMM_WORLD,
                                 given.options)
            .error();
    });
}

void check_bad_arguments() {
    last_rank_differs(errc::invalid_argument, "bound kind 7", "unknown bound kind",
                      [](arguments& a) { a.options.limit.kind = static_cast<bound_kind>(7); });
    last_rank_differs(errc::invalid_argument, "scope 9", "unknown scope",
                      [](arguments& a) { a.options.bound_scope = static_cast<scope>(9); });
    last_rank_differs(errc::invalid_bound, "-1e-09", "small negative bound",
                      [](arguments& a) { a.options.limit.value = -1e-9; });
    last_rank_differs(errc::invalid_bound, "nan", "NaN bound", [](arguments& a) { a.options.limit.value = NAN; });
    last_rank_differs(errc::invalid_bound, "-1", "negative bound", [](arguments& a) { a.options.limit.value = -1; });
    last_rank_differs(errc::invalid_bound, "inf", "infinite bound",
                      [](arguments& a) { a.options.limit.value = INFINITY; });
    last_rank_differs(errc::invalid_argument, "null", "null buffer",
                      [](arguments& a) { a.in = std::span<const float>(static_cast<const float*>(nullptr), 3000); });
    last_rank_differs(errc::invalid_argument, "2000", "sizes", [](arguments& a) { a.out = a.out.first(2000); });
    last_rank_differs(errc::invalid_argument, "quantum", "unknown algorithm",
                      [](arguments& a) { a.options.algorithm = "quantum"; });
    last_rank_differs(errc::invalid_argument, "overlap", "overlap",
                      [](arguments& a) { a.in = std::span<const float>(a.result).subspan(1000, 3000); });
    // All at fault, in different ways: still one answer.
    const int rank = rank_in(MPI_COMM_WORLD);
    all_ranks_get(errc::invalid_bound, "rank 0", "every rank at fault", [&](arguments& given) {
        given.options.limit.value = -1 - rank;
        return allreduce<float>(given.in, given.out, given.op, MPI_COMM_WORLD, given.options).error();
    });
    arguments given;
    check(allreduce<float>(given.in, given.out, given.op, MPI_COMM_NULL, given.options).error().code() ==
              errc::invalid_argument,
          "MPI_COMM_NULL");
}

/// Without `check` a rank learns alone that its arguments are wrong. Made again with good ones its call is the one that
/// the others have made, and so are those after it.
void check_second_try() {
    const bool last = rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD);
    for (const std::string_view row : {"ring_raw", "stock", "auto"}) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        arguments given;
        check(allreduce<float>(given.in, given.out, given.op, comm, given.options).ok(), "a first call");
        const collective_options options = options_for(row, bound::abs(1e-3));
        const auto call = [&](std::size_t elements) {
            return allreduce<float>(given.in.first(elements), given.out.first(100), given.op, comm, options).error();
        };
        const std::string name = "second try of " + std::string(row);
        if (last) check(call(99).code() == errc::invalid_argument, name + ": the first");
        check(call(100).ok(), name);
        for (const std::string_view next : {"ring_raw", "fused"}) {
            given.options = options_for(next, bound::abs(1e-3));
            const auto done = allreduce<float>(given.in, given.out, given.op, comm, given.options);
            check(done.ok(), name + ", then " + std::string(next) + ": " + done.error().message());
        }
        MPI_Comm_free(&comm);
    }
}

/// A started call that turns out to be wrong on one rank when others have been started after it: the next one is made
/// in its place.
void check_wrong_in_line() {
    const bool last = rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::vector<float> in(5000, 1.0F);
    std::vector<std::vector<float>> out(4, std::vector<float>(in.size()));
    const auto call = [&](std::size_t to) { return collective_call<float>::allreduce(in, out[to], reduction::sum); };
    const collective_options unchecked = options_for("auto", bound::abs(1e-3));
    auto before = start(call(0), comm, options_for("homcomp_f", bound::abs(1e-3)));
    auto wrong = start(call(1), comm, last ? options_for("auto", bound::abs(-1)) : unchecked);
    auto after = start(call(2), comm, options_for("ring_raw", {}));
    check(before.ok() && wrong.ok() && after.ok(), "three started calls");
    if (last) {
        check(wrong->wait().error().code() == errc::invalid_bound, "a wrong call in line");
        wrong = start(call(1), comm, unchecked);
    }
    check(wrong->wait().ok() && before->wait().ok() && after->wait().ok(), "calls beside a wrong one");
    check(run(call(3), comm, options_for("ring_raw", {})).ok(), "a call after a wrong one");
    for (const auto& sums : out)
        check(std::fabs(sums[4999] - static_cast<float>(size_of(comm))) <= 1e-3,
              "a sum beside a wrong call: " + std::to_string(sums[4999]));
    MPI_Comm_free(&comm);
}

/// A started call that is wrong on one rank from the beginning, which the program does not know before it has started
/// the next one.
void check_wrong_before_another() {
    const bool last = rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::vector<float> ones(5000, 1.0F), twos(5000, 2.0F);
    std::vector<float> sum(5000), next_sum(5000);
    const auto call = collective_call<float>::allreduce(ones, sum, reduction::sum);
    const collective_options options = options_for("ring_raw", {});
    auto wrong = start(call, comm, last ? options_for("ring_raw", bound::abs(-1)) : options);
    auto after = start(collective_call<float>::allreduce(twos, next_sum, reduction::sum), comm, options);
    check(wrong.ok() && after.ok(), "two started calls");
    if (last) {
        check(wrong->wait().error().code() == errc::invalid_bound, "a wrong call before another");
        wrong = start(call, comm, options);
    }
    check(wrong->wait().ok() && after->wait().ok(), "a wrong call, made again, and another one");
    const auto n = static_cast<float>(size_of(comm));
    check(sum[4999] == n && next_sum[4999] == 2 * n,
          "sums of two calls: " + std::to_string(sum[4999]) + " and " + std::to_string(next_sum[4999]));
    MPI_Comm_free(&comm);
}

/// What has its turn behind a call that was wrong, before the program knows, would meet another call of the others: it
/// fails. Here on all ranks, so that none waits for another.
void check_turns_behind_a_wrong_call() {
    const std::vector<float> in(5000, 1.0F);
    std::vector<std::vector<float>> out(3, std::vector<float>(in.size()));
    const auto call = [&](std::size_t to) { return collective_call<float>::allreduce(in, out[to], reduction::sum); };
    for (const bool waits : {false, true}) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        auto before = waits ? start(call(0), comm, options_for("homcomp_f", bound::abs(1e-3))) : collective_request();
        auto wrong = start(call(1), comm, options_for("stock", bound::abs(-1)));
        auto after = start(call(2), comm, options_for("homcomp_f", bound::abs(1e-3)));
        check(before.ok() && wrong.ok() && after.ok(), "calls in line");
        const status failed = after->wait().error();
        check(failed.code() == errc::mpi, "a call behind a wrong one: " + failed.message());
        check(wrong->wait().error().code() == errc::invalid_bound, "a wrong call before one that has its turn");
        static_cast<void>(before->wait());
        MPI_Comm_free(&comm);
    }
}

/// A call that was wrong keeps its tags, too, until the program knows: what would have the same fails. On all ranks.
void check_tags_of_a_wrong_call() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::uint64_t& most = collective::calls_with_tags();
    const std::uint64_t before = std::exchange(most, 8);
    const std::vector<float> in(100, 1.0F);
    std::vector<std::vector<float>> out(most + 1, std::vector<float>(in.size()));
    std::vector<collective_request> all;
    for (auto& each : out) {
        auto made = start(collective_call<float>::allreduce(in, each, reduction::sum), comm,
                          options_for("ring_raw", bound::abs(all.empty() ? -1 : 1)));
        check(made.ok(), "a started call");
        if (made.ok()) all.push_back(std::move(*made));
    }
    const status failed = all.back().wait().error();
    check(failed.code() == errc::mpi, "a call with the tags of a wrong one: " + failed.message());
    check(all.front().wait().error().code() == errc::invalid_bound, "a wrong call before many");
    all.clear();
    most = before;
    MPI_Comm_free(&comm);
}

/// A bcast has one array; the root's second one would be sent by some rows and not by others.
void check_bcast_of_two_arrays() {
    const std::vector<float> in(100, 1.0F);
    std::vector<float> out(100, 7.0F);
    collective_options options = options_for("ring_raw", {});
    options.check = true;
    const collective_call<float> call{operation::bcast, in, out, reduction::sum, 0, false, {}, {}, {}, {}};
    const status outcome = run(call, MPI_COMM_WORLD, options).error();
    check(outcome.code() == errc::invalid_argument, "a bcast of two arrays: " + outcome.message());
}

}  // namespace

void bad_arguments_fail_everywhere() {
    check_bcast_of_two_arrays();
    if (size_of(MPI_COMM_WORLD) > 1) {
        check_wrong_in_line();
        check_wrong_before_another();
        check_turns_behind_a_wrong_call();
        check_tags_of_a_wrong_call();
        check_mismatches();
    }
    check_bad_arguments();
    check_second_try();
}

}  // namespace laconic::test
