// SPDX-License-Identifier: BSD-3-Clause
// Sums that are rounded on the way: what they leave of the bound, and that `auto` keeps the bound all the same.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "codec/element.hpp"
#include "collective/call_plan.hpp"
#include "collective/select.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

using namespace collective;

/// Nodes of two ranks that hold values from 0 to 1: what their roundings take of a bound of 1e-3 is little, however
/// many nodes there are.
void check_room(reduction combine, scope which) {
    for (const int ranks : {4, 64, 128, 256, 512, 1024}) {
        planned_call call;
        call.combine = combine;
        call.limit = bound::abs(1e-3);
        call.bound_scope = which;
        call.ranks = ranks;
        call.what = *find_cell(operation::allreduce, "fused");
        const value_span values{true, 0, 1, 1};
        const auto straight = plan_call<float>(call, values);
        call.what = *find_cell(operation::allreduce, "argm");
        call.nodes = ranks / 2;
        call.largest_node = 2;
        const auto levels = plan_call<float>(call, values);
        const std::string text = std::to_string(ranks) + " ranks";
        const bool adds_up = combine == reduction::sum && which == scope::contribution;
        check(levels.result_bound <= (adds_up ? ranks : 1) * 1e-3, text + ": argm leaves the bound");
        check(levels.how.step >= straight.how.step, text + ": argm has smaller steps than the ring");
        check(leaves_bound<float>(call, values), text + ": roundings take more than half of the bound");
    }
}

/// The bound that `auto` compresses its samples within, and that it takes sums of nodes to have, is the one that runs.
void check_sampled(reduction combine, scope which, int ranks) {
    constexpr double e = 1e-3;
    collective_options options;
    options.bound_scope = which;
    options.confidence = 0.99;
    planned_call call;
    call.combine = combine;
    call.limit = bound::abs(e);
    call.bound_scope = which;
    call.confidence = options.confidence;
    call.ranks = ranks;
    const value_span values{true, 0, 1, 1};
    const auto expect = [&](double used, double sampled, const std::string& row) {
        check(used <= sampled * (1 + 1e-9) && used > 0.95 * sampled,
              row + " over " + std::to_string(ranks) + " ranks, scope " + std::to_string(static_cast<int>(which)) +
                  ": contributions have " + std::to_string(used / e) + " of the bound, samples " +
                  std::to_string(sampled / e));
    };
    const double share = share_of_bound(operation::allreduce, combine, options, ranks) * e;
    call.what = *find_cell(operation::allreduce, "fused");
    expect(plan_call<double>(call, values).contribution_bound, share, "fused");
    call.what = *find_cell(operation::allreduce, "argm");
    call.nodes = ranks / 2;
    call.largest_node = 2;
    const double coarser = node_step_of(operation::allreduce, combine, options, ranks, call.nodes);
    expect(plan_call<double>(call, values).contribution_bound, share * coarser, "argm");
}

/// Against tables.
void check_quantiles() {
    check(std::fabs(normal_quantile(0.5) - 0.6744897501960817) < 1e-12, "half of a normal distribution");
    check(std::fabs(normal_quantile(0.9973002039367398) - 3) < 1e-9, "three deviations");
    check(std::fabs(normal_quantile(0.9999999980268246) - 6) < 1e-5, "six deviations");
    check(normal_quantile(1 - 0x1p-53) > 8 && normal_quantile(1 - 0x1p-53) < 9.01, "nearly all of it");
    check(normal_quantile(1e-300) >= 0 && normal_quantile(1e-300) < 1e-6, "next to nothing of it");
}

/// Against drawings and closed forms.
void check_uniform_sums() {
    const auto close = [](double found, double want, double by, const std::string& what) {
        check(std::fabs(found - want) < by, what + ": " + std::to_string(found) + ", not " + std::to_string(want));
    };
    for (const double confidence : {1e-3, 0.3, 0.6827, 0.9544, 0.999999}) {
        const std::string text = " uniform errors within " + std::to_string(confidence);
        close(uniform_sum_quantile(confidence, 1), confidence, 1e-12, "one" + text);
        close(uniform_sum_quantile(confidence, 2), 2 - 2 * std::sqrt(1 - confidence), 1e-9, "two" + text);
        double last = 0;
        for (std::uint32_t n = 1; n <= 64; ++n) {
            const double found = uniform_sum_quantile(confidence, n);
            check(found <= n && found > 0, std::to_string(n) + text + ": " + std::to_string(found));
            // Of the beginning of the approximation, too.
            check(n < 3 || (found > last && found < last * (n / (n - 1.0)) * 1.001),
                  std::to_string(n) + text + ": a jump from " + std::to_string(last) + " to " + std::to_string(found));
            last = found;
        }
    }
    for (const double confidence : {1e-300, 1 - 0x1p-53})
        for (std::uint32_t n = 1; n <= 64; ++n) {
            const double found = uniform_sum_quantile(confidence, n);
            check(found >= confidence && found <= n, std::to_string(n) + " at the end: " + std::to_string(found));
        }
    // Drawn: 200 000 sums, whose share has a deviation of 0.1 %.
    std::mt19937_64 random(7);
    for (const std::uint32_t n : {2U, 3U, 5U, 17U, 24U})
        for (const double confidence : {0.5, 0.8, 0.9544}) {
            const double within = uniform_sum_quantile(confidence, n);
            int inside = 0;
            for (int draw = 0; draw < 200000; ++draw) {
                double sum = 0;
                for (std::uint32_t i = 0; i < n; ++i) sum += 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1;
                inside += std::fabs(sum) <= within ? 1 : 0;
            }
            close(inside / 200000.0, confidence, 0.005, "drawn sums of " + std::to_string(n));
        }
}

/// Three halfs around a ring, compressed at every hop: 217, 339.5 and 198.25 make 756.5 of 754.75, as each of the
/// partial results is rounded to half.
void check_narrow_hops() {
    planned_call call;
    call.ranks = call.nodes = 3;
    call.limit = bound::abs(2.0825);
    call.what = *find_cell(operation::allreduce, "cpr_p2p:fle");
    const double told = plan_call<half>(call, {true, -340, 340, 340}).result_bound;
    check(told + 0.25 >= 1.75 && told <= 2.0825, "halfs at every hop: the report says " + std::to_string(told));
}

/// Sums that leave the type on the way, though the result would not, say so; those that do not are not called so.
void check_overflows() {
    planned_call call;
    call.combine = reduction::avg;
    const auto is_bounded = [&]<class T>(T, const char* row, int ranks, int nodes, double value, double limit) {
        call.ranks = ranks;
        call.nodes = nodes;
        call.largest_node = ranks / nodes;
        call.limit = bound::abs(limit);
        call.what = *find_cell(operation::allreduce, row);
        const value_span all{true, -value, value, value};
        const bool bounded = std::isfinite(plan_call<T>(call, all).result_bound);
        // `auto` takes no row that adds in T and may overflow, others whatever their sums.
        if (adds_values(call.op, call.what))
            check(leaves_bound<T>(call, all) <= bounded, std::string(row) + ": auto takes what may overflow");
        else
            check(leaves_bound<T>(call, all), std::string(row) + ": auto does not take it");
        return bounded;
    };
    // Quantised, 2 x 32752 is more than 65504, the largest half.
    check(!is_bounded(half{}, "cpr_p2p:fle", 2, 2, 32752, 150), "an average that overflows with its errors");
    check(!is_bounded(half{}, "argm", 4, 2, 16376, 50), "an average over nodes that overflows with its errors");
    check(is_bounded(half{}, "argm", 4, 2, 15000, 50), "an average over nodes that has room");
    check(is_bounded(half{}, "cpr_p2p:fle", 2, 2, 30000, 150), "an average that has room");
    check(is_bounded(half{}, "homcomp_f", 8, 8, 60000, 1), "an average of integers");
    check(!is_bounded(double{}, "homcomp_f", 2, 2, 1.5e308, 1e-3), "pairs of doubles that overflow");
    check(is_bounded(double{}, "homcomp_f", 2, 2, 0.8e308, 1e-3), "pairs of doubles that have room");
    check(is_bounded(float{}, "homcomp_f", 8, 8, 3e38, 1e-3), "floats that are added in double");
    check(is_bounded(float{}, "cpr_p2p:fle", 8, 8, 1, 1e39), "a bound beyond the type");
}

/// What may be off by more than the bound, or overflows, says so.
void check_limits() {
    planned_call call;
    call.limit = bound::abs(1e-3);
    call.ranks = 8;
    call.nodes = 2;
    call.largest_node = 4;
    call.what = *find_cell(operation::allreduce, "argm");
    const value_span large{true, -1000, 1000, 1000};
    // Six additions of numbers up to 4000, whose half ulp is 2^-13 in float.
    check(plan_call<double>(call, large).result_bound <= 1e-3 && leaves_bound<double>(call, large), "argm in double");
    check(!leaves_bound<float>(call, large), "argm in float leaves much of the bound");
    call.limit = bound::abs(1e-4);
    const double reported = plan_call<float>(call, large).result_bound;
    check(reported > 1e-4 && reported >= 6 * std::ldexp(1.0, -13), "argm says how far off it may be");
    // Of uneven nodes the largest one counts: five ranks, then two.
    call.ranks = 7;
    call.largest_node = 5;
    call.limit = bound::abs(1e-2);
    const value_span values{true, -300, 300, 300};
    const double roundings = 5 * std::ldexp(1.0, -14);  // of numbers up to 1500
    for (const scope which : {scope::result, scope::probable}) {
        call.bound_scope = which;
        const auto plan = plan_call<float>(call, values);
        check(plan.result_bound >= roundings && leaves_bound<float>(call, values), "roundings of uneven nodes");
        check(which == scope::probable || plan.result_bound <= 1e-2, "uneven nodes leave the bound");
    }
    call.bound_scope = scope::result;
    call.ranks = 8;
    call.largest_node = 4;
    call.limit = bound::abs(1e9);
    const value_span huge{true, -30000, 30000, 30000};
    check(std::isinf(plan_call<half>(call, huge).result_bound) && !leaves_bound<half>(call, huge), "sums overflow");
    call.what = *find_cell(operation::allreduce, "cpr_p2p");
    check(!leaves_bound<half>(call, huge), "partial sums overflow");
    call.limit = bound::abs(1e-3);
    check(!leaves_bound<float>(call, large) && leaves_bound<double>(call, large), "partial sums are rounded");
    call.what = *find_cell(operation::allreduce, "fused");
    check(leaves_bound<float>(call, large), "sums of integers are rounded");
    call.combine = reduction::max;
    call.what = *find_cell(operation::allreduce, "argm");
    check(leaves_bound<float>(call, large), "maxima are rounded");
}

/// Values near `base` but for one, which is `peak`; two ranks on a node.
/// fits   argm keeps the bound
template <class T>
void check_auto(MPI_Comm comm, double base, double peak, double limit, bool fits, const std::string& machine,
                const std::string& text) {
    constexpr std::size_t count = 100000;
    const int ranks = size_of(MPI_COMM_WORLD);
    const auto value = [&](std::size_t i, int rank) {
        const double at = static_cast<double>(i);
        // No sample has the last element.
        return T(static_cast<float>(i + 1 == count ? peak : base + 0.3 * std::sin(at * 1e-4 + rank * 0.05)));
    };
    std::vector<T> in(count), out(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = value(i, rank_in(MPI_COMM_WORLD));
    const auto sampled = sample_of<T>(std::span<const T>(in), bound::abs(limit), 1.0 / ranks, nullptr);
    check(peak <= base + 0.3 || sampled.max_abs < peak, text + ": the sample has the last element");
    collective_options options = options_for("auto", bound::abs(limit));
    options.machine = machine;
    options.ranks_per_node = 2;
    for (int call = 0; call < 3; ++call) {
        const auto done = allreduce<T>(in, out, reduction::sum, comm, options);
        check(done.ok(), text + ": " + done.error().message());
        if (!done.ok()) break;
        check(done->result_bound <= limit, text + ", " + done->algorithm + ": beyond the bound");
        check((done->algorithm == "argm") == fits, text + " ran " + done->algorithm);
        const auto row = find_cell(operation::allreduce, done->algorithm);
        check(row.ok() && compresses(*row), text + " ran " + done->algorithm + ", which does not compress");
        bool holds = true;
        for (std::size_t i = 0; i < count; ++i) {
            double sum = 0;
            for (int rank = 0; rank < ranks; ++rank) sum += static_cast<double>(static_cast<float>(value(i, rank)));
            const double half_ulp = std::ldexp(std::fabs(sum), -codec::element_limits<T>::digits);
            holds = holds && std::fabs(static_cast<double>(static_cast<float>(out[i])) - sum) <= limit + half_ulp;
        }
        check(holds, text + ", " + done->algorithm + ": an element is beyond the bound");
    }
}

}  // namespace

void roundings_are_reckoned_with() {
    for (const reduction combine : {reduction::sum, reduction::avg})
        for (const scope which : {scope::result, scope::contribution}) check_room(combine, which);
    check_limits();
    check_overflows();
    check_narrow_hops();
    check_quantiles();
    check_uniform_sums();
    for (const reduction combine : {reduction::sum, reduction::avg, reduction::max})
        for (const scope which : {scope::result, scope::contribution, scope::probable})
            for (const int ranks : {2, 8, 64}) check_sampled(combine, which, ranks);
    for (std::size_t op = 0; op < operation_count; ++op)
        check(candidates(static_cast<operation>(op), false, false).size() <= most_candidates, "too many candidates");
}

void auto_keeps_the_bound() {
    // Where nodes are of one size `auto` takes argm, if it may.
    if (size_of(MPI_COMM_WORLD) < 4 || size_of(MPI_COMM_WORLD) % 2 != 0) return;
    const std::string machine = slow_machine();
    MPI_Comm comm = MPI_COMM_NULL, fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    check_auto<float>(comm, 1, 1, 1e-3, true, machine, "floats");
    check_auto<half>(comm, 0.1, 0.1, 8e-3, true, machine, "halves that add up to little");
    check_auto<half>(comm, 0.1, 8, 8e-3, false, machine, "halves like those before, but for one");
    check_auto<half>(fresh, 0.1, 8, 8e-3, false, machine, "halves, one of which is large");
    check_auto<half>(comm, 5, 5, 8e-3, false, machine, "halves that add up to much");
    check_auto<bfloat16>(comm, 5, 5, 5e-2, false, machine, "bfloat16");
    MPI_Comm_free(&fresh);
    MPI_Comm_free(&comm);
}

}  // namespace laconic::test
