// SPDX-License-Identifier: BSD-3-Clause
// Every request for memory of one rank fails once while an exchange is made: all ranks return the same failure, nobody
// waits for ever, and the text says how many bytes there are not.
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "counted_memory.hpp"
#include "exchange_cases.hpp"
#include "laconic/laconic.h"
#include "run.hpp"

namespace laconic::test {
namespace {

plan plan_of(const std::vector<owned_box>& boxes, const std::vector<std::int64_t>& extents, int ranks) {
    placement how;
    how.kind = placement_kind::round_robin;
    const std::vector<std::int64_t> patch{3, 5};
    return plan::make(layout::boxes(extents, boxes, ranks).value(), patch_grid::of_size(extents, patch).value(), how)
        .value();
}

/// Two boxes of each rank.
std::vector<owned_box> boxes_of(int ranks) {
    std::vector<owned_box> boxes;
    for (rank_number k = 0; k < ranks; ++k) {
        boxes.push_back({k, {2, {4 * k, 0}, {4 * k + 4, 6}}});
        boxes.push_back({k, {2, {4 * k, 6}, {4 * k + 4, 10}}});
    }
    return boxes;
}

/// Makes an exchange again and again while the last rank lacks memory, later each time, until it lacks none. Of many
/// requests some are left out.
void check_make(const std::string& name, const std::function<plan(bool last)>& planned, const exchange_options& options,
                bool all_fail, errc otherwise = errc::ok) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    const bool last = rank == ranks - 1;
    const plan what = planned(last);
    std::int64_t failures = 0;
    int failing = 1;
    for (std::int64_t granted = 0; failing != 0; granted += 1 + granted / 16) {
        if (last) all_fail ? fail_all_after(granted) : fail_one_after(granted);
        const auto made = exchange::make(MPI_COMM_WORLD, what, exchange_element::of<double>(), options);
        failing = grant_all() && last ? 1 : 0;
        MPI_Bcast(&failing, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
        const status got = made.error();
        // Node memory that one rank cannot have is done without.
        if (got.ok() || got.code() == otherwise) continue;
        ++failures;
        check(failing != 0 && got.code() == errc::out_of_memory, name + ": " + got.message());
        check(all_fail || (got.context().find("rank " + std::to_string(ranks - 1) + ": no memory for ") == 0 &&
                           got.context().find(" bytes); ") != std::string::npos),
              name + ": " + got.message());
    }
    check(failures > 3, name + ": hardly anything fails");
}

/// Calls from C that fail on the last rank before it reaches the others, while it has no memory to say why in: these
/// hear of it all the same.
void check_words(int ranks) {
    const bool last = rank_in(MPI_COMM_WORLD) == ranks - 1;
    const auto refused = [&](const char* name, const std::function<int()>& call) {
        if (last) fail_all_after(0);
        const int code = call();
        const bool failed = grant_all();
        check(code != LACONIC_OK && failed == last, std::string(name) + ": code " + std::to_string(code));
    };
    laconic_plan planned = LACONIC_PLAN_NULL;
    const std::int64_t extents[1] = {1000}, patch[1] = {10};
    check(laconic_plan_regular(1, extents, ranks, nullptr, patch, LACONIC_PLACE_ROUND_ROBIN, 0, &planned) == LACONIC_OK,
          laconic_last_message());
    laconic_exchange made = LACONIC_EXCHANGE_NULL;
    refused("no plan", [&] {
        return laconic_exchange_make(last ? LACONIC_PLAN_NULL : planned, 8, LACONIC_F64, MPI_COMM_WORLD, nullptr,
                                     &made);
    });
    refused("no place for the exchange", [&] {
        return laconic_exchange_make(planned, 8, LACONIC_F64, MPI_COMM_WORLD, nullptr, last ? nullptr : &made);
    });
    laconic_exchange_options odd{};
    odd.engine = last ? "an engine of which nobody has heard" : "batched";
    refused("no such engine",
            [&] { return laconic_exchange_make(planned, 8, LACONIC_F64, MPI_COMM_WORLD, &odd, &made); });
    // Batches leave before ranks have agreed: those of a run that is refused have to be received all the same.
    odd.engine = "batched";
    odd.batch_bytes = 1024;
    odd.no_shared_memory = 1;
    check(laconic_exchange_make(planned, 8, LACONIC_F64, MPI_COMM_WORLD, &odd, &made) == LACONIC_OK,
          laconic_last_message());
    std::size_t given = 0, taken = 0;
    check(laconic_exchange_elements(made, &given, &taken) == LACONIC_OK, "elements");
    const std::vector<double> in(given, 1);
    std::vector<double> out(taken);
    const void* from = in.data();
    void* to = out.data();
    const auto run = [&](std::size_t fields) {
        return laconic_exchange_run_fields(made, fields, &from, given, &to, taken, nullptr, nullptr);
    };
    refused("two fields", [&] { return run(last ? 2 : 1); });
    for (const char* const why : {static_cast<const char*>(nullptr), "a sentence that is too long for no memory"})
        refused("a refusal",
                [&] { return last ? laconic_exchange_refuse_run(made, LACONIC_ERR_ARGUMENT, why) : run(1); });
    check(run(1) == LACONIC_OK, laconic_last_message());
    check(laconic_exchange_free(&made) == LACONIC_OK && laconic_plan_free(&planned) == LACONIC_OK, "free");
}

}  // namespace

void missing_memory_is_told_everywhere() {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    if (ranks > 4) return;  // many ranks on few cores are slow, and have no more to show
    const std::vector<std::int64_t> extents{4 * ranks, 10};
    const std::vector<owned_box> boxes = boxes_of(ranks);
    const auto same = [&](bool) { return plan_of(boxes, extents, ranks); };
    // The channel of the communicator takes memory of its own.
    check(exchange::make<double>(MPI_COMM_WORLD, same(true)).ok(), "an exchange");
    for (const exchange_engine engine : engines_here())
        for (const bool all_fail : {false, true}) {
            exchange_options options;
            options.engine = engine;
            options.shared_in = engine == exchange_engine::automatic;
            if (!exchange::make<double>(MPI_COMM_WORLD, same(true), options).ok()) continue;
            check_make(std::string(name_of(engine)), same, options, all_fail);
        }
    exchange_options lossy;
    lossy.limit = bound::rel(1e-3);
    lossy.engine = exchange_engine::batched;
    check_make("compressed", same, lossy, false);
    check_words(ranks);
    if (ranks == 1) return;
    // Ranks that differ find out where.
    const auto other_boxes = [&](bool last) {
        std::vector<owned_box> mine = boxes;
        if (last) std::swap(mine[0].rank, mine[2].rank);
        return plan_of(mine, extents, ranks);
    };
    check_make("layouts differ", other_boxes, {}, false, errc::mismatch);
    check_make("layouts differ", other_boxes, {}, true, errc::mismatch);
    // From C, where more places are announced than any memory holds.
    const std::int64_t patch[2] = {3, 5};
    laconic_plan planned = LACONIC_PLAN_NULL;
    check(
        laconic_plan_regular(2, extents.data(), ranks, nullptr, patch, LACONIC_PLACE_GREEDY, 0, &planned) == LACONIC_OK,
        laconic_last_message());
    const laconic_stored_box place{};
    laconic_exchange_options options{};
    options.in_boxes = &place;
    options.in_box_count = rank == ranks - 1 ? SIZE_MAX / 64 : 1;
    laconic_exchange made = LACONIC_EXCHANGE_NULL;
    const int code = laconic_exchange_make(planned, 8, LACONIC_F64, MPI_COMM_WORLD, &options, &made);
    const std::string text = laconic_last_message();
    check(code == LACONIC_ERR_MEMORY && text.find("in_boxes") != std::string::npos, text);
    check(laconic_plan_free(&planned) == LACONIC_OK, "free");
}

}  // namespace laconic::test
