// SPDX-License-Identifier: BSD-3-Clause
// Threads of the codec: the same bits and the same bytes on the wire for every number of them, and each rank's share of
// a node's processors.
#include <algorithm>
#include <array>

#include "cases.hpp"
#include "collective/agreement.hpp"
#include "collective/execution.hpp"
#include "mpi/channel.hpp"
#include "mpi/processors.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

template <class T>
struct finished {
    std::vector<T> out;
    std::uint64_t sent = 0;
};

template <class T>
finished<T> run_with(scenario what, unsigned threads) {
    what.codec_threads = threads;
    laid_out<T> arrays = lay_out<T>(what, rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD));
    const auto done = run(arrays.call, MPI_COMM_WORLD, options_of(what));
    check(done.ok(), what.text() + ": " + done.error().message());
    if (!done.ok()) return {};
    check_outcome(what, arrays, *done);
    return {arrays.out, done->sent_bytes};
}

template <class T>
void check_row(operation op, const char* row, reduction combine, field kind, bound limit) {
    scenario what;
    what.op = op;
    what.algorithm = row;
    what.combine = combine;
    what.kind = kind;
    what.limit = limit;
    const bool whole = op == operation::allreduce || op == operation::reduce || op == operation::bcast;
    // Messages long enough for several parts.
    what.count = whole ? 90001 * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)) : 90001;
    what.segment_bytes = 1 << 20;
    what.ranks_per_node = 2;
    const finished<T> alone = run_with<T>(what, 1);
    for (const unsigned threads : {2U, 3U, 7U}) {
        // Many ranks on few processors are slow.
        if (size_of(MPI_COMM_WORLD) > 3 && threads != 3) continue;
        const finished<T> several = run_with<T>(what, threads);
        const std::string where = what.text() + ", " + std::to_string(threads) + " threads";
        check(std::ranges::equal(std::as_bytes(std::span(several.out)), std::as_bytes(std::span(alone.out))),
              where + ": other bits");
        check(several.sent == alone.sent, where + ": other messages");
    }
}

void check_bits() {
    using enum operation;
    for (const char* row : {"hzccl", "homcomp", "homcomp_f", "argm", "cpr_p2p:fle", "c_coll:fle", "c_coll"})
        check_row<float>(allreduce, row, reduction::sum, field::smooth, bound::abs(1e-3));
    // Beyond the reach of the bound, and in the other direction of the streams.
    check_row<float>(allreduce, "homcomp_f", reduction::sum, field::adversarial, bound::abs(1e-3));
    check_row<float>(allreduce, "hzccl", reduction::max, field::noise, bound::rel(1e-4));
    check_row<double>(allreduce, "rabenseifner", reduction::avg, field::offset, bound::abs(1e-3));
    check_row<half>(reduce, "homcomp_f", reduction::sum, field::smooth, bound::abs(1e-2));
    check_row<float>(reduce_scatter, "pairwise", reduction::sum, field::smooth, bound::abs(1e-3));
    check_row<float>(bcast, "ring", reduction::sum, field::smooth, bound::abs(1e-3));
    check_row<double>(allgather, "ring", reduction::sum, field::noise, bound::abs(1e-3));
}

void check_shares() {
    const auto set = [](std::initializer_list<unsigned> processors) {
        mpi::processor_set one{};
        for (const unsigned p : processors) one[p / 64] |= std::uint64_t{1} << (p % 64);
        return one;
    };
    const auto share = [&](const mpi::processor_set& mine, const std::vector<mpi::processor_set>& all, unsigned want,
                           bool takes_turns = false) {
        const mpi::processor_share found = mpi::share_of(mine, all);
        check(found.processors == want && found.takes_turns == takes_turns,
              "a share of " + std::to_string(found.processors) + " processors instead of " + std::to_string(want));
    };
    const auto six = set({0, 1, 2, 63, 64, 200});
    share(six, {six}, 6);
    share(six, {six, six}, 3);
    share(six, {six, six, six, six}, 1);
    const std::vector<mpi::processor_set> many(7, six);
    share(six, many, 1, true);
    share(six, {six, six, six, six, six, six}, 1);
    const auto own = set({5});
    share(own, {own, six}, 1);
    share(own, {own, set({5, 6})}, 1, true);
    share(six, {own, six}, 6);
    const auto half_of_them = set({0, 1, 2});
    share(six, {six, half_of_them, half_of_them, half_of_them}, 3);  // 3 / 4 + 3
    share({}, {mpi::processor_set{}}, 1);

    const auto channel = collective::usable_channel(MPI_COMM_WORLD);
    check(channel.ok() && (*channel)->least_processors() <= (*channel)->processors() &&
              (*channel)->least_processors() >= 1,
          "this rank's share");
}

/// Threads may differ, but not those that `auto` reckons with.
void check_agreement() {
    mpi::channel& channel = **collective::usable_channel(MPI_COMM_WORLD);
    collective::call_shape shape;
    shape.codec_threads = channel.rank() + 1 == channel.size() ? 5 : 0;
    collective::agreement_letter letter;
    collective::agreement all;
    check(all.start(channel, letter, shape, {}, {}).ok(), "start of an agreement");
    result<bool> done = false;
    while (done.ok() && !*done) done = all.test();
    const std::string want = "codec_threads of auto differs between ranks: 0 on one, 5 on another";
    check(channel.size() == 1 ? done.ok() : done.error().message().find(want) != std::string::npos,
          "different threads: " + done.error().message());
}

}  // namespace

void threads_change_nothing() {
    check_bits();
    check_shares();
    check_agreement();
}

}  // namespace laconic::test
