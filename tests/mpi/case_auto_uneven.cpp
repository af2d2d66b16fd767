// SPDX-License-Identifier: BSD-3-Clause
// What `auto` decides where no rank knows the counts of the others: the same on all of them, of what all of them have,
// and little is said about calls that end with MPI's own function.
#include <array>
#include <string>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "collective/registry.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

constexpr std::array uneven{operation::gather, operation::scatter, operation::alltoall};

struct seen {
    std::string row;
    int agreements = 0;
};

/// A communicator of the world's ranks that remembers nothing.
struct own_comm {
    MPI_Comm comm = MPI_COMM_NULL;
    own_comm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
    own_comm(const own_comm&) = delete;
    own_comm& operator=(const own_comm&) = delete;
    ~own_comm() { MPI_Comm_free(&comm); }
};

scenario uneven_call(operation op, std::size_t count, std::string_view machine) {
    scenario what;
    what.op = op;
    what.algorithm = "auto";
    what.limit = bound::abs(1e-3);
    what.count = count;
    what.varying = true;
    what.ranks_per_node = 1;
    what.machine = machine;
    return what;
}

/// One call alone.
template <class Report>
seen call(const scenario& what, MPI_Comm comm, Report report) {
    agreements = 0;
    laid_out<float> arrays = lay_out<float>(what, rank_in(comm), size_of(comm));
    const auto done = run(arrays.call, comm, options_of(what));
    seen one{done.ok() ? done->algorithm : "", agreements};
    check(done.ok(), what.text() + ": " + done.error().message());
    if (done.ok()) report(arrays, *done, one);
    return one;
}

/// One call; its result is right, and all ranks ran the same row after as many agreements.
seen call(const scenario& what, MPI_Comm comm) {
    return call(what, comm, [&](const laid_out<float>& arrays, const collective_report& report, const seen& one) {
        check_outcome(what, arrays, report);
        check_same_bytes(std::as_bytes(std::span(one.row)), comm, what.text() + ": the row");
        check_same_bytes(std::as_bytes(std::span(&one.agreements, 1)), comm, what.text() + ": agreements");
    });
}
/// One of many.
seen unchecked_call(const scenario& what, MPI_Comm comm) {
    return call(what, comm, [](const auto&...) {});
}

bool compresses(operation op, const std::string& row) {
    const auto found = collective::find_cell(op, row);
    return found.ok() && collective::compresses(*found);
}

constexpr std::size_t many = 20000;
constexpr std::size_t few = 5;

/// Long calls compress with one message each, whatever their counts; short ones between them are MPI's.
void sizes_take_turns(operation op, const std::string& machine) {
    const own_comm ours;
    const seen first = call(uneven_call(op, many, machine), ours.comm);
    check(compresses(op, first.row), "the first long call ran " + first.row);
    check(first.agreements == 2, "the first long call agreed " + std::to_string(first.agreements) + " times");
    for (int i = 0; i < 12; ++i) {
        scenario what = uneven_call(op, many + 2000 * static_cast<std::size_t>(i), machine);
        what.root = i % size_of(ours.comm);
        what.in_place = i % 3 == 0;
        const seen next = call(what, ours.comm);
        check(compresses(op, next.row), what.text() + " ran " + next.row);
        check(next.agreements == 1, what.text() + " agreed " + std::to_string(next.agreements) + " times");
    }
    for (int i = 0; i < 12; ++i) {
        const seen short_one = call(uneven_call(op, few, machine), ours.comm);
        check(short_one.row == "stock" && short_one.agreements == 1,
              "a short call between long ones ran " + short_one.row);
        const seen long_one = call(uneven_call(op, many, machine), ours.comm);
        check(compresses(op, long_one.row), "a long call between short ones ran " + long_one.row);
        check(long_one.agreements <= 2, "a long call between short ones agreed more than twice");
    }
}

/// Nobody pays for asking for long; and long calls are found all the same.
void short_calls_fall_silent(operation op, const std::string& machine, bool after_a_long_one) {
    const own_comm ours;
    if (after_a_long_one) static_cast<void>(call(uneven_call(op, many, machine), ours.comm));
    int said = 0;
    const int calls = size_of(ours.comm) > 4 ? 140 : 260;
    for (int i = 0; i < calls; ++i) {
        const seen one = unchecked_call(uneven_call(op, few + static_cast<std::size_t>(i % 4), machine), ours.comm);
        check(one.row == "stock", "a short call ran " + one.row);
        said += one.agreements;
    }
    // The credit of a long one lasts for 64; then 1 + 1, 3, 7, ..., 63 calls pass from one to the next.
    check(said > 3 && said <= (after_a_long_one ? 64 : 0) + 12,
          std::to_string(said) + " agreements for " + std::to_string(calls) + " short calls");
    int until = 0;
    while (until < 64 && !compresses(op, unchecked_call(uneven_call(op, many, machine), ours.comm).row)) ++until;
    check(until < 64, "long calls after short ones never compress");
}

/// Without a bound, and for data that cannot be compressed, nobody pays.
void nothing_to_win(operation op, const std::string& machine) {
    const own_comm ours;
    for (int i = 0; i < 3; ++i) {
        scenario what = uneven_call(op, many, machine);
        what.limit = bound::lossless();
        const seen one = call(what, ours.comm);
        check(one.row == "stock" && (i == 0 || one.agreements == 0), "an uneven call without a bound ran " + one.row);
    }
    int said = 0;
    for (int i = 0; i < 40; ++i) {
        scenario what = uneven_call(op, 3000, machine);
        what.limit = bound::abs(1e-30);
        what.kind = field::noise;
        const seen one = unchecked_call(what, ours.comm);
        check(!compresses(op, one.row), "data that cannot be compressed ran " + one.row);
        said += one.agreements;
    }
    check(said > 0 && said < 14, std::to_string(said) + " agreements for 40 calls that cannot be compressed");
}

/// What one rank gets wrong in a call that they agree on is refused by all, and leaves nothing behind that they see in
/// different ways.
void refused_calls_leave_nothing(operation op, const std::string& machine) {
    const own_comm ours;
    const int last = size_of(ours.comm) - 1;
    for (int i = 0; i < 12; ++i) {
        static_cast<void>(call(uneven_call(op, i % 4 == 3 ? few : many, machine), ours.comm));
        // Long ones are agreed on whenever the call before was.
        if (i % 4 != 1) continue;
        scenario what = uneven_call(op, many, machine);
        laid_out<float> arrays = lay_out<float>(what, rank_in(ours.comm), size_of(ours.comm));
        collective_options wrong = options_of(what);
        if (rank_in(ours.comm) == last) {
            if (i == 1) wrong.algorithm = "ato";
            if (i == 5) wrong.limit = bound::abs(2e-3);
            if (i == 9) arrays.call.root = -1;
        }
        const auto done = run(arrays.call, ours.comm, wrong);
        check(!done.ok(), std::string(collective::name_of(op)) + " that one rank gets wrong");
        int code = static_cast<int>(done.error().code());
        check_same_bytes(std::as_bytes(std::span(&code, 1)), ours.comm, "codes of a refused call");
    }
}

/// One rank has everything, and gives it to one other.
void one_pair_has_all(const std::string& machine) {
    const own_comm ours;
    const int me = rank_in(ours.comm);
    const auto ranks = static_cast<std::size_t>(size_of(ours.comm));
    for (int i = 0; i < 6; ++i) {
        const std::size_t count = i % 3 == 2 ? 7 : 200000;
        const int from = i % size_of(ours.comm);
        const int to = (from + 1) % size_of(ours.comm);
        const std::vector<std::size_t> at(ranks, 0);
        std::vector<std::size_t> in_counts(ranks, 0);
        std::vector<std::size_t> out_counts(ranks, 0);
        if (me == from) in_counts[static_cast<std::size_t>(to)] = count;
        if (me == to) out_counts[static_cast<std::size_t>(from)] = count;
        const std::vector<float> values = make_field<float>(field::smooth, from, count);
        std::vector<float> in;
        if (me == from) in = values;
        std::vector<float> out(me == to ? count : 0);
        const collective_call<float> all{operation::alltoall, in, out, reduction::sum, 0, true, in_counts, at,
                                         out_counts,          at};
        const auto done = run(all, ours.comm, options_of(uneven_call(operation::alltoall, count, machine)));
        check(done.ok(), "one pair: " + done.error().message());
        if (!done.ok()) continue;
        check_same_bytes(std::as_bytes(std::span(done->algorithm)), ours.comm, "one pair: the row");
        check(compresses(operation::alltoall, done->algorithm) == (count > 100),
              "one pair: " + std::to_string(count) + " elements ran " + done->algorithm);
        bool right = true;
        for (std::size_t k = 0; k < out.size(); ++k) right = right && std::abs(out[k] - values[k]) <= 1.001e-3F;
        check(right, "one pair: beyond the bound");
    }
}

/// Started, several at a time, and prepared.
void requests_decide(const std::string& machine) {
    const own_comm ours;
    std::vector<scenario> calls;
    std::vector<laid_out<float>> arrays;
    std::vector<collective_request> requests;
    for (int i = 0; i < 9; ++i) {
        calls.push_back(uneven_call(uneven[static_cast<std::size_t>(i % 3)], i % 4 == 1 ? few : many, machine));
        arrays.push_back(lay_out<float>(calls.back(), rank_in(ours.comm), size_of(ours.comm)));
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
        auto started = i % 2 == 0 ? start(arrays[i].call, ours.comm, options_of(calls[i]))
                                  : prepare(arrays[i].call, ours.comm, options_of(calls[i]));
        check(started.ok(), calls[i].text() + ": " + started.error().message());
        if (!started.ok()) return;
        if (i % 2 != 0) check(started->start().ok(), calls[i].text() + ": start");
        requests.push_back(std::move(*started));
    }
    const std::vector<collective_report> reports = wait_for_all(requests, calls, ours.comm);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        check_outcome(calls[i], arrays[i], reports[i]);
        check_same_bytes(std::as_bytes(std::span(reports[i].algorithm)), ours.comm, calls[i].text() + ": the row");
    }
}

/// An allgatherv, of which all know all counts: long ones compress, short ones do not and need no word.
void known_counts_need_no_word(const std::string& machine) {
    const own_comm ours;
    const seen long_one = call(uneven_call(operation::allgather, many, machine), ours.comm);
    check(compresses(operation::allgather, long_one.row), "a long allgatherv ran " + long_one.row);
    for (int i = 0; i < 3; ++i) {
        const seen short_one = call(uneven_call(operation::allgather, few, machine), ours.comm);
        check(!compresses(operation::allgather, short_one.row), "a short allgatherv ran " + short_one.row);
        check(short_one.agreements == 0,
              "a short allgatherv agreed " + std::to_string(short_one.agreements) + " times");
    }
    check(call(uneven_call(operation::allgather, many, machine), ours.comm).agreements == 1,
          "a second long allgatherv");
}

}  // namespace

void auto_decides_uneven_calls() {
    if (size_of(MPI_COMM_WORLD) < 2) return;
    const std::string machine = slow_machine();
    for (const operation op : uneven) {
        sizes_take_turns(op, machine);
        const bool is_slow = size_of(MPI_COMM_WORLD) > 4;
        if (!is_slow || op == operation::alltoall) short_calls_fall_silent(op, machine, false);
        if (!is_slow || op == operation::gather) short_calls_fall_silent(op, machine, true);
        nothing_to_win(op, machine);
        refused_calls_leave_nothing(op, machine);
    }
    one_pair_has_all(machine);
    requests_decide(machine);
    known_counts_need_no_word(machine);
}

}  // namespace laconic::test
