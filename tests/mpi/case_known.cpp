// SPDX-License-Identifier: BSD-3-Clause
// Calls that run the short way because a call like them ran before: the same results, reports and refusals, and none of
// it once something is different.
#include <array>
#include <string>
#include <vector>

#include "cases.hpp"
#include "collective/execution.hpp"
#include "collective/short_way.hpp"
#include "mpi/channel.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

template <class T>
const collective::known_call* known_of(const collective_call<T>& call, MPI_Comm comm,
                                       const collective_options& options) {
    const auto channel = collective::usable_channel(comm);
    return channel.ok() ? collective::find_known(**channel, call, options) : nullptr;
}

bool are_alike(const collective_report& a, const collective_report& b) {
    return a.algorithm == b.algorithm && a.sent_bytes == b.sent_bytes && a.raw_bytes == b.raw_bytes &&
           a.messages == b.messages && a.result_bound == b.result_bound && a.step == b.step;
}

/// The call again and again; with other calls between, so that it is forgotten and comes back.
template <class T>
void check_repeated(const scenario& what, bool is_known) {
    const collective_options options = options_of(what);
    const laid_out<T> first = lay_out<T>(what, rank_in(world), size_of(world));
    check_scenario<T>(what);
    const bool known = known_of(first.call, world, options) != nullptr;
    check(known == is_known, what.text() + (known ? ": known" : ": not known") + " after one call");
    collective_report reports[2];
    for (collective_report& report : reports) {
        const laid_out<T> mine = lay_out<T>(what, rank_in(world), size_of(world));
        const watched_sends given;
        const auto done = run(mine.call, world, options);
        check(done.ok(), what.text() + ": " + done.error().message());
        if (!done.ok()) return;
        report = *done;
        given.check(what, report);
        check_outcome<T>(what, mine, report);
    }
    check(are_alike(reports[0], reports[1]), what.text() + ": another report");
}

void every_operation() {
    const bool alone = size_of(world) == 1;
    for (int op = 0; op <= static_cast<int>(operation::alltoall); ++op)
        for (const bool in_place : {false, true})
            for (const char* row : {"stock", "auto"})
                for (const int root : {0, size_of(world) - 1}) {
                    scenario what;
                    what.op = static_cast<operation>(op);
                    what.algorithm = row;
                    what.count = 60;
                    what.root = root;
                    what.in_place = in_place;
                    what.limit = bound::abs(1e-3);
                    const bool takes_both = what.op == operation::allreduce || what.op == operation::bcast;
                    const bool lies_apart = !in_place || takes_both;
                    const bool reduces = collective::is_reduction(what.op);
                    // Of ranks that keep their input to themselves, also where others work in place.
                    if (!lies_apart) {
                        check_scenario<float>(what);
                        check_scenario<float>(what);
                        continue;
                    }
                    check_repeated<float>(what, !alone);
                    check_repeated<double>(what, !alone);
                    check_repeated<half>(what, !alone && !reduces);
                    if (!reduces) continue;
                    what.combine = reduction::avg;
                    check_repeated<float>(what, false);
                    what.combine = reduction::max;
                    check_repeated<float>(what, !alone);
                }
}

/// What was right before is looked at again.
void refusals() {
    const std::vector<float> in(100, 1.0F);
    std::vector<float> out(101);
    const std::span<const float> given(in);
    const std::span<float> wanted(out.data(), 100);
    const auto sum = [&](std::span<const float> from, std::span<float> to, const collective_options& options) {
        return run(collective_call<float>::allreduce(from, to, reduction::sum), world, options).error().code();
    };
    collective_options options = options_for("stock", bound::abs(1e-3));
    for (int i = 0; i < 2; ++i) check(sum(given, wanted, options) == errc::ok, "a sum");
    check(sum({static_cast<const float*>(nullptr), 100}, wanted, options) == errc::invalid_argument, "no input");
    check(sum(given, {static_cast<float*>(nullptr), 100}, options) == errc::invalid_argument, "no output");
    check(sum({out.data() + 1, 100}, wanted, options) == errc::invalid_argument, "arrays that overlap");
    check(sum(given, {out.data(), 101}, options) == errc::invalid_argument, "an output that is too long");
    const collective_options before = options;
    options.limit = bound::abs(-1);
    check(sum(given, wanted, options) == errc::invalid_bound, "a bound below 0");
    options = before;
    options.algorithm = "stork";
    check(sum(given, wanted, options) == errc::invalid_argument, "an unknown algorithm");
    options = before;
    options.machine = "/nowhere";
    options.algorithm = "auto";
    check(sum(given, wanted, options) != errc::ok, "a machine that is not there");
    const auto cast = [&](std::span<const float> from) {
        return collective_call<float>{operation::bcast, from, wanted, reduction::sum, 0, false, {}, {}, {}, {}};
    };
    for (int i = 0; i < 2; ++i) check(run(cast(wanted), world, before).ok(), "a bcast");
    check((known_of(cast(wanted), world, before) != nullptr) == (size_of(world) > 1), "a bcast that is not known");
    check(known_of(cast(given), world, before) == nullptr, "a bcast of two arrays is known");
    check(sum(given, wanted, before) == errc::ok && out[7] == static_cast<float>(size_of(world)), "a sum afterwards");
    for (int k = 0; k < 40; ++k)
        check(sum(given.first(static_cast<std::size_t>(k) + 1), wanted.first(static_cast<std::size_t>(k) + 1),
                  before) == errc::ok,
              "sums of many lengths");
}

/// Nothing is left of a communicator that is gone, nor on one where calls have been started.
void lifetimes() {
    const collective_options options = options_for("stock", {});
    const std::vector<float> in(100, 2.0F);
    for (int i = 0; i < 20; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_split(world, i % 2 == 0 ? 0 : rank_in(world) % 2, 0, &comm);
        for (int k = 0; k < 3; ++k)
            check(reduce(in, reduction::sum, comm, options, "a short life")[99] ==
                      2.0F * static_cast<float>(size_of(comm)),
                  "the sum in a short life");
        MPI_Comm_free(&comm);
    }
    // Those used last are found without MPI, each its own channel, until they are gone.
    std::array<MPI_Comm, 5> several{};
    for (MPI_Comm& one : several) MPI_Comm_dup(world, &one);
    for (const MPI_Comm one : several)
        for (int i = 0; i < 2; ++i) reduce(in, reduction::sum, one, options, "on one of several communicators");
    for (const MPI_Comm one : several)
        if (const mpi::channel* const recent = mpi::recent_channel_of(one); recent != nullptr)
            check(recent == collective::usable_channel(one).value(), "another communicator's channel");
    check(mpi::recent_channel_of(several[4]) != nullptr && mpi::recent_channel_of(several[3]) != nullptr,
          "the communicators that were used last are not at hand");
    const MPI_Comm gone = several[4];
    for (MPI_Comm& one : several) MPI_Comm_free(&one);
    check(mpi::recent_channel_of(gone) == nullptr, "a channel that is gone");
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(world, &comm);
    reduce(in, reduction::sum, comm, options, "before a started call");
    std::vector<float> out(in.size());
    const auto call = collective_call<float>::allreduce(std::span<const float>(in), out, reduction::sum);
    auto request = start(call, comm, options);
    check(request.ok() && known_of(call, comm, options) == nullptr, "the short way while a call is under way");
    check(request.ok() && request->wait().ok() && known_of(call, comm, options) == nullptr,
          "the short way where calls are started");
    MPI_Comm_free(&comm);
}

/// MPI's refusal reaches the program's own handler, and the communicator is not used any more.
void check_failures(bool frees) {
    handled_code = MPI_SUCCESS;
    MPI_Comm comm = duplicate_with(world, frees ? remember_and_free : remember_code);
    const collective_options options = options_for("stock", {});
    const std::vector<float> in(64, 1.0F);
    reduce(in, reduction::sum, comm, options, "before a failure");
    std::vector<float> out(in.size());
    const auto call = collective_call<float>::allreduce(std::span<const float>(in), out, reduction::sum);
    const auto* const known = known_of(call, comm, options);
    check(known != nullptr, "a known call before a failure");
    if (known != nullptr) {
        collective::known_call spoiled = *known;
        spoiled.mpi.type = MPI_DATATYPE_NULL;
        const auto done = collective::run_known(spoiled, **collective::usable_channel(comm), call, comm);
        check(done.error().code() == errc::mpi && handled_code != MPI_SUCCESS, "a call that MPI refuses");
        if (frees) return;
        check(run(call, comm, options).error().code() == errc::mpi, "a call after one that MPI refused");
    }
    MPI_Comm_free(&comm);
}

}  // namespace

void known_calls_run_as_new_ones() {
    every_operation();
    refusals();
    lifetimes();
    for (const bool frees : {false, true})
        if (size_of(world) > 1) check_failures(frees);
}

}  // namespace laconic::test
