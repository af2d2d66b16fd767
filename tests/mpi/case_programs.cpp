// SPDX-License-Identifier: BSD-3-Clause
// Schedules without messages: the programs of all ranks are played through, with sets of ranks for values. Every send
// meets its receive, nobody waits for ever, and everybody ends with what the operation promises.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "cases.hpp"
#include "check.hpp"
#include "collective/job.hpp"
#include "collective/program.hpp"
#include "collective/quantisation.hpp"

namespace laconic::test {
namespace {

using namespace collective;

/// Which ranks' values are in a message, and as often as it has been quantised anew: `coded`.
using content = std::multiset<int>;
constexpr int coded = -1;

struct play {
    operation op;
    schedule_kind schedule;
    int ranks;
    int root;
    std::string what;
    std::vector<program> programs;
    std::vector<std::size_t> at;
    std::uint32_t most_coded = 0;
    using arrivals = std::map<std::tuple<int, int, std::uint32_t>, content>;  // from, to, piece
    arrivals on_the_way;
    bool bundled;
    std::map<std::pair<int, int>, std::deque<std::uint32_t>>
        in_flight;                                                 // pieces from one rank to another, not yet taken
    std::map<std::pair<int, std::uint32_t>, arrivals> incomplete;  // what has been put into bundles, by rank and bundle
    std::vector<std::map<std::uint32_t, content>> states, results;

    play(operation o, schedule_kind s, int p, int r, bool in_bundles)
        : op(o),
          schedule(s),
          ranks(p),
          root(r),
          at(static_cast<std::size_t>(p)),
          bundled(in_bundles),
          states(at.size()),
          results(at.size()) {
        what = std::string(name_of(op)) + " " + std::string(name_of(schedule)) + " " + std::to_string(ranks) +
               " ranks, root " + std::to_string(root) + (bundled ? ", in bundles" : "");
        for (int rank = 0; rank < ranks; ++rank) programs.push_back(make_program(op, schedule, ranks, rank, root));
        for (const program& one : programs)
            check(one.weight == programs[0].weight && one.kept_pieces <= one.weight &&
                      one.in_order == programs[0].in_order && (!one.in_order || one.most_to <= 1),
                  what + ": ranks do not agree");
    }

    /// False: it waits for a message.
    bool step_of(int rank) {
        const auto me = static_cast<std::size_t>(rank);
        const step& now = programs[me].steps[at[me]];
        // The pieces of an all-to-all have different numbers on both sides.
        const auto label = [&](std::uint32_t piece) { return programs[me].one_piece_per_pair ? 0U : piece; };
        content value;
        if (now.from != nobody) {
            const auto found = on_the_way.find({now.from, rank, label(now.piece)});
            if (found == on_the_way.end()) return false;
            value = found->second;
            on_the_way.erase(found);
            std::deque<std::uint32_t>& due = in_flight[{now.from, rank}];
            check(!programs[me].in_order || due.front() == label(now.piece), what + ": taken in another order");
            due.erase(std::find(due.begin(), due.end(), label(now.piece)));
        }
        if (now.from == nobody || now.combines) {
            if (now.uses_state)
                value.merge(states[me].extract(now.piece).mapped());
            else
                value.insert(rank);
            if (!now.copies) value.insert(coded);
        }
        if (now.keeps) states[me][now.piece] = value;
        for (std::uint32_t i = now.first_to; i < now.first_to + now.to_count; ++i) {
            arrivals& leave = bundled ? incomplete[{rank, programs[me].to_bundle[i]}] : on_the_way;
            check(leave.try_emplace({rank, programs[me].to[i], label(now.piece)}, value).second, what + ": sent twice");
            in_flight[{rank, programs[me].to[i]}].push_back(label(now.piece));
            if (bundled && leave.size() == parts_of(programs[me], programs[me].to_bundle[i])) on_the_way.merge(leave);
        }
        if (now.finishes || now.copies)
            check(results[me].try_emplace(now.piece, value).second, what + ": finished twice");
        ++at[me];
        return true;
    }

    /// That leave in a bundle.
    static std::size_t parts_of(const program& from, std::uint32_t one) {
        return static_cast<std::size_t>(std::count(from.to_bundle.begin(), from.to_bundle.end(), one));
    }
    /// Receivers and senders put the same messages together.
    void check_bundles() const {
        for (int rank = 0; rank < ranks; ++rank) {
            const program& here = programs[static_cast<std::size_t>(rank)];
            std::vector<std::size_t> due(here.incoming.size());
            for (const step& now : here.steps)
                if (now.from != nobody) ++due[now.bundle];
            for (std::size_t i = 0; i < due.size(); ++i) {
                const program& there = programs[static_cast<std::size_t>(here.incoming[i].rank)];
                const auto sent = std::find(there.outgoing.begin(), there.outgoing.end(),
                                            bundle{static_cast<std::int32_t>(rank), here.incoming[i].results});
                const auto index = static_cast<std::uint32_t>(sent - there.outgoing.begin());
                check(sent != there.outgoing.end() && parts_of(there, index) == due[i], what + ": another bundle");
            }
        }
    }

    void run() {
        if (bundled || programs[0].in_order) check_bundles();
        for (bool moved = true; moved;) {
            moved = false;
            for (int rank = 0; rank < ranks; ++rank)
                while (at[static_cast<std::size_t>(rank)] < programs[static_cast<std::size_t>(rank)].steps.size() &&
                       step_of(rank))
                    moved = true;
        }
        for (std::size_t rank = 0; rank < at.size(); ++rank)
            check(at[rank] == programs[rank].steps.size(), what + ": rank " + std::to_string(rank) + " waits for ever");
        check(on_the_way.empty(), what + ": a message that nobody receives");
        for (const auto& [whose, parts] : incomplete) check(parts.empty(), what + ": a bundle that never leaves");
        for (const auto& kept : states) check(kept.empty(), what + ": a state that nobody uses");
        for (int rank = 0; rank < ranks; ++rank) check_results(rank);
        check(most_coded == quantisations_of(op, schedule, ranks),
              what + ": quantised " + std::to_string(most_coded) + " times");
    }

    void check_results(int rank) {
        const auto me = static_cast<std::size_t>(rank);
        content everybody;
        for (int other = 0; other < ranks; ++other) everybody.insert(other);
        const auto p = static_cast<std::uint32_t>(ranks);
        std::map<std::uint32_t, content> want;
        switch (op) {
            case operation::allreduce:
                for (std::uint32_t piece = 0; piece < programs[me].pieces; ++piece) want[piece] = everybody;
                break;
            case operation::reduce:
                if (rank == root) want[0] = everybody;
                break;
            case operation::reduce_scatter: want[static_cast<std::uint32_t>(rank)] = everybody; break;
            case operation::allgather:
            case operation::gather:
                for (std::uint32_t piece = 0; piece < p; ++piece)
                    if (op == operation::allgather || rank == root) want[piece] = {static_cast<int>(piece)};
                break;
            case operation::scatter: want[static_cast<std::uint32_t>(rank)] = {root}; break;
            case operation::bcast: want[0] = {root}; break;
            case operation::alltoall:
                for (std::uint32_t other = 0; other < p; ++other)
                    want[other == static_cast<std::uint32_t>(rank) ? other : p + other] = {static_cast<int>(other)};
                break;
        }
        for (auto& [piece, value] : results[me]) {
            const auto times = static_cast<std::uint32_t>(value.erase(coded));
            most_coded = std::max(most_coded, times);
        }
        check(results[me] == want, what + ": rank " + std::to_string(rank) + " ends with something else");
    }
};

/// Cells cover every piece once, in whole chunks, and lanes agree.
void check_cells() {
    const program steps = make_program(operation::allreduce, schedule_kind::ring, 3, 1, 0);
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{2049},
                                     std::size_t{100003}, std::size_t{1} << 20})
        for (const std::size_t segment : {std::size_t{1}, std::size_t{10000}, std::size_t{1} << 28})
            for (const int lanes : {1, 8, 32}) {
                const std::vector<place> places{{0, 0, length}, {length, length, length}, {2 * length, 0, length / 2}};
                const std::size_t cell = job::choose_cell(length, segment, lanes);
                const job work(steps, places, {cell, lanes, false}, length);
                const std::string what = std::to_string(length) + " elements, segment " + std::to_string(segment);
                check(cell % 2048 == 0, what + ": cells are no whole chunks");
                check(cell <= std::max(segment, std::size_t{2} * 2048) + 2048, what + ": a cell is too long");
                std::map<std::uint32_t, std::size_t> covered;
                for (std::uint64_t event = 0; event < work.events(); ++event) {
                    const part piece = work.part_of(event);
                    const step& now = work.step_of(event);
                    if (now.combines) covered[now.piece] += piece.in.count;
                    check(piece.in.count <= work.largest(), what + ": larger than the largest");
                }
                for (const auto& [piece, sum] : covered) check(sum == places[piece].count, what + ": not all covered");
            }
}

/// However often partial results are quantised anew: what is promised of the result is kept.
void check_shares() {
    const auto check_one = [](schedule_kind schedule, operation op, int ranks, growth errors, scope which) {
        quantisation_request asked;
        asked.limit = bound::abs(1);
        asked.bound_scope = which;
        asked.errors = errors;
        asked.ranks = errors == growth::none ? 1 : static_cast<std::uint32_t>(ranks);
        asked.quantisations = quantisations_of(op, schedule, ranks);
        asked.min = -100;
        asked.max = asked.max_abs = 100;
        asked.any_finite = true;
        const bool each = which == scope::contribution && errors != growth::none;
        const double divisor = errors == growth::average ? ranks : 1;
        const double promise = each ? asked.quantisations / divisor : 1;
        const double found = quantise_per_hop<double>(asked).result_bound;
        check(found <= promise * (1 + 1e-9) && found > 0.4 * promise,
              std::string(name_of(op)) + " " + std::string(name_of(schedule)) + " over " + std::to_string(ranks) +
                  " ranks: the bound is " + std::to_string(found) + ", promised " + std::to_string(promise));
    };
    for (int ranks = 2; ranks <= 17; ++ranks)
        for (const operation op : {operation::allreduce, operation::reduce, operation::reduce_scatter})
            for (const schedule_kind schedule :
                 {schedule_kind::ring, schedule_kind::recursive_doubling, schedule_kind::rabenseifner,
                  schedule_kind::binomial, schedule_kind::pairwise})
                for (const growth errors : {growth::sum, growth::average, growth::none})
                    for (const scope which : {scope::result, scope::contribution, scope::probable})
                        if (serves(op, {schedule, payload_kind::per_hop, codec_id::fle}))
                            check_one(schedule, op, ranks, errors, which);
}

}  // namespace

void programs_are_complete() {
    check_shares();
    for (int ranks = 2; ranks <= 17; ++ranks)
        for (int op = 0; op < operation_count; ++op)
            for (const schedule_kind schedule :
                 {schedule_kind::ring, schedule_kind::recursive_doubling, schedule_kind::rabenseifner,
                  schedule_kind::binomial, schedule_kind::pairwise})
                for (const int root : {0, 1, ranks - 1}) {
                    const auto which = static_cast<operation>(op);
                    if (!serves(which, {schedule, payload_kind::raw, codec_id::raw})) continue;
                    play one(which, schedule, ranks, root, false);
                    one.run();
                    if (one.programs[0].has_bundles()) play(which, schedule, ranks, root, true).run();
                }
    check_cells();
}

}  // namespace laconic::test
