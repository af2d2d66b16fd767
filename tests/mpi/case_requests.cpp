// SPDX-License-Identifier: BSD-3-Clause
// Collectives that are started and finished later: many at a time, in another order on every rank, beside blocking
// calls and the program's own messages; persistent ones; requests that nobody waits for.
#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "collective/calls_under_way.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// A call that is under way.
struct pending {
    scenario what;
    laid_out<float> arrays;
    collective_request request;
    collective_report report;

    explicit pending(scenario w) : what(std::move(w)), arrays(lay_out<float>(what, rank_in(world), size_of(world))) {}

    void begin(MPI_Comm comm) {
        auto started = start(arrays.call, comm, options_of(what));
        check(started.ok(), "start of " + what.text() + ": " + started.error().message());
        if (started.ok()) request = std::move(*started);
    }
    void end() {
        auto done = request.wait();
        check(done.ok(), "wait for " + what.text() + ": " + done.error().message());
        check(request.empty(), what.text() + ": a finished request is empty");
        if (done.ok()) report = *done;
    }
    void check_it() const { check_outcome(what, arrays, report); }
};

scenario of(operation op, std::string row, std::size_t count, bool in_place = false) {
    scenario what;
    what.op = op;
    what.algorithm = std::move(row);
    what.limit = bound::abs(1e-3);
    what.count = count;
    what.in_place = in_place;
    what.segment_bytes = 16384;
    what.ranks_per_node = 2;
    what.root = size_of(world) - 1;
    return what;
}

std::vector<pending> twelve() {
    std::vector<pending> all;
    for (const scenario& what :
         {of(operation::allreduce, "fused", 30000), of(operation::allreduce, "stock", 5000),
          of(operation::bcast, "binomial", 20000), of(operation::allreduce, "auto", 90000, true),
          of(operation::allgather, "ring", 6000, true), of(operation::allreduce, "argm", 20000),
          of(operation::reduce, "c_coll", 9000), of(operation::alltoall, "pairwise", 3000, true),
          of(operation::reduce_scatter, "homcomp", 4000), of(operation::gather, "pairwise_raw", 3000),
          of(operation::allreduce, "hierarchical/raw", 7000, true), of(operation::scatter, "c_coll", 3000)})
        all.emplace_back(what);
    return all;
}

/// Everything is begun, then finished in an order of this rank's own; some ranks look on in between.
void check_any_order() {
    const auto rank = static_cast<std::size_t>(rank_in(world));
    for (const std::size_t stride : {std::size_t{1}, std::size_t{5}, std::size_t{7}}) {
        std::vector<pending> all = twelve();
        for (pending& one : all) {
            one.begin(world);
            for (std::size_t look = 0; look < 40 * rank; ++look) static_cast<void>(all[0].request.test());
        }
        for (std::size_t i = 0; i < all.size(); ++i) all[(i * stride + rank * 3) % all.size()].end();
        for (const pending& one : all) one.check_it();
    }
}

/// More calls than there are tags for are under way, and calls in between use up numbers.
void check_few_tags() {
    const std::uint64_t usual = std::exchange(collective::calls_with_tags(), 8);
    for (const char* row : {"fused", "ring_raw", "c_coll"}) {
        std::vector<pending> all;
        for (int i = 0; i < 20; ++i) all.emplace_back(of(operation::allreduce, i % 8 == 0 ? row : "stock", 60000));
        for (pending& one : all) one.begin(world);
        for (pending& one : all) one.end();
        for (const pending& one : all) one.check_it();
    }
    check_any_order();
    collective::calls_with_tags() = usual;
}

/// Who waits for a call says for how long.
void check_waiting() {
    const int last = size_of(world) - 1;
    if (last == 0) return;
    MPI_Barrier(world);
    if (rank_in(world) == last)
        for (const double start = MPI_Wtime(); MPI_Wtime() - start < 0.005;) continue;
    pending one(of(operation::allreduce, "fused", 1000));
    one.begin(world);
    one.end();
    if (rank_in(world) != last) check(one.report.wait_s > 0, "a started call that waited for another rank says 0 s");
}

/// Where a rank's time went: what a row does not do takes none, what it does takes some, all of it no more than the
/// call.
void check_phases() {
    const int ranks = size_of(world);
    const int rank = rank_in(world);
    struct {
        operation op;
        const char* row;
        bool in_place, compresses, combines, copies;
    } const rows[]{{operation::allreduce, "homcomp_f", false, true, true, false},
                   {operation::allreduce, "ring_raw", true, false, true, true},
                   {operation::allreduce, "argm", false, ranks > 2, true, true},
                   {operation::alltoall, "pairwise", false, true, false, true},
                   {operation::alltoall, "pairwise_raw", false, false, false, true},
                   {operation::allgather, "ring", true, true, false, false}};
    if (ranks == 1) return;
    for (const auto& row : rows) {
        scenario what;
        what.op = row.op;
        what.algorithm = row.row;
        what.limit = bound::abs(1e-3);
        what.count = 100000;
        what.in_place = row.in_place;
        what.ranks_per_node = 2;
        what.codec_threads = 1;
        // Of uneven nodes not all ranks have a part.
        if (what.algorithm == "argm" && ranks % 2 != 0) continue;
        const laid_out<float> arrays = lay_out<float>(what, rank, ranks);
        const double start = MPI_Wtime();
        const auto done = run(arrays.call, world, options_of(what));
        const double took = MPI_Wtime() - start;
        check(done.ok(), what.text() + ": " + done.error().message());
        if (!done.ok()) continue;
        const double works = done->compress_s + done->combine_s + done->decompress_s + done->copy_s;
        check((done->compress_s + done->decompress_s > 0) == row.compresses && (done->combine_s > 0) == row.combines &&
                  (done->copy_s > 0) == row.copies && works + done->wait_s <= took,
              what.text() + ": in " + std::to_string(took) + " s it compressed for " +
                  std::to_string(done->compress_s) + ", combined for " + std::to_string(done->combine_s) +
                  ", decompressed for " + std::to_string(done->decompress_s) + ", copied for " +
                  std::to_string(done->copy_s) + ", waited for " + std::to_string(done->wait_s));
    }
}

/// Some ranks finish a started call before a blocking one, the others behind it.
void check_beside_blocking() {
    const int rank = rank_in(world);
    const int ranks = size_of(world);
    for (const char* row : {"fused", "argm", "auto", "ring_raw"}) {
        pending first(of(operation::allreduce, row, 80000));
        pending second(of(operation::allgather, "ring", 3000));
        int mine = rank;
        int theirs = -1;
        MPI_Request own = MPI_REQUEST_NULL;
        MPI_Irecv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &own);
        first.begin(world);
        second.begin(world);
        if (rank % 2 == 0) first.end();
        check_scenario<float>(of(operation::allreduce, row, 30000), false);
        check_scenario<double>(of(operation::bcast, "c_coll", 5000), false);
        MPI_Send(&mine, 1, MPI_INT, (rank + 1) % ranks, 77, world);
        second.end();
        if (rank % 2 != 0) first.end();
        MPI_Wait(&own, MPI_STATUS_IGNORE);
        check(theirs == (rank + ranks - 1) % ranks, "the program's own message beside started collectives");
        first.check_it();
        second.check_it();
    }
}

/// The same call again and again with other data.
void check_persistent() {
    for (const char* row : {"fused", "stock", "argm", "per_hop"}) {
        pending one(of(operation::allreduce, row, 10000));
        auto made = prepare(one.arrays.call, world, options_of(one.what));
        check(made.ok(), "prepare: " + made.error().message());
        if (!made.ok()) return;
        check(made->test(), "a prepared request that is not started is over");
        for (const field kind : {field::smooth, field::adversarial, field::zeros, field::offset}) {
            one.what.kind = kind;
            const laid_out<float> fresh = lay_out<float>(one.what, rank_in(world), size_of(world));
            std::copy(fresh.in.begin(), fresh.in.end(), one.arrays.in.begin());
            std::copy(fresh.out.begin(), fresh.out.end(), one.arrays.out.begin());
            const watched_sends given;
            check(made->start().ok(), "start of a prepared request");
            check(!made->start().ok(), "a running request starts again");
            while (!made->test()) std::this_thread::yield();
            const auto done = made->wait();
            check(done.ok(), "wait for a prepared request: " + done.error().message());
            check(!made->empty(), "a prepared request stays");
            if (!done.ok()) continue;
            given.check(one.what, *done);
            check_outcome(one.what, one.arrays, *done);
        }
    }
}

/// A prepared call that fails once, because one rank's counts do not fit, works when they do.
void check_persistent_after_failure() {
    scenario what = of(operation::allgather, "ring", 2000);
    what.varying = true;
    laid_out<float> arrays = lay_out<float>(what, rank_in(world), size_of(world));
    auto made = prepare(arrays.call, world, options_of(what));
    check(made.ok(), "prepare: " + made.error().message());
    if (!made.ok()) return;
    const bool spoils = rank_in(world) == size_of(world) - 1;
    for (int round = 0; round < 2; ++round) {
        // Empty parts may lie anywhere.
        if (spoils)
            for (std::size_t& at : arrays.out_displacements) at += 1000000;
        check(made->start().ok(), "start with bad displacements");
        const status why = made->wait().error();
        check(why.code() == errc::invalid_argument, "bad displacements on one rank: " + why.message());
        if (spoils)
            for (std::size_t& at : arrays.out_displacements) at -= 1000000;
        const laid_out<float> fresh = lay_out<float>(what, rank_in(world), size_of(world));
        std::copy(fresh.out.begin(), fresh.out.end(), arrays.out.begin());
        check(made->start().ok(), "start after a failure");
        const auto done = made->wait();
        check(done.ok(), "wait after a failure: " + done.error().message());
        if (done.ok()) check_outcome(what, arrays, *done);
    }
}

void check_forgotten() {
    pending one(of(operation::allreduce, "fused", 30000));
    pending other(of(operation::bcast, "ring", 30000));
    one.begin(world);
    other.begin(world);
    one.request = collective_request();  // waits
    { const collective_request dropped = std::move(other.request); }
    for (pending* gone : {&one, &other}) {
        // The report went with the request; the values are there.
        gone->report.algorithm = gone->what.algorithm;
        gone->report.result_bound = gone->what.limit.value;
        gone->check_it();
    }
    check_scenario<float>(of(operation::allreduce, "fused", 1000));
}

/// A rank comes to a communicator's first call when it has waited for what the others, already there, have started.
void check_first_call_elsewhere() {
    const std::vector<float> in = make_field<float>(field::smooth, rank_in(world), 1000);
    std::vector<float> out(in.size());
    const auto call = collective_call<float>::allreduce(in, out, reduction::sum);
    const collective_options options = options_for("homcomp_f", bound::abs(1e-3));
    for (const int form : {0, 1, 2}) {
        MPI_Comm elsewhere = MPI_COMM_NULL;
        MPI_Comm_dup(world, &elsewhere);
        pending started(of(operation::allreduce, "homcomp_f", 300000));
        started.begin(world);
        const bool waits_first = rank_in(world) == size_of(world) - 1;
        if (waits_first) started.end();
        if (form == 0) check(run(call, elsewhere, options).ok(), "a first call elsewhere");
        if (form == 1) check(start(call, elsewhere, options).ok(), "a first call elsewhere that is started");
        if (form == 2) check(prepare(call, elsewhere, options).ok(), "a first call elsewhere that is prepared");
        if (!waits_first) started.end();
        started.check_it();
        MPI_Comm_free(&elsewhere);
    }
}

}  // namespace

void started_collectives_work() {
    check_any_order();
    check_few_tags();
    check_waiting();
    check_phases();
    check_beside_blocking();
    check_persistent();
    check_persistent_after_failure();
    check_forgotten();
    check_first_call_elsewhere();
    check(start_progress_thread().code() == errc::unsupported, "a progress thread without MPI_THREAD_MULTIPLE");
    collective_request nothing;
    check(nothing.test() && nothing.wait().ok() && !nothing.start().ok(), "an empty request");
}

}  // namespace laconic::test
