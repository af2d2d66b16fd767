// SPDX-License-Identifier: BSD-3-Clause
// Audits: every row keeps its promise and its bits, the numbers are those of the arrays, predictions hold on noise,
// a doctored result is found out, and ranks that disagree about auditing hear of it.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "cases.hpp"
#include "collective/exact_comparison.hpp"
#include "collective/execution.hpp"
#include "collective/registry.hpp"
#include "model/error_model.hpp"
#include "run.hpp"
#include "scenario.hpp"

namespace laconic::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

std::uint64_t sum_over_ranks(std::uint64_t mine) {
    std::uint64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, world);
    return all;
}

/// The numbers of a report, for a comparison over ranks.
std::vector<double> numbers_of(const audit_report& found) {
    std::vector<double> all{static_cast<double>(found.elements),
                            static_cast<double>(found.nonfinite),
                            static_cast<double>(found.violations),
                            found.bound,
                            found.max_error,
                            found.max_share,
                            found.mean_error,
                            found.deviation,
                            found.rms_error,
                            found.normal.deviation,
                            found.uniform.deviation};
    for (const std::uint64_t count : found.histogram) all.push_back(static_cast<double>(count));
    all.insert(all.end(), found.normal.inside.begin(), found.normal.inside.end());
    all.insert(all.end(), found.uniform.inside.begin(), found.uniform.inside.end());
    return all;
}

/// With and without an audit; the bits must be the same. Returns the audit.
template <class T>
audit_report audit_of(const scenario& what) {
    const int rank = rank_in(world);
    const int ranks = size_of(world);
    const std::string text = what.text() + " audited, " + std::to_string(sizeof(T) * 8) + " bits";
    laid_out<T> plain = lay_out<T>(what, rank, ranks);
    laid_out<T> watched = lay_out<T>(what, rank, ranks);
    collective_options options = options_of(what);
    const auto without = run(plain.call, world, options);
    options.audit = true;
    const auto with = run(watched.call, world, options);
    check(without.ok() && with.ok(), text + ": " + with.error().message());
    if (!without.ok() || !with.ok()) return {};
    check(!without->audit && with->audit, text + ": an audit where one was asked for, and only there");
    check(without->algorithm == with->algorithm && without->result_bound == with->result_bound,
          text + ": an audit changes the row or the bound");
    check(collective::find_cell(what.op, with->algorithm)->schedule == collective::schedule_kind::stock ||
              std::ranges::equal(std::as_bytes(plain.call.out), std::as_bytes(watched.call.out)),
          text + ": an audit changes the result");
    if (!with->audit) return {};
    const audit_report& found = *with->audit;
    const std::vector<double> numbers = numbers_of(found);
    check_same_bytes(bytes_of(numbers), world, text + ": the audit");
    check(found.violations == 0, text + ": " + std::to_string(found.violations) + " of " +
                                     std::to_string(found.elements) + " elements beyond the promise, by " +
                                     std::to_string(found.max_share) + ", largest error " +
                                     std::to_string(found.max_error) + " of " + std::to_string(found.bound));
    check(found.elements == sum_over_ranks(origins_of(what, rank, ranks).size()),
          text + ": compared " + std::to_string(found.elements) + " elements");
    return found;
}

scenario of(operation op, std::string row, std::size_t count) {
    scenario what;
    what.op = op;
    what.algorithm = std::move(row);
    what.limit = bound::abs(1e-3);
    what.count = count;
    what.segment_bytes = 16384;
    what.ranks_per_node = 2;
    what.root = size_of(world) - 1;
    return what;
}

bool is_whole(operation op) { return op == operation::allreduce || op == operation::reduce || op == operation::bcast; }

void check_every_row() {
    constexpr std::array fields{field::smooth, field::adversarial, field::noise, field::offset, field::tiny};
    constexpr std::array reductions{reduction::sum, reduction::avg, reduction::min, reduction::max, reduction::prod};
    constexpr std::array scopes{scope::result, scope::contribution, scope::probable};
    std::size_t turn = 0;
    for (const collective::algorithm& row : collective::algorithms())
        for (const field kind : fields) {
            scenario what = of(row.op, std::string(row.name), 2600);
            what.kind = kind;
            if (!falls_to_size(++turn, 4, size_of(world))) continue;
            what.combine = reductions[turn % reductions.size()];
            const bool reduces = collective::is_reduction(row.op);
            const bool streams = row.what.payload >= collective::payload_kind::homomorphic;
            if (reduces && streams && what.combine == reduction::prod) what.combine = reduction::sum;
            what.which = scopes[turn % scopes.size()];
            what.in_place = turn % 4 == 1;
            what.varying = turn % 3 == 0 && !is_whole(row.op) &&
                           (row.what.schedule != collective::schedule_kind::binomial || row.op == operation::allgather);
            what.limit = turn % 7 == 0 ? bound::rel(1e-4) : bound::abs(1e-3);
            static_cast<void>(audit_of<float>(what));
            if (kind == field::adversarial || kind == field::noise) static_cast<void>(audit_of<double>(what));
            const bool narrow = row.what.codec == codec_id::fle || row.what.codec == codec_id::raw;
            if (kind == field::smooth && narrow) static_cast<void>(audit_of<half>(what));
            if (kind == field::offset && narrow) static_cast<void>(audit_of<bfloat16>(what));
        }
}

void check_few_elements() {
    for (const operation op : {operation::allreduce, operation::reduce, operation::reduce_scatter, operation::allgather,
                               operation::gather, operation::scatter, operation::bcast, operation::alltoall})
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}})
            for (const char* row : {"stock", "auto", "c_coll"})
                for (const bool varying : {false, true}) {
                    scenario what = of(op, row, count);
                    what.varying = varying && !is_whole(op);
                    if (what.varying && (op == operation::gather || op == operation::scatter) &&
                        what.algorithm != "auto")
                        what.algorithm = "pairwise";
                    static_cast<void>(audit_of<float>(what));
                }
}

/// Of p parts those that a rank keeps for itself are exact, and over nodes those that its node keeps.
double moved_share(const scenario& what, const collective::cell& row) {
    const int ranks = size_of(world);
    const int each =
        row.schedule == collective::schedule_kind::hierarchical ? static_cast<int>(what.ranks_per_node) : 1;
    const auto in_node_of = [&](int rank) { return std::min(each, ranks - rank / each * each); };
    if (what.op == operation::gather || what.op == operation::scatter)
        return 1 - static_cast<double>(in_node_of(what.root)) / ranks;
    if (what.op != operation::alltoall) return 1;
    int kept = 0;
    for (int rank = 0; rank < ranks; ++rank) kept += in_node_of(rank);
    return 1 - static_cast<double>(kept) / ranks / ranks;
}

/// Rows whose codec rounds to the nearest multiple of a step, on noise that is spread evenly over every step.
void check_predictions() {
    const int ranks = size_of(world);
    if (ranks == 1) return;
    std::size_t turn = 0;
    for (const collective::algorithm& row : collective::algorithms()) {
        if (!collective::compresses(row.what) || row.what.codec != codec_id::fle) continue;
        if (row.what.schedule == collective::schedule_kind::chosen) continue;
        const bool reduces = collective::is_reduction(row.op);
        for (const reduction combine : {reduction::sum, reduction::avg, reduction::max}) {
            if ((!reduces && combine != reduction::sum) || !falls_to_size(++turn, 3, ranks)) continue;
            scenario what = of(row.op, std::string(row.name), is_whole(row.op) ? 40000 : 12000);
            what.kind = field::noise;
            what.combine = combine;
            const audit_report found = audit_of<float>(what);
            const double moved = moved_share(what, row.what);
            const double share = found.deviation / found.uniform.deviation / std::sqrt(moved);
            const bool one_node = row.what.schedule == collective::schedule_kind::hierarchical && ranks <= 2;
            if (one_node) {
                check(found.uniform.deviation == 0, what.text() + ": predicts errors of data that travel raw");
                continue;
            }
            check(share > 0.9 && share < 1.1, what.text() + ": deviation " + std::to_string(found.deviation) +
                                                  ", predicted " + std::to_string(found.uniform.deviation));
            check(std::fabs(found.mean_error) < 0.05 * found.uniform.deviation, what.text() + ": a biased mean");
            check(found.uniform.inside[2] > 0.99, what.text() + ": more than 1 % beyond 3 deviations");
            check(found.normal.deviation > 0 && found.normal.inside[1] >= 0.6,
                  what.text() + ": within 2 deviations of the normal model: " + std::to_string(found.normal.inside[1]));
            const std::uint64_t counted =
                std::accumulate(found.histogram.begin(), found.histogram.end(), std::uint64_t{0});
            check(counted == found.elements, what.text() + ": a histogram of all elements");
        }
    }
}

/// max_error against a comparison of arrays by other means.
void check_numbers() {
    scenario what = of(operation::bcast, "ring", 30000);
    what.kind = field::noise;
    const audit_report found = audit_of<float>(what);
    laid_out<float> arrays = lay_out<float>(what, rank_in(world), size_of(world));
    const auto done = run(arrays.call, world, options_of(what));
    if (!done.ok()) return check(false, done.error().message());
    const std::vector<float>& sent = kept_field<float>(what.kind, what.root, what.count);
    double mine = 0;
    for (std::size_t i = 0; i < sent.size(); ++i)
        mine = std::max(mine, std::fabs(static_cast<double>(arrays.call.out[i]) - static_cast<double>(sent[i])));
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
    check(found.max_error == all,
          "the audit's largest error is " + std::to_string(found.max_error) + ", not " + std::to_string(all));
    check(size_of(world) == 1 || found.max_error > 0, "noise is not compressed without errors");
}

/// One element is spoilt on one rank between the call and the audit.
template <class T>
void check_doctored(operation op, double by, std::uint64_t expected, reduction combine = reduction::sum,
                    field kind = field::smooth) {
    const int rank = rank_in(world);
    const int ranks = size_of(world);
    scenario what = of(op, "stock", 20000);
    what.combine = combine;
    what.kind = kind;
    laid_out<T> arrays = lay_out<T>(what, rank, ranks);
    const auto channel = collective::usable_channel(world);
    if (!channel) return check(false, channel.error().message());
    collective::exact_comparison<T> comparison;
    check(comparison.prepare(arrays.call, **channel).ok(), "prepare a comparison");
    check(run(arrays.call, world, options_of(what)).ok(), "run what is doctored");
    const bool mine = rank == what.root;
    if (mine) arrays.call.out[17001] += static_cast<T>(by);
    collective::element_promise promise;
    promise.bound = 1e-2;
    promise.rounds = true;
    promise.rounding_unit = std::ldexp(1.0, -std::numeric_limits<T>::digits);
    check(comparison.start(promise, {promise.bound, 0, 0}).ok(), "start a comparison");
    result<bool> over = false;
    while (over.ok() && !*over) over = comparison.test();
    check(over.ok(), over.error().message());
    const std::uint64_t found = comparison.tally().violations;
    check(found == (mine ? expected : 0), std::string(collective::name_of(op)) + " doctored by " + std::to_string(by) +
                                              ": " + std::to_string(found) + " violations");
}

/// The first two sum to infinity in the type, and the last ones would make it good: in rows that add in the type.
void check_parts_of_sums() {
    const int rank = rank_in(world), ranks = size_of(world);
    if (ranks < 4) return;
    const std::vector<half> in(100, half(rank < 2 ? 40000.0F : rank < 4 ? -40000.0F : 1.0F));
    std::vector<half> out(in.size());
    for (const char* row : {"stock", "ring_raw", "rabenseifner_raw", "homcomp_f"}) {
        collective_options options = options_for(row, bound::abs(1));
        options.audit = true;
        const auto done = run(collective_call<half>::allreduce(in, out, reduction::sum), world, options);
        check(done.ok() && done->audit && done->audit->violations == 0,
              std::string("an audit of sums whose parts overflow, ") + row);
    }
}

/// The first two factors have a product that is denormal or infinite, which the third would make good: nobody's fault.
template <class T>
void check_parts_of_products(float first, float third) {
    const int rank = rank_in(world);
    if (size_of(world) < 3) return;
    std::vector<T> in(1000), out(1000);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const float factor = first * (1 + 1e-3F * static_cast<float>(i));
        in[i] = T(rank < 2 ? factor : rank == 2 ? third : 1.0F);
    }
    collective_options options = options_for("recursive_doubling_raw", bound::lossless());
    options.audit = true;
    const auto done = run(collective_call<T>::allreduce(in, out, reduction::prod), world, options);
    check(done.ok() && done->audit && done->audit->violations == 0,
          "an audit of products of " + std::to_string(first) + " and " + std::to_string(third));
}

void check_disagreement() {
    const int ranks = size_of(world);
    if (ranks == 1) return;
    const scenario what = of(operation::allreduce, "fused", 3000);
    laid_out<float> arrays = lay_out<float>(what, rank_in(world), ranks);
    collective_options options = options_of(what);
    options.audit = rank_in(world) == ranks - 1;
    const status outcome = run(arrays.call, world, options).error();
    check(outcome.code() == errc::mismatch &&
              outcome.context().find("audit differs between ranks: off on one, on on") == 0,
          "ranks disagree about auditing: " + outcome.message());
    // A rank that cannot even audit what the others could.
    scenario moved = of(operation::allgather, "ring", 100);
    laid_out<float> few = lay_out<float>(moved, rank_in(world), ranks);
    options = options_of(moved);
    options.audit = true;
    const std::size_t far = std::size_t{1} << 31;
    few.call.in = {few.call.in.data(), far};
    few.call.out = {few.call.out.data(), far * static_cast<std::size_t>(ranks)};
    const status refused = run(few.call, world, options).error();
    check(refused.code() == errc::unsupported && refused.context().find("audit") != std::string::npos,
          "counts beyond an int under audit: " + refused.message());
    static_cast<void>(audit_of<float>(what));
}

/// Started and prepared ones among others that are not audited, ended in another order on every rank.
void check_started() {
    struct pending {
        scenario what;
        laid_out<float> arrays;
        collective_request request;
        bool audited = false;
        collective_report report;
    };
    const int rank = rank_in(world);
    std::vector<pending> all;
    std::size_t turn = 0;
    for (const scenario& what :
         {of(operation::allreduce, "fused", 20000), of(operation::bcast, "binomial", 20000),
          of(operation::reduce, "c_coll", 9000), of(operation::allgather, "ring", 6000),
          of(operation::allreduce, "stock", 5000), of(operation::alltoall, "pairwise", 3000),
          of(operation::reduce_scatter, "homcomp", 4000), of(operation::scatter, "c_coll", 3000)}) {
        pending one{what, lay_out<float>(what, rank, size_of(world)), {}, turn++ % 3 != 1, {}};
        all.push_back(std::move(one));
    }
    const auto options_for = [](const pending& one) {
        collective_options options = options_of(one.what);
        options.audit = one.audited;
        return options;
    };
    for (pending& one : all) {
        auto made = start(one.arrays.call, world, options_for(one));
        check(made.ok(), one.what.text() + ": " + made.error().message());
        if (made.ok()) one.request = std::move(*made);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        pending& one = all[(i * 3 + static_cast<std::size_t>(rank)) % all.size()];
        const auto done = one.request.wait();
        check(done.ok() && done->audit.has_value() == one.audited,
              one.what.text() + " started: " + done.error().message());
        if (done.ok() && done->audit)
            check(done->audit->violations == 0, one.what.text() + " started: beyond its promise");
        if (done.ok()) one.report = *done;
    }
    for (const pending& one : all) check_outcome(one.what, one.arrays, one.report);
    // In place: every start has another input, which the audit of that start must have kept.
    scenario what = of(operation::allreduce, "fused", 9000);
    what.in_place = true;
    laid_out<float> arrays = lay_out<float>(what, rank, size_of(world));
    collective_options options = options_of(what);
    options.audit = true;
    auto ready = prepare(arrays.call, world, options);
    for (int round = 0; ready.ok() && round < 3; ++round) {
        check(ready->start().ok(), "start an audited call again");
        const auto done = ready->wait();
        check(done.ok() && done->audit && done->audit->violations == 0 &&
                  done->audit->elements == 9000 * static_cast<std::uint64_t>(size_of(world)),
              "an audited call that is started again: " + done.error().message());
    }
}

}  // namespace

void audits_tell_the_truth() {
    check_every_row();
    check_few_elements();
    check_predictions();
    check_numbers();
    for (const operation op : {operation::allreduce, operation::reduce, operation::bcast}) {
        check_doctored<float>(op, 0.5, 1);
        check_doctored<double>(op, -0.011, 1);
        check_doctored<double>(op, 0.005, 0);
        check_doctored<double>(op, std::numeric_limits<double>::quiet_NaN(), 1);
    }
    check_doctored<float>(operation::allreduce, 0.5, 1, reduction::prod);
    check_doctored<float>(operation::allreduce, 0.5, 1, reduction::prod, field::zeros);
    check_parts_of_sums();
    check_parts_of_products<half>(1e-3F, 1e3F);
    check_parts_of_products<half>(600, 1e-3F);
    check_parts_of_products<float>(1e30F, 1e-30F);
    check_disagreement();
    check_started();
}

}  // namespace laconic::test
