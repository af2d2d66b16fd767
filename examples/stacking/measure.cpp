// SPDX-License-Identifier: BSD-3-Clause
// Timed runs of MPI_Allreduce and laconic::allreduce on the same contributions, in turn so that a disturbance of the
// machine hits all of them alike: contributions flow in, medians and errors against an exact sum flow out.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "agreement.hpp"
#include "judge.hpp"

namespace stacking {
namespace {

using laconic::result;
using laconic::status;

template <class T>
constexpr bool is_float = std::is_same_v<T, float>;

template <class T>
MPI_Datatype mpi_type() {
    if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
    if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
    return MPI_LONG_DOUBLE;
}

int size_of_comm(MPI_Comm comm) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

laconic::collective_options options_for(const settings& wanted, const std::string& algorithm) {
    laconic::collective_options options;
    options.limit = wanted.limit;
    options.bound_scope = wanted.scope;
    options.confidence = wanted.confidence;
    options.algorithm = algorithm;
    options.segment_bytes = wanted.segment_bytes;
    options.machine = wanted.machine;
    return options;
}

template <class T>
result<laconic::collective_report> run_once(const settings& wanted, const std::string& algorithm,
                                            const std::vector<T>& in, std::vector<T>& out, MPI_Comm comm) {
    if (algorithm != "MPI_Allreduce") {
        return laconic::allreduce<T>(std::span(in), std::span(out), wanted.operation, comm,
                                     options_for(wanted, algorithm));
    }
    const double ranks = size_of_comm(comm);
    MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), mpi_type<T>(), MPI_SUM, comm);
    if (wanted.operation == laconic::reduction::avg) {
        for (T& value : out) value /= static_cast<T>(ranks);
    }
    laconic::collective_report report;
    report.algorithm = algorithm;
    report.raw_bytes = static_cast<std::uint64_t>(2 * (ranks - 1) / ranks * static_cast<double>(in.size() * sizeof(T)));
    report.sent_bytes = report.raw_bytes;
    return report;
}

// The sum on rank 0, in pieces so that the wide copies stay small.
template <class T>
std::vector<exact_type<T>> exact_stack(const settings& wanted, const std::vector<T>& mine, MPI_Comm comm) {
    constexpr std::size_t piece = 1 << 18;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<exact_type<T>> wide, sum(rank == 0 ? mine.size() : 0);
    for (std::size_t first = 0; first < mine.size(); first += piece) {
        const std::size_t count = std::min(piece, mine.size() - first);
        wide.assign(mine.begin() + static_cast<std::ptrdiff_t>(first),
                    mine.begin() + static_cast<std::ptrdiff_t>(first + count));
        MPI_Reduce(wide.data(), rank == 0 ? &sum[first] : nullptr, static_cast<int>(count), mpi_type<exact_type<T>>(),
                   MPI_SUM, 0, comm);
    }
    if (wanted.operation == laconic::reduction::avg) {
        for (auto& value : sum) value /= static_cast<exact_type<T>>(size_of_comm(comm));
    }
    return sum;
}

template <class T>
bool same_on_all_ranks(const std::vector<T>& values, MPI_Comm comm) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const T value : values) {
        std::conditional_t<is_float<T>, std::uint32_t, std::uint64_t> bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3U;
    }
    std::uint64_t extremes[2] = {hash, ~hash};
    MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, comm);
    return extremes[0] == ~extremes[1];
}

template <class Wide>
double range_of(const std::vector<Wide>& values) {
    Wide low = std::numeric_limits<Wide>::infinity(), high = -low;
    for (const Wide value : values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value), high = std::max(high, value);
    }
    return high > low ? static_cast<double>(high - low) : 0;
}

// As many as `laconic bench collective` takes. Connections and buffers are there after the first; in the third segments
// of what compresses well grow, and what MPI allocates keeps its pages; `auto` asks, and then tries up to three rows
// twice each.
std::size_t warm_ups_of(const std::string& algorithm) { return algorithm == "auto" ? 7 : 3; }

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const std::size_t half = samples.size() / 2;
    return samples.size() % 2 != 0 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

void fill_traffic(const laconic::collective_report& report, MPI_Comm comm, table_row& row) {
    const std::uint64_t mine[2] = {report.sent_bytes, report.raw_bytes};
    std::uint64_t most = 0, total[2] = {0, 0};
    MPI_Allreduce(mine, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
    MPI_Allreduce(mine, total, 2, MPI_UINT64_T, MPI_SUM, comm);
    row.sent_bytes = most;
    row.ratio = total[0] == 0 ? 1 : static_cast<double>(total[1]) / static_cast<double>(total[0]);
    row.bound = report.result_bound;
}

}  // namespace

status try_algorithms(const settings& wanted, MPI_Comm comm) {
    const std::vector<float> few(64, 1.0F);
    std::vector<float> out(few.size());
    for (const std::string& algorithm : wanted.algorithms) {
        if (const auto report = run_once(wanted, algorithm, few, out, comm); !report) return report.error();
    }
    return {};
}

template <class T>
result<measurement> measure(const settings& wanted, const std::vector<T>& mine, MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    measurement found;
    const std::vector<exact_type<T>> exact = exact_stack(wanted, mine, comm);
    found.range = range_of(exact);
    found.rows.emplace_back().algorithm = "MPI_Allreduce";
    for (const std::string& name : wanted.algorithms) found.rows.emplace_back().algorithm = name;

    std::vector<T> stack(mine.size());
    std::vector<std::vector<double>> seconds(found.rows.size());
    const auto time_once = [&](const std::string& algorithm, double& slowest) -> result<laconic::collective_report> {
        MPI_Barrier(comm);
        const double start = MPI_Wtime();
        auto report = run_once(wanted, algorithm, mine, stack, comm);
        const double own = MPI_Wtime() - start;
        if (const status all = agreed(report.error(), comm); !all.ok()) return all;
        MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
        return report;
    };
    double slowest = 0;
    for (table_row& row : found.rows) {
        for (std::size_t i = 0; i < warm_ups_of(row.algorithm); ++i) {
            if (const auto report = time_once(row.algorithm, slowest); !report) return report.error();
            row.warm_up_s.push_back(slowest);
        }
    }
    for (std::size_t round = 1; round <= wanted.repetitions; ++round) {
        for (std::size_t i = 0; i < found.rows.size(); ++i) {
            table_row& row = found.rows[i];
            const auto report = time_once(row.algorithm, slowest);
            if (!report) return report.error();
            seconds[i].push_back(slowest);
            // What `auto` has settled on is judged.
            if (round < wanted.repetitions) continue;
            row.ran = report->algorithm;
            fill_traffic(*report, comm, row);
            row.same_on_all_ranks = same_on_all_ranks(stack, comm);
            if (rank == 0) {
                const verdict error = judge<T>(exact, stack, found.range, row.bound);
                row.max_error = error.max, row.psnr = error.psnr, row.nrmse = error.nrmse;
                // MPI_Allreduce promises nothing.
                row.violations = i == 0 ? 0 : error.violations;
            }
            if (rank == 0) found.compressed.assign(stack.begin(), stack.end());
        }
    }
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
        found.rows[i].seconds = median(seconds[i]);
        found.rows[i].speed_up = found.rows[0].seconds / found.rows[i].seconds;
    }
    found.exact.assign(exact.begin(), exact.end());
    return found;
}

template result<measurement> measure(const settings&, const std::vector<float>&, MPI_Comm);
template result<measurement> measure(const settings&, const std::vector<double>&, MPI_Comm);

}  // namespace stacking
