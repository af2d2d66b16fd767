// SPDX-License-Identifier: BSD-3-Clause
// Every request for memory of one rank fails once while a call is made that ranks agree on: all return the same
// failure, nobody waits for ever, and the next call on the communicator is as good as ever.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "counted_memory.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

enum class form : std::uint8_t { blocking, started, persistent };

scenario checked(operation op, std::string row, bool in_place, bool varying, std::size_t count = 3000) {
    scenario what;
    what.op = op;
    what.algorithm = std::move(row);
    what.limit = bound::abs(1e-3);
    what.count = count;
    what.root = size_of(MPI_COMM_WORLD) - 1;
    what.in_place = in_place;
    what.varying = varying;
    what.ranks_per_node = 2;
    what.segment_bytes = 4096;
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

/// A communicator that has made a call, with what its first call takes.
MPI_Comm used_communicator() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<float> one(1);
    collective_options options;
    options.check = true;
    check(bcast(std::span(one), 0, comm, options).ok(), "a first call");
    return comm;
}

/// Makes a call again and again while one rank lacks memory, later each time, until it lacks none. Of many requests
/// some are left out. Returns how often the call failed.
int walk(const scenario& what, form how, bool audit, int lacking) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    collective_options options = options_of(what);
    options.audit = audit;
    const std::string name =
        what.text() + (audit ? ", audited" : "") + ", form " + std::to_string(static_cast<int>(how));
    int failing = 1, failures = 0;
    for (std::int64_t granted = 0; failing != 0; granted += 1 + granted / 16) {
        MPI_Comm comm = used_communicator();
        const laid_out<float> arrays = lay_out<float>(what, rank, ranks);
        if (rank == lacking) fail_one_after(granted);
        const status got = outcome_of(arrays, comm, options, how);
        failing = grant_all() && rank == lacking ? 1 : 0;
        MPI_Bcast(&failing, 1, MPI_INT, lacking, MPI_COMM_WORLD);
        int codes[2] = {static_cast<int>(got.code()), -static_cast<int>(got.code())};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        check(codes[0] == -codes[1], name + ": another code than elsewhere: " + got.message());
        if (!got.ok()) {
            ++failures;
            check(failing != 0 && got.code() == errc::out_of_memory, name + ": " + got.message());
        }
        // The same again, and then its elements are right.
        const laid_out<float> again = lay_out<float>(what, rank, ranks);
        const auto done = run(again.call, comm, options);
        check(done.ok(), name + ", again: " + done.error().message());
        if (done.ok()) check_outcome(what, again, *done);
        MPI_Comm_free(&comm);
    }
    return failures;
}

}  // namespace

void calls_without_memory_fail_everywhere() {
    const int ranks = size_of(MPI_COMM_WORLD);
    if (ranks == 1 || ranks > 4) return;  // many ranks on few cores are slow, and have no more to show
    int failures = 0;
    const auto walk_all = [&](operation op, const std::string& row, bool in_place, bool varying) {
        for (const int lacking : {0, ranks - 1}) {
            for (const form how : {form::blocking, form::started, form::persistent})
                failures += walk(checked(op, row, in_place, varying), how, false, lacking);
            failures += walk(checked(op, row, in_place, varying), form::blocking, true, lacking);
        }
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
    check(failures > 100, "hardly anything fails: " + std::to_string(failures));
}

}  // namespace laconic::test
