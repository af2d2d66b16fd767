// SPDX-License-Identifier: BSD-3-Clause
// While a call is made that ranks agree on, every request for memory of one rank fails once, and then all from each one
// on: all ranks return the same failure, nobody waits for ever, and the next call on the communicator is as good as
// ever.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "collective/registry.hpp"
#include "counted_memory.hpp"
#include "laconic/laconic.h"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

enum class form : std::uint8_t { blocking, started, persistent };

scenario checked(operation op, std::string row, bool in_place, bool varying, std::size_t count = 700) {
    scenario what;
    what.op = op;
    what.algorithm = std::move(row);
    what.limit = bound::abs(1e-3);
    what.count = count;
    what.root = size_of(MPI_COMM_WORLD) - 1;
    what.in_place = in_place;
    what.varying = varying;
    what.ranks_per_node = 2;
    what.segment_bytes = 1024;
    what.check = true;
    if (what.algorithm == "auto") what.machine = slow_machine();
    return what;
}

status outcome_of(const laid_out<float>& arrays, MPI_Comm comm, const collective_options& options, form how) {
    if (how == form::blocking) return run(arrays.call, comm, options).error();
    if (how == form::started) {
        auto request = start(arrays.call, comm, options);
        return request.ok() ? request->wait().error() : request.error();
    }
    // Nobody hears of a call that is not prepared; programs tell each other.
    auto request = prepare(arrays.call, comm, options);
    int bad = request.ok() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (bad != 0) return {errc::out_of_memory, ""};
    const status begun = request->start();
    return begun.ok() ? request->wait().error() : begun;
}

MPI_Comm new_communicator() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

/// A communicator that has made a call, with what its first call takes.
MPI_Comm used_communicator() {
    MPI_Comm comm = new_communicator();
    std::vector<float> one(1);
    collective_options options;
    options.check = true;
    check(bcast(std::span(one), 0, comm, options).ok(), "a first call");
    return comm;
}

/// Makes a call again and again while one rank lacks memory, later each time, until it lacks none. Of many requests
/// some are left out. Returns how often the call failed.
/// fail    fail_one_after or fail_all_after
/// make    the communicator
/// call    returns the code of the call; it must not take memory of its own
/// again   makes it once more, and checks what it did
int walk(const std::string& name, int lacking, void (*fail)(std::int64_t) noexcept, MPI_Comm (*make)(),
         const std::function<errc(MPI_Comm)>& call, const std::function<void(MPI_Comm)>& again) {
    const bool lacks = rank_in(MPI_COMM_WORLD) == lacking;
    int failing = 1, failures = 0;
    for (std::int64_t granted = 0; failing != 0; granted += 1 + granted / 16) {
        MPI_Comm comm = make();
        if (lacks) fail(granted);
        const auto code = static_cast<int>(call(comm));
        failing = grant_all() && lacks ? 1 : 0;
        MPI_Bcast(&failing, 1, MPI_INT, lacking, MPI_COMM_WORLD);
        int codes[2] = {code, -code};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        check(codes[0] == -codes[1], name + ": code " + std::to_string(code) + ", and another one elsewhere");
        const bool failed = code != static_cast<int>(errc::ok);
        check(!failed || (failing != 0 && code == static_cast<int>(errc::out_of_memory)),
              name + ": code " + std::to_string(code));
        failures += failed ? 1 : 0;
        again(comm);
        MPI_Comm_free(&comm);
    }
    return failures;
}

int walk(const scenario& what, form how, bool audit, int lacking, MPI_Comm (*make)() = used_communicator) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    collective_options options = options_of(what);
    options.audit = audit;
    const std::string name =
        what.text() + (audit ? ", audited" : "") + ", form " + std::to_string(static_cast<int>(how));
    const laid_out<float> arrays = lay_out<float>(what, rank, ranks);
    const auto again = [&](MPI_Comm comm) {
        const laid_out<float> fresh = lay_out<float>(what, rank, ranks);
        const auto done = run(fresh.call, comm, options);
        check(done.ok(), name + ", again: " + done.error().message());
        if (done.ok()) check_outcome(what, fresh, *done);
    };
    int failures = 0;
    for (auto* const fail : {fail_one_after, fail_all_after})
        failures += walk(
            name, lacking, fail, make, [&](MPI_Comm comm) { return outcome_of(arrays, comm, options, how).code(); },
            again);
    return failures;
}

/// What C adds: options, arguments, handles, calls that go to MPI.
void walk_c(int lacking) {
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    std::vector<float> values(3000 * ranks, 1), sums(values.size());
    std::vector<int> one(1, rank_in(MPI_COMM_WORLD)), all(ranks);
    std::vector<std::size_t> counts(ranks, 1), displacements(ranks);
    for (std::size_t k = 0; k < ranks; ++k) displacements[k] = k;
    laconic_collective_options options{};
    options.bound = 1e-3;
    options.check = 1;
    laconic_request request = LACONIC_REQUEST_NULL;
    const auto sum = [&](MPI_Comm comm) {
        return laconic_allreduce(values.data(), sums.data(), values.size(), MPI_FLOAT, MPI_SUM, comm, &options);
    };
    const auto started = [&](MPI_Comm comm) {
        const int code =
            laconic_iallreduce(values.data(), sums.data(), values.size(), MPI_FLOAT, MPI_SUM, comm, &options, &request);
        return code == LACONIC_OK ? laconic_wait(&request) : code;
    };
    const auto exchanged = [&](MPI_Comm comm) {
        return laconic_alltoallv(values.data(), counts.data(), displacements.data(), sums.data(), counts.data(),
                                 displacements.data(), MPI_FLOAT, comm, &options);
    };
    const auto passed_on = [&](MPI_Comm comm) {
        return laconic_allgatherv(one.data(), 1, all.data(), counts.data(), displacements.data(), MPI_INT, comm,
                                  &options);
    };
    const auto walk_it = [&](const char* name, const char* row, MPI_Comm (*make)(), const auto& call) {
        options.algorithm = row;
        for (auto* const fail : {fail_one_after, fail_all_after}) {
            const int failures = walk(
                name, lacking, fail, make, [&](MPI_Comm comm) { return static_cast<errc>(call(comm)); },
                [&](MPI_Comm comm) { check(call(comm) == LACONIC_OK, laconic_last_message()); });
            check(failures > 0, std::string(name) + ": nothing fails");
        }
    };
    walk_it("C allreduce", "recursive_doubling", used_communicator, sum);
    walk_it("C iallreduce", "hzccl", used_communicator, started);
    walk_it("C alltoallv", "stock", used_communicator, exchanged);
    walk_it("C allgatherv of MPI_INT", "a row that is not even looked at", used_communicator, passed_on);
    walk_it("C allreduce, the first call", "hzccl", new_communicator, sum);
}

/// A call that ranks do not agree on: one that has no memory for it returns at once, and its communicator takes no
/// more. Nobody else makes the call, so it must not have begun.
void check_unheard(const std::string& row, operation op, bool varying, form how) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    MPI_Comm comm = used_communicator();
    scenario what = checked(op, row, true, varying, 100);
    what.check = false;
    what.machine.clear();
    const laid_out<float> arrays = lay_out<float>(what, rank, ranks);
    const collective_options options = options_of(what);
    if (rank == 0) {
        fail_one_after(0);
        const errc code =
            how == form::blocking ? run(arrays.call, comm, options).code() : start(arrays.call, comm, options).code();
        check(grant_all() && code == errc::out_of_memory, what.text() + ", unheard: " + std::to_string(int(code)));
        const status next = run(arrays.call, comm, options).error();
        check(next.code() == errc::mpi, what.text() + ", after one unheard: " + next.message());
    }
    MPI_Comm_free(&comm);
}

/// libzfp takes memory while data move: a rank that finds none says so in its messages, and none waits for ever.
void check_zfp(int lacking) {
    if (!collective::find_cell(operation::allreduce, "ring/per_hop:zfp_abs").ok()) return;
    const bool lacks = rank_in(MPI_COMM_WORLD) == lacking;
    const scenario what = checked(operation::allreduce, "ring/per_hop:zfp_abs", false, false);
    const laid_out<float> arrays = lay_out<float>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const collective_options options = options_of(what);
    int failing = 1;
    for (std::int64_t granted = 0; failing != 0; granted += 1 + granted / 16) {
        MPI_Comm comm = used_communicator();
        if (lacks) fail_all_after(granted);
        const errc code = run(arrays.call, comm, options).code();
        failing = grant_all() && lacks ? 1 : 0;
        MPI_Bcast(&failing, 1, MPI_INT, lacking, MPI_COMM_WORLD);
        const bool told = code == errc::out_of_memory || code == errc::corrupt;
        check(failing != 0 ? told || !lacks : code == errc::ok, "zfp: code " + std::to_string(static_cast<int>(code)));
        MPI_Comm_free(&comm);
    }
}

/// As check_unheard(), from C, which takes memory before there is a call.
void check_unheard_from_c() {
    MPI_Comm comm = used_communicator();
    if (rank_in(MPI_COMM_WORLD) == 0) {
        float value = 1;
        laconic_collective_options options{};
        laconic_request request = LACONIC_REQUEST_NULL;
        for (const int want : {LACONIC_ERR_MEMORY, LACONIC_ERR_MPI}) {
            if (want == LACONIC_ERR_MEMORY) fail_one_after(0);
            const int code = laconic_iallreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, comm, &options, &request);
            static_cast<void>(grant_all());
            check(code == want, "C unheard: " + std::to_string(code) + " " + laconic_last_message());
        }
    }
    MPI_Comm_free(&comm);
}

}  // namespace

void calls_without_memory_fail_everywhere() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks == 1 || ranks > 4) return;  // many ranks on few cores are slow, and have no more to show
    const auto walk_all = [&](operation op, const std::string& row, bool in_place, bool varying) {
        int failures = 0;
        // auto leaves shorter ones to MPI.
        const scenario what = checked(op, row, in_place, varying, row == "auto" ? 3000 : 700);
        for (const int lacking : {0, ranks - 1}) {
            for (const form how : {form::blocking, form::started, form::persistent})
                failures += walk(what, how, false, lacking);
            failures += walk(what, form::blocking, true, lacking);
        }
        check(failures > 10, row + ": hardly anything fails: " + std::to_string(failures));
    };
    // Memory of MPI's own: copies, lists of ints.
    walk_all(operation::alltoall, "stock", true, false);
    walk_all(operation::alltoall, "stock", true, true);
    walk_all(operation::reduce, "stock", true, false);
    walk_all(operation::gather, "stock", false, true);
    walk_all(operation::scatter, "stock", true, true);
    walk_all(operation::allreduce, "hzccl", false, false);
    walk_all(operation::allreduce, "argm", true, false);
    walk_all(operation::alltoall, "hierarchical", true, true);
    walk_all(operation::gather, "hierarchical", false, true);
    walk_all(operation::allgather, "c_coll", false, true);
    walk_all(operation::bcast, "cpr_p2p", false, false);
    walk_all(operation::allreduce, "auto", false, false);
    walk_all(operation::alltoall, "auto", true, true);
    for (const int lacking : {0, ranks - 1}) {
        walk_c(lacking);
        check_zfp(lacking);
        // The first call on a communicator, which takes what is kept with it.
        for (const form how : {form::blocking, form::started, form::persistent})
            check(walk(checked(operation::allreduce, "hzccl", false, false), how, false, lacking, new_communicator) > 5,
                  "a first call: hardly anything fails");
    }
    for (const form how : {form::blocking, form::started}) {
        check_unheard("ring_raw", operation::allreduce, false, how);
        check_unheard("stock", operation::alltoall, true, how);
    }
    // Short, which it leaves to MPI without a word.
    check_unheard("auto", operation::alltoall, false, form::started);
    check_unheard_from_c();
}

}  // namespace laconic::test
