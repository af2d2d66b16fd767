// SPDX-License-Identifier: BSD-3-Clause
// What a look at a few values says of a call's ratio, against what the call then sends, whatever the ranks' ranges; and
// what one rank's values that do not shrink, or are no numbers, change.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "auto_probe.hpp"
#include "cases.hpp"
#include "codec/fle.hpp"
#include "collective/registry.hpp"
#include "collective/sample.hpp"
#include "fields.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

using collective::sample_of;
using collective::value_sample;

const MPI_Comm world = MPI_COMM_WORLD;
enum class field_of_last { smooth, constant, nan, mostly_nan };

collective::agreed_sample agreed(const value_sample& mine, bound limit) {
    std::vector<value_sample> all(static_cast<std::size_t>(size_of(world)));
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, world);
    return collective::joined(all, limit, 1);
}

/// Bytes before and after, over all ranks.
template <class T>
double sent_ratio(const std::vector<T>& in, bound limit, const std::string& what) {
    const int ranks = size_of(world);
    std::vector<T> out(in.size() * static_cast<std::size_t>(ranks));
    const auto done =
        run(collective_call<T>::allgather(std::span<const T>(in), out), world, options_for("ring", limit));
    check(done.ok(), what + ": " + done.error().message());
    if (!done.ok()) return 1;
    std::array<std::uint64_t, 2> sums{done->raw_bytes, done->sent_bytes};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_UINT64_T, MPI_SUM, world);
    return static_cast<double>(sums[0]) / static_cast<double>(sums[1]);
}

/// Ranks whose ranges differ by a factor from one to the next: the bound is that of the widest.
template <class T>
void check_ratio(field kind, std::size_t count, double factor, bound limit) {
    std::vector<T> in = kept_field<T>(kind, rank_in(world), count);
    for (T& value : in) value *= static_cast<T>(std::pow(factor, rank_in(world)));
    const std::string what = std::string(name_of(kind)) + ", " + std::to_string(count) +
                             " values, ranges that grow by " + std::to_string(factor) + ", bound " +
                             std::to_string(limit.value);
    const double sent = sent_ratio(in, limit, what);
    const auto whole = collective::finite_range_of(range_of(std::span<const T>(in)), in.size());
    for (const collective::finite_range* known : {static_cast<const collective::finite_range*>(nullptr), &whole}) {
        const auto ratio =
            collective::ratios_of(agreed(sample_of<T>(std::span<const T>(in), limit, 1, known), limit), sizeof(T));
        // Of what hardly takes a bit any more the ratio is not known that well, nor does it matter.
        const double share = 1 / ratio.usual, sent_share = 1 / sent;
        check(std::fabs(share - sent_share) < 0.2 * sent_share + 0.03,
              what + ": " + std::to_string(ratio.usual) + " by the sample, " + std::to_string(sent) + " sent");
        check(ratio.worst <= ratio.usual && ratio.worst >= 1,
              what + ": " + std::to_string(ratio.worst) + " of the worst rank");
    }
}

/// Where there is nothing to look at, or nothing to lose.
void no_sample() {
    const auto bits_of = [](const std::vector<double>& values, bound limit) {
        return sample_of<double>(std::span<const double>(values), limit, 1).bits;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    check(bits_of({}, bound::abs(1)) == 0, "a sample of nothing");
    check(bits_of({1, 2}, bound::lossless()) == 0, "a sample without a bound");
    check(bits_of({5, 5, 5}, bound::rel(0.1)) == 0, "a sample of a constant, relative");
    for (const bound limit : {bound::rel(0.1), bound::abs(0.1)}) {
        const std::vector<double> missing(5000, nan);
        const value_sample seen = sample_of<double>(std::span<const double>(missing), limit, 1);
        const value_sample other{{true, 0, 1, 1}, 5, 0.1};
        check(collective::joined(std::array{other, seen}, limit, 1).any, "a sample of NaN");
        check(collective::ratios_of(collective::joined(std::array{other, seen}, limit, 1), 8).worst < 1.01,
              "NaN shrink in a sample");
    }
    const double constant = bits_of(std::vector<double>(100000, 3.7), bound::abs(0.1));
    check(constant > 0 && constant < 0.5, "a sample of a constant: " + std::to_string(constant) + " bits");
    check(collective::ratio_of({}, 4) == 1 && collective::ratios_of({}, 4).usual == 1, "the ratio of no sample");
    const auto noise = kept_field<double>(field::noise, 0, 100000);
    const auto kept = collective::ratio_of(sample_of<double>(std::span<const double>(noise), bound::abs(1e-300), 1), 8);
    check(kept >= 1 && kept < 1.01, "the ratio of noise: " + std::to_string(kept));
    // Seen within a bound far below that of all ranks, a value takes next to nothing, but not less.
    const auto fewest = collective::ratios_of({-40, -35, 8, true}, 4);
    check(fewest.usual < 300 && fewest.usual > 100, "the largest ratio: " + std::to_string(fewest.usual));
}

/// `auto` between ranks where compression pays, on a communicator of its own.
struct slow_auto {
    explicit slow_auto(bound limit) : options(options_for("auto", limit)) {
        MPI_Comm_dup(world, &comm);
        options.machine = slow_machine();
        options.ranks_per_node = 1;
    }
    ~slow_auto() { MPI_Comm_free(&comm); }
    slow_auto(const slow_auto&) = delete;
    slow_auto& operator=(const slow_auto&) = delete;

    /// Whether it takes a row that compresses for the sum.
    bool compresses(const std::vector<double>& in, const std::string& what) const {
        collective_report report;
        reduce(in, reduction::sum, comm, options, what, &report);
        const auto row = collective::find_cell(operation::allreduce, report.algorithm);
        return row.ok() && collective::compresses(*row);
    }

    collective_options options;
    MPI_Comm comm = MPI_COMM_NULL;
};

/// On one rank alone nothing can be saved: sums would take ten times as long there.
void one_rank_of_noise() {
    const slow_auto network(bound::abs(1e-3));
    const auto row_of = [&](bool noisy, const std::string& what) {
        std::vector<double> in = kept_field<double>(noisy ? field::noise : field::smooth, rank_in(world), 200000);
        if (noisy)
            for (double& value : in) value *= 1e14;
        return network.compresses(in, what);
    };
    const bool last = rank_in(world) == size_of(world) - 1;
    check(!row_of(last, "noise on one rank"), "noise on one rank is compressed");
    check(row_of(false, "smooth values") || row_of(false, "smooth values again"), "smooth values are not compressed");
    check(!row_of(last, "noise on one rank again"), "noise on one rank is compressed after other values");
}

/// Alike in the middle, so that an earlier decision might stand, but on one rank nothing can be saved any more.
void one_rank_turns_to_noise() {
    const slow_auto network(bound::abs(1e-3));
    std::minstd_rand random(static_cast<unsigned>(rank_in(world)) + 1);
    std::vector<double> in(200000);
    // 46 of 64 bits.
    for (double& value : in) value = 0x1p36 * (static_cast<double>(random()) / std::minstd_rand::max() - 0.5);
    for (int i = 0; i < 3; ++i) check(network.compresses(in, "46 bits"), "values of 46 bits are not compressed");
    if (rank_in(world) == 0)
        for (double& value : in) value *= 1e14;
    check(!network.compresses(in, "noise on one rank"), "noise on one rank is compressed since other values were");
}

/// A relative bound is that of the values of all ranks in every call, whoever decides what, and whatever some ranks
/// have: values far from 0, and on the last rank others of the kind.
void relative_bounds_of_auto(field_of_last last) {
    const int ranks = size_of(world);
    const slow_auto network(bound::rel(1e-3));
    std::vector<double> in = kept_field<double>(field::smooth, rank_in(world), 100000);
    for (double& value : in) value = 1000 + std::clamp(value, -1.0, 1.0);
    const auto is_missing = [&](std::size_t i) {
        return last == field_of_last::nan || (last == field_of_last::mostly_nan && i % 4096 != 9);
    };
    for (std::size_t i = 0; i < in.size() && rank_in(world) == ranks - 1; ++i) {
        if (last == field_of_last::constant) in[i] = 1001;
        if (is_missing(i)) in[i] = std::numeric_limits<double>::quiet_NaN();
    }
    std::vector<double> all(in.size() * static_cast<std::size_t>(ranks)), out(all.size());
    PMPI_Allgather(in.data(), static_cast<int>(in.size()), MPI_DOUBLE, all.data(), static_cast<int>(in.size()),
                   MPI_DOUBLE, world);
    const value_range<double> range = range_of(std::span<const double>(all));
    const double limit = 1e-3 * (range.max - range.min);
    const std::string what = "a relative bound, last rank " + std::to_string(static_cast<int>(last));
    for (int i = 0; i < 6; ++i) {
        const auto done =
            run(collective_call<double>::allgather(std::span<const double>(in), out), network.comm, network.options);
        check(done.ok(), what + ": " + done.error().message());
        if (!done.ok()) break;
        const auto row = collective::find_cell(operation::allgather, done->algorithm);
        const bool shrinks = last == field_of_last::smooth || last == field_of_last::constant;
        check(row.ok() && (collective::compresses(*row) || !shrinks), what + ": ran " + done->algorithm);
        check(done->result_bound <= limit, what + ": says " + std::to_string(done->result_bound));
        const auto is_within = [&](double a, double b) {
            return std::isnan(a) ? std::isnan(b) : std::fabs(a - b) <= limit;
        };
        check(std::equal(all.begin(), all.end(), out.begin(), is_within),
              what + ", call " + std::to_string(i) + " by " + done->algorithm + ": beyond it");
    }
}

}  // namespace

void samples_tell_ratios() {
    no_sample();
    if (size_of(world) < 2) return;
    for (const std::size_t count : {std::size_t{3000}, std::size_t{70000}, std::size_t{400000}})
        for (const double factor : {1.0, 1.5})
            for (const field kind : {field::smooth, field::noise, field::offset}) {
                check_ratio<float>(kind, count, factor, bound::rel(1e-3));
                check_ratio<double>(kind, count, factor, bound::rel(1e-4));
                check_ratio<float>(kind, count, factor, bound::abs(1e-2));
            }
    one_rank_of_noise();
    one_rank_turns_to_noise();
    for (const auto last :
         {field_of_last::smooth, field_of_last::constant, field_of_last::nan, field_of_last::mostly_nan})
        relative_bounds_of_auto(last);
}

}  // namespace laconic::test
