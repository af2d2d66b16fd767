// SPDX-License-Identifier: BSD-3-Clause
// What `auto` decides on a network that it is told is slow: rows and messages before them, alike on all ranks, while
// the data stay alike, when they change, and where MPI's own function is all there is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "collective/execution.hpp"
#include "collective/registry.hpp"
#include "collective/select.hpp"
#include "collective/short_way.hpp"
#include "fields.hpp"
#include "model/cost.hpp"
#include "model/machine.hpp"
#include "model/recollection.hpp"
#include "mpi/channel.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 200000;

struct seen {
    std::string row;
    int agreements = 0, blocking_calls = 0;
};

/// One call; its result is within bounds of the sum, and all ranks ran the same row.
template <class T>
seen call(const std::vector<T>& in, MPI_Comm comm, const collective_options& options, const std::string& what,
          std::vector<T>* result = nullptr) {
    agreements = blocking_calls = 0;
    collective_report report;
    std::vector<T> out = reduce(in, reduction::sum, comm, options, what, &report);
    seen one{report.algorithm, agreements, blocking_calls};
    std::vector<T> exact(in.size());
    PMPI_Allreduce(in.data(), exact.data(), static_cast<int>(in.size()), MPI_DOUBLE, MPI_SUM, comm);
    double most = 0;
    for (const double value : in) most = std::max(most, std::fabs(value));
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    const double rounding = 2 * size_of(comm) * size_of(comm) * most * std::numeric_limits<double>::epsilon();
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!(std::fabs(out[i] - exact[i]) <= options.limit.value + rounding)) {
            check(false, what + ": element " + std::to_string(i) + " is beyond the bound");
            break;
        }
    check_same_bytes(std::as_bytes(std::span(one.row)), comm, what);
    if (result != nullptr) *result = std::move(out);
    return one;
}

/// Beside such values the bound is nothing.
std::vector<double> hopeless_field(int rank) {
    std::vector<double> noise = kept_field<double>(field::noise, rank, count);
    for (double& value : noise) value *= 1e14;
    return noise;
}

bool compresses(const std::string& row) {
    const auto found = collective::find_cell(operation::allreduce, row);
    return found.ok() && collective::compresses(*found);
}

void alike_calls_presume(const collective_options& options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int rank = rank_in(comm);
    const std::vector<double> smooth = kept_field<double>(field::smooth, rank, count);
    const std::vector<double> noise = hopeless_field(rank);
    const std::vector<double> want =
        reduce(smooth, reduction::sum, comm, options_for("ring/fused", options.limit), "ring/fused");

    const seen first = call(smooth, comm, options, "the first call");
    check(compresses(first.row), "the first call ran " + first.row);
    check(first.agreements == 2, "the first call agreed " + std::to_string(first.agreements) + " times");
    for (int i = 0; i < 20; ++i) {
        const std::string what = "alike call " + std::to_string(i);
        std::vector<double> got;
        const seen next = call(smooth, comm, options, what, &got);
        check(compresses(next.row), what + " ran " + next.row);
        check(next.agreements == 1, what + " agreed " + std::to_string(next.agreements) + " times");
        check(got == want, what + ", " + next.row + ": other bits than the ring's");
    }
    // Nothing can be saved: one message more finds that out, and then nobody asks for a while.
    const seen changed = call(noise, comm, options, "other data");
    check(!compresses(changed.row), "other data ran " + changed.row);
    check(changed.agreements >= 1, "other data were not agreed on");
    const seen silent = call(noise, comm, options, "other data again");
    check(silent.row == changed.row && silent.agreements == 0, "other data again: " + silent.row);
    int asked = 0;
    std::string row;
    for (int i = 0; i < 3; ++i) {
        const seen back = call(smooth, comm, options, "the first data again");
        asked += back.agreements;
        row = back.row;
    }
    check(asked > 0 && compresses(row), "the first data again ran " + row);
    MPI_Comm_free(&comm);
}

/// Rows that are tried in turn give the same bits, those of zeros with a sign among them.
void zeros_keep_their_sign(const collective_options& options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<double> in = kept_field<double>(field::smooth, rank_in(comm), count);
    std::fill(in.begin() + 1000, in.begin() + 9000, -0.0);
    std::vector<double> first, out(rank_in(comm) == 0 ? count : 0);
    std::string rows;
    std::set<std::string> tried;
    for (int i = 0; i < 12; ++i) {
        const auto done = run(collective_call<double>::reduce(in, out, reduction::sum, 0), comm, options);
        check(done.ok(), "a reduce of zeros: " + done.error().message());
        if (done.ok()) rows += " " + done->algorithm, tried.insert(done->algorithm);
        if (i == 0) first = out;
        check(std::ranges::equal(std::as_bytes(std::span(out)), std::as_bytes(std::span(first))),
              "calls alike have other bits:" + rows);
    }
    check(size_of(comm) == 2 || tried.size() > 1, "no rows are tried in turn:" + rows);
    MPI_Comm_free(&comm);
}

void short_calls_are_mpi(const collective_options& options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::vector<double> few = kept_field<double>(field::smooth, rank_in(comm), 20);
    // The first call of a communicator also makes its channel.
    static_cast<void>(call(few, comm, options, "a first short call"));
    for (const char* row : {"auto", "stock"}) {
        collective_options same = options;
        same.algorithm = row;
        const seen one = call(few, comm, same, std::string("a short call of ") + row);
        check(one.row == "stock" && one.agreements == 0 && one.blocking_calls == 1,
              std::string("a short call of ") + row + " ran " + one.row);
    }
    // Averages are divided on this way, too.
    std::vector<double> out(few.size());
    const auto done = allreduce<double>(std::span<const double>(few), out, reduction::avg, comm, options);
    std::vector<double> sum(few.size());
    PMPI_Allreduce(few.data(), sum.data(), static_cast<int>(few.size()), MPI_DOUBLE, MPI_SUM, comm);
    bool right = done.ok();
    for (std::size_t i = 0; i < out.size() && right; ++i) right = std::fabs(out[i] - sum[i] / size_of(comm)) <= 1e-12;
    check(right, "a short average");
    // A started call in between: both find their messages.
    std::vector<double> later(few.size());
    auto request =
        start(collective_call<double>::allreduce(std::span<const double>(few), later, reduction::sum), comm, options);
    check(request.ok(), "a started short call");
    const seen between = call(few, comm, options, "a short call beside a started one");
    check(between.row == "stock" && between.blocking_calls == 0, "a short call beside a started one blocks");
    check(request.ok() && request->wait().ok() && std::fabs(later[3] - sum[3]) <= 1e-12, "the started call");
    MPI_Comm_free(&comm);
}

/// An uncompressed row of ours that is ahead of MPI's own runs short calls, nobody asks, and the next calls know it;
/// one that is hardly ahead does not, nor one that was never timed.
void short_calls_may_be_ours(collective_options options) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const collective::cell ours = collective::find_cell(operation::allreduce, "recursive_doubling_raw").value();
    for (const auto& [ahead, is_timed] : {std::pair(2.0, true), std::pair(1.02, true), std::pair(2.0, false)}) {
        const std::vector<double> few = kept_field<double>(field::smooth, rank_in(MPI_COMM_WORLD), 20);
        model::machine where = slow_network();
        // Compression is out of the question.
        for (model::codec_rates& codec : where.codecs)
            for (auto& rate : codec.bytes_per_s) rate.fill(1e3);
        const model::question asked = collective::question_of({operation::allreduce,
                                                               reduction::sum,
                                                               few.size() * sizeof(double),
                                                               sizeof(double),
                                                               ranks,
                                                               {ranks, 1, 1},
                                                               1},
                                                              options, {});
        const double classic_s = model::estimate_classic(where, asked).total_s;
        where.stock[static_cast<std::size_t>(operation::allreduce)] = {
            1, {1}, {ahead * model::estimate(where, asked, ours).total_s / classic_s}};
        where.calibrated_nodes = ranks;
        where.fitted_rows = 1;
        where.rows[0] = {is_timed ? operation::allreduce : operation::reduce, ours, {1, {1e3}, {1}}};
        const std::string path = file_of(where);
        options.machine = path;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const std::string text = std::string(is_timed ? "" : "never timed, ") +
                                 "a row for short calls that MPI takes " + std::to_string(ahead) + " times as long for";
        const bool is_ours = ahead > 1.5 && is_timed;
        static_cast<void>(call(few, comm, options, text));
        for (int i = 0; i < 3; ++i) {
            const seen one = call(few, comm, options, text);
            const auto row = collective::find_cell(operation::allreduce, one.row);
            check(row.ok() && !collective::compresses(*row), text + " ran " + one.row);
            check(one.agreements == 0,
                  text + ", call " + std::to_string(i) + ", agreed " + std::to_string(one.agreements) + " times");
            check((one.row != "stock") == is_ours, text + " ran " + one.row);
            std::vector<double> out(few.size());
            const auto alike = collective_call<double>::allreduce(std::span<const double>(few), out, reduction::sum);
            const auto* const known = collective::find_known(**collective::usable_channel(comm), alike, options);
            check(known != nullptr && (known->row.schedule != collective::schedule_kind::stock) == is_ours,
                  text + ": not known, or as another row");
        }
        MPI_Comm_free(&comm);
    }
}

/// A row that leaves short arrays as they are does so in auto as well, and needs no word for it.
void short_arrays_travel_raw(collective_options options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    model::machine where = slow_network();
    where.calibrated_nodes = size_of(comm);
    where.fitted_rows = 1;
    where.rows[0].op = operation::allreduce;
    where.rows[0].what = collective::find_cell(operation::allreduce, "rabenseifner_raw").value();
    where.rows[0].factor.rows = 1;
    where.rows[0].factor.bytes[0] = 1e4;
    where.rows[0].factor.factor[0] = 0.1;
    options.machine = file_of(where);
    const std::vector<double> values = kept_field<double>(field::smooth, rank_in(comm), 2000);
    int asked = 0;
    for (int i = 0; i < 8; ++i) {
        const seen one = call(values, comm, options, "a short array");
        check(one.row == "rabenseifner_raw", "a short array ran " + one.row);
        if (i > 0) asked += one.agreements;
    }
    // Of seven calls after the first, which compares the machine, the second and the sixth ask, and agree on the row.
    check(asked <= 4, "short arrays asked " + std::to_string(asked) + " times");
    MPI_Comm_free(&comm);
}

/// Some ranks know a call without loss and others, which work in place, find it out: what all have in common of other
/// calls stays so.
void calls_without_loss_leave_others_alone(const collective_options& options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const bool is_root = rank_in(comm) == 0;
    std::vector<double> product(50, 1.0);
    const std::span<double> out = is_root ? std::span(product) : std::span<double>{};
    const auto without_loss =
        collective_call<double>::reduce(std::span<const double>(product), out, reduction::prod, 0);
    const std::vector<double> values = kept_field<double>(field::smooth, rank_in(comm), 30000);
    const auto product_is_right = [&] { return run(without_loss, comm, options).ok() && product[7] == 1; };
    const auto call_one = [&](std::size_t kind) {
        const std::vector<double> some(values.begin(), values.end() - static_cast<std::ptrdiff_t>(kind));
        for (int k = 0; k < 2; ++k) call(some, comm, options, "a call after others without loss");
    };
    for (int i = 0; i < 3; ++i) check(product_is_right(), "a product before other calls");
    // So many that the product would be forgotten among them; then those that are left, the oldest last.
    constexpr std::size_t kinds = model::recollection::most + 1;
    for (std::size_t kind = 0; kind < kinds; ++kind) call_one(kind);
    check(product_is_right(), "a product after other calls");
    for (std::size_t kind = kinds; kind-- > 0;) call_one(kind);
    MPI_Comm_free(&comm);
}

void without_a_bound_nobody_asks(collective_options options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    options.limit = {};
    const std::vector<double> values = kept_field<double>(field::smooth, rank_in(comm), count);
    std::string row;
    for (int i = 0; i < 5; ++i) {
        const seen one = call(values, comm, options, "a call without loss");
        // The first one compares the machine.
        check((i == 0 || one.agreements == 0) && !compresses(one.row), "a call without loss ran " + one.row);
        check(row.empty() || row == one.row, "calls without loss ran " + row + " and " + one.row);
        row = one.row;
    }
    MPI_Comm_free(&comm);
}

/// What one rank gets wrong is refused by all, and leaves nothing behind that they see in different ways.
void refused_calls_leave_nothing(const collective_options& options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int rank = rank_in(comm);
    const std::vector<double> smooth = kept_field<double>(field::smooth, rank, count);
    std::vector<double> out(count);
    for (int i = 0; i < 24; ++i) {
        static_cast<void>(call(smooth, comm, options, "a good call between bad ones"));
        if (i % 3 != 1) continue;
        collective_options wrong = options;
        if (rank == 0 && i % 2 == 0) wrong.algorithm = "ato";
        if (rank == 0 && i % 2 != 0) wrong.limit = bound::abs(2e-3);
        const auto done = allreduce<double>(std::span<const double>(smooth), out, reduction::sum, comm, wrong);
        check(!done.ok(), "a call that one rank gets wrong");
    }
    MPI_Comm_free(&comm);
}

/// What one rank alone gets wrong, where nobody listens, is no call: it does not bring the next question closer.
void wrong_calls_do_not_count(const collective_options& options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::vector<double> noise = hopeless_field(rank_in(comm));
    std::vector<double> out(count - 1);
    for (int i = 0; i < 16; ++i) {
        const seen one = call(noise, comm, options, "a good call before a bad one");
        // After an answer the next call is made without a word.
        if (one.agreements == 0 || rank_in(comm) != 0) continue;
        const auto done = allreduce<double>(std::span<const double>(noise), out, reduction::sum, comm, options);
        check(done.error().code() == errc::invalid_argument, "an array too short: " + done.error().message());
    }
    MPI_Comm_free(&comm);
}

void an_unreadable_machine_is_heard_of(collective_options options) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::string path = options.machine;
    for (const std::size_t size : {std::size_t{20}, count}) {
        const std::vector<double> values = kept_field<double>(field::smooth, rank_in(comm), size);
        std::vector<double> out(size);
        options.machine = rank_in(comm) == 0 ? "/nowhere/machine.toml" : path;
        const auto done = allreduce<double>(std::span<const double>(values), out, reduction::sum, comm, options);
        check(done.error().code() == errc::io && done.error().context().find("/nowhere") != std::string::npos,
              "a machine that rank 0 cannot read: " + done.error().message());
    }
    MPI_Comm_free(&comm);
}

/// What ranks compare of a machine has six digits: no decision may hang on more.
void further_digits_do_not_decide() {
    const auto with = [](const std::string& latency) {
        std::string text = model::to_toml(slow_network(), "");
        const std::string there = "latency_us = 30\n";
        const auto at = text.find(there);
        check(at != std::string::npos, "the machine file has no latency of 30 us");
        if (at != std::string::npos) text.replace(at, there.size(), "latency_us = " + latency + "\n");
        return collective::machine_of(file_of(text));
    };
    const auto one = with("30"), alike = with("30.0000004"), other = with("30.01");
    check(one.ok() && alike.ok() && other.ok(), "a machine file is refused");
    if (!one.ok() || !alike.ok() || !other.ok()) return;
    check((*one)->digest == (*alike)->digest && (*one)->inter.alpha_s == (*alike)->inter.alpha_s,
          "machines of one digest differ");
    check((*one)->digest != (*other)->digest && (*one)->inter.alpha_s != (*other)->inter.alpha_s,
          "machines that differ have one digest");
}

/// How much longer than its part a rank's array is, is nobody's business: ranks decide alike.
void room_to_spare_does_not_count(const collective_options& options) {
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    const std::vector<std::size_t> counts(ranks, 64);
    const std::vector<float> in(64 * ranks, 1.0F);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (const std::size_t spare : {std::size_t{0}, std::size_t{4} << 20}) {
        std::vector<float> out(64 + static_cast<std::size_t>(rank_in(comm)) * spare, -77.0F);
        const auto call = collective_call<float>::reduce_scatter(in, out, counts, reduction::sum);
        const auto done = run(call, comm, options);
        check(done.ok() && out[63] == static_cast<float>(ranks) && (out.size() == 64 || out[64] == -77.0F),
              "reduce_scatter with room to spare: " + done.error().message());
        if (done.ok()) check(done->sent_bytes < 64 * sizeof(float) * ranks, "counts room that is not part of the call");
    }
    MPI_Comm_free(&comm);
}

}  // namespace

void auto_decides() {
    if (size_of(MPI_COMM_WORLD) < 2) return;
    collective_options options = options_for("auto", bound::abs(1e-3));
    options.machine = slow_machine();
    options.ranks_per_node = 1;
    further_digits_do_not_decide();
    alike_calls_presume(options);
    zeros_keep_their_sign(options);
    short_calls_are_mpi(options);
    short_calls_may_be_ours(options);
    short_arrays_travel_raw(options);
    refused_calls_leave_nothing(options);
    wrong_calls_do_not_count(options);
    an_unreadable_machine_is_heard_of(options);
    calls_without_loss_leave_others_alone(options);
    without_a_bound_nobody_asks(options);
    room_to_spare_does_not_count(options);
    room_to_spare_does_not_count(options_for("stock", {}));
}

}  // namespace laconic::test
