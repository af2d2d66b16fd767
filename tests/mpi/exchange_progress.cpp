// SPDX-License-Identifier: BSD-3-Clause
// Runs without a check, among messages of the program's own, and over nodes of several ranks: nobody waits for ever,
// and every element arrives.
#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "exchange_problem.hpp"
#include "mpi/channel.hpp"
#include "redistribute/exchange/flows.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

/// A rank that waits in a run moves what it has sent itself: others may come to the run only when they have it.
void check_own_messages(exchange_engine engine) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    exchange_problem problem(3, rank, ranks);
    exchange_options options = problem.options(false);
    options.engine = engine;
    options.check = false;
    auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
    check(made.ok(), made.error().message());
    if (!made) return;
    constexpr int tag = 7, count = 1 << 21;
    std::vector<double> message(count, rank);
    const bool sends = rank % 2 == 0 && rank + 1 < ranks;
    MPI_Request request = MPI_REQUEST_NULL;
    if (sends) MPI_Isend(message.data(), count, MPI_DOUBLE, rank + 1, tag, MPI_COMM_WORLD, &request);
    if (rank % 2 == 1) {
        MPI_Recv(message.data(), count, MPI_DOUBLE, rank - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(message[count - 1] == rank - 1, "a message of the program's own");
    }
    problem.run_and_check(*made, std::string(name_of(engine)) + " without check", false);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void check_without_shared_memory() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    for (const unsigned seed : {1U, 4U, 7U, 12U}) {
        exchange_problem problem(seed, rank, ranks);
        for (const exchange_engine engine : {exchange_engine::automatic, exchange_engine::shared})
            for (const bool compare : {true, false}) {
                exchange_options options = problem.options(true);
                options.engine = engine;
                options.shared_memory = false;
                options.check = compare;
                auto made = exchange::make(MPI_COMM_WORLD, problem.planned(), problem.element(), options);
                check(made.ok(), made.error().message());
                if (!made) continue;
                problem.run_and_check(*made, std::string(name_of(engine)) + " without shared memory", true);
                check(made->report().shared_bytes == 0, "shared memory is used where none is wanted");
            }
    }
}

/// Some pieces go through memory, others by messages.
void check_small_nodes() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int rank = rank_in(comm), ranks = size_of(comm);
    const bool pretended = pretend_small_nodes(comm);
    std::uint64_t both[2] = {0, 0};
    for (const unsigned seed : {2U, 3U, 5U, 8U, 13U, 16U}) {
        exchange_problem problem(seed, rank, ranks);
        for (const bool compare : {true, false}) {
            exchange_options options = problem.options(true);
            options.engine = exchange_engine::shared;
            options.check = compare;
            auto made = exchange::make(comm, problem.planned(), problem.element(), options);
            check(made.ok(), made.error().message());
            if (!made) continue;
            for (int run = 0; run < 2; ++run) problem.run_and_check(*made, "shared between small nodes", true);
            both[0] += made->report().shared_bytes;
            both[1] += made->report().message_bytes;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_SUM, comm);
    check(!pretended || (both[0] > 0 && both[1] > 0), "nodes of two ranks use memory and messages");
    MPI_Comm_free(&comm);
}

/// What may leave follows what has arrived, if that is a rule at all.
void check_pace() {
    using namespace redistribute;
    flows_and_slots out;
    out.flows.resize(2);
    out.flows[0].chunks = 8;
    out.flows[1].chunks = 4;
    out.idle.resize(4);
    out.each = 8;
    out.roomy = true;
    const auto leave = [&](const pace& most) {
        int chunks = 0;
        for (flow* one = out.next(most); one != nullptr; one = out.next(most)) ++one->begun, ++chunks;
        return chunks;
    };
    out.reset(INT64_MAX);
    check(leave({2, 0, 10}) == 6, "a lead of two, and one more, of each flow");
    check(leave({2, 0, 10}) == 0, "nothing leaves where nothing arrives");
    check(leave({2, 5, 10}) == 5, "half has arrived: half and the lead");
    check(leave({}) == 1, "without a clock everything leaves");
}

/// Streams far longer than ranks let them get ahead of what they receive: ranks that send much and receive little, the
/// other way round, or only one of both.
void check_uneven_streams() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    if (ranks == 1) return;
    constexpr std::int64_t patch = 500;
    for (const unsigned seed : {0U, 1U, 2U, 3U}) {
        std::mt19937 bits(seed);
        // The first ranks have most of the array; at first patches go to the last ones, then to any.
        // Of many ranks, too, those that hold much hold several times the lead that ranks are let get (512 KB).
        const std::int64_t patches = std::min(400 * ranks, 3200), most = patches * 9 / 10;
        std::vector<owned_box> owned;
        placement how;
        how.kind = placement_kind::given;
        for (int k = 0; k < ranks; ++k) {
            const std::int64_t of_few = std::max(ranks / 2, 1);
            const auto border = [&](int at) {
                return patch *
                       (at <= of_few ? most * at / of_few : most + (patches - most) * (at - of_few) / (ranks - of_few));
            };
            owned.push_back({k, {1, {border(k)}, {border(k + 1)}}});
        }
        std::uniform_int_distribution<rank_number> any(0, ranks - 1);
        for (std::int64_t p = 0; p < patches; ++p)
            how.owners.push_back(seed == 0 ? ranks - 1 : seed == 1 || p < most ? any(bits) : 0);
        if (seed == 2) std::sort(how.owners.begin(), how.owners.end());
        const std::vector<std::int64_t> extents{patch * patches}, cut{patch};
        const plan what =
            plan::make(layout::boxes(extents, owned, ranks).value(), patch_grid::of_size(extents, cut).value(), how)
                .value();
        exchange_options options;
        options.engine = exchange_engine::batched;
        options.batch_bytes = 512;
        exchange moving = exchange::make<double>(MPI_COMM_WORLD, what, options).value();
        std::vector<double> in(moving.in_elements()), out(moving.out_elements());
        std::iota(in.begin(), in.end(), static_cast<double>(owned[static_cast<std::size_t>(rank)].region.lower[0]));
        check(moving.run(std::span<const double>(in), std::span<double>(out)).ok(), "uneven streams");
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < moving.patches().size(); ++i)
            for (std::size_t k = 0; k < patch; ++k)
                wrong += out[moving.out_offset(i) + k] !=
                         static_cast<double>(moving.patches()[i] * patch + static_cast<std::int64_t>(k));
        check(wrong == 0, "elements of uneven streams");
    }
}

/// Patches that lie whole on a rank are told before it waits: here others come to the run because they were. A run that
/// is refused says so, whatever a callback throws.
void check_held_patches() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const std::vector<std::int64_t> extents{64 * ranks}, blocks{ranks}, patch{32};
    placement how;
    how.kind = placement_kind::given;
    for (int k = 0; k < 2 * ranks; ++k) how.owners.push_back(k / 2);
    const plan what =
        plan::make(layout::regular(extents, blocks).value(), patch_grid::of_size(extents, patch).value(), how).value();
    exchange moving = exchange::make<double>(MPI_COMM_WORLD, what).value();
    const std::vector<double> in(64, 1 + rank);
    std::vector<double> out(64);
    const std::span<const double> from(in);
    const std::span<double> to(out);
    int told = 0;
    const auto call_next = [&](const ready_patch& ready) {
        check(ready.held && out[32 * ready.position] == 1 + rank, "a held patch");
        if (++told == 2 && rank + 1 < ranks) MPI_Send(nullptr, 0, MPI_BYTE, rank + 1, 8, MPI_COMM_WORLD);
    };
    if (rank > 0) MPI_Recv(nullptr, 0, MPI_BYTE, rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(moving.run(from, to, call_next).ok() && told == 2, "held patches are told");
    const auto throwing = [](const ready_patch&) { throw std::runtime_error("enough"); };
    bool thrown = false;
    status done;
    try {
        done = moving.run(from, rank == ranks - 1 ? to.first(1) : to, throwing);
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    check(!thrown && done.code() == errc::invalid_argument, "an exception hides that a run is refused");
}

}  // namespace

bool pretend_small_nodes(MPI_Comm comm) {
    const auto found = mpi::channel_of(comm, mpi::channel_use::exchanges);
    check(found.ok(), found.error().message());
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    if (!found || (**found).nodes().count > 1 || ranks <= 2) return false;
    for (int& leader : std::span(const_cast<int*>((**found).leaders().data()), ranks)) {
        const int which = static_cast<int>(&leader - (**found).leaders().data());
        leader = which - which % 2;
    }
    return true;
}

void exchanges_keep_moving() {
    for (const exchange_engine engine : {exchange_engine::shared, exchange_engine::batched, exchange_engine::per_rank})
        check_own_messages(engine);
    check_without_shared_memory();
    check_small_nodes();
    check_pace();
    check_uneven_streams();
    check_held_patches();
}

}  // namespace laconic::test
