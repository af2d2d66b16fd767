// SPDX-License-Identifier: BSD-3-Clause
// Round-robin repetitions of all rows, timed by the slowest rank, and the error of each row's last result.
#include "cli/collective_bench_mpi.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "cli/command.hpp"
#include "cli/files.hpp"
#include "collective/elements.hpp"
#include "collective/quantisation.hpp"
#include "collective/stock.hpp"
#include "mpi/datatype.hpp"

namespace laconic::cli {
namespace {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double slowest(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

template <class T>
class bench {
public:
    bench(std::span<const T> field, const collective_bench_settings& settings)
        : field_(field),
          settings_(settings),
          in_(settings.bytes / sizeof(T) * sizeof(T)),
          out_(in_.size()),
          times_(settings.algorithms.size()),
          reports_(settings.algorithms.size()),
          rows_(settings.algorithms.size()) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
        std::size_t at = offset_of(rank_);
        for (T& value : in_.template as<T>()) {
            value = field_[at];
            at = at + 1 == field_.size() ? 0 : at + 1;
        }
        std::memset(out_.bytes().data(), 0, out_.size());
    }

    std::vector<collective_measurement> run() {
        for (unsigned repetition = 0; repetition <= settings_.repetitions; ++repetition)
            for (std::size_t row = 0; row < rows_.size(); ++row) run_once(row, repetition == settings_.repetitions);
        for (std::size_t row = 0; row < rows_.size(); ++row) summarise(row);
        return std::move(rows_);
    }

private:
    [[nodiscard]] std::size_t offset_of(int rank) const noexcept {
        return field_.size() / static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(rank);
    }
    [[nodiscard]] int divisor() const noexcept { return settings_.op == reduction::avg ? ranks_ : 1; }

    void run_once(std::size_t row, bool last) {
        const bool warming_up = times_[row].empty() && !warm_[row];
        // What an earlier row left behind must not pass for this row's result.
        if (last) std::memset(out_.bytes().data(), 0xFF, out_.size());
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        const collective_report report = call(settings_.algorithms[row]);
        const double elapsed = slowest(MPI_Wtime() - start);
        if (warming_up)
            warm_[row] = true;
        else
            add(row, elapsed, report);
        if (last) measure_error(row);
    }

    collective_report call(const std::string& algorithm) {
        const std::span<const T> in = in_.template as<T>();
        const std::span<T> out = out_.template as<T>();
        if (algorithm == "stock") {
            // The very call that a program would make, without laconic's agreement on arguments.
            if (collective::stock_allreduce(in.data(), out.data(), in.size(), mpi::type_of<T>(), MPI_SUM,
                                            MPI_COMM_WORLD) != MPI_SUCCESS)
                fail_data("MPI_Allreduce failed");
            if (divisor() != 1) collective::divide_elements<T>(out.data(), out.size(), static_cast<T>(divisor()));
            collective_report report;
            report.sent_bytes = report.raw_bytes =
                collective::ring_bytes(in.size_bytes(), static_cast<std::uint64_t>(ranks_));
            return report;
        }
        collective_options options = settings_.options;
        options.algorithm = algorithm;
        const auto done = allreduce<T>(in, out, settings_.op, MPI_COMM_WORLD, options);
        if (!done) fail_data(fmt::format("{}: {}", algorithm, done.error().message()));
        return *done;
    }

    void add(std::size_t row, double elapsed, const collective_report& report) {
        times_[row].push_back(elapsed);
        reports_[row] = report;
        collective_measurement& m = rows_[row];
        const double share = 1.0 / settings_.repetitions;
        m.compress_s += share * report.compress_s;
        m.combine_s += share * report.combine_s;
        m.decompress_s += share * report.decompress_s;
        m.wait_s += share * report.wait_s;
    }

    /// Every rank checks its part of the result; it can make every other rank's values itself.
    void measure_error(std::size_t row) {
        const std::span<const T> out = out_.template as<T>();
        const auto part = static_cast<std::size_t>(rank_);
        const auto parts = static_cast<std::size_t>(ranks_);
        long double largest = 0;
        double magnitude = 0;
        for (std::size_t i = out.size() * part / parts; i < out.size() * (part + 1) / parts; ++i) {
            long double exact = 0;
            for (int rank = 0; rank < ranks_; ++rank) exact += field_[(offset_of(rank) + i) % field_.size()];
            exact /= divisor();
            if (!std::isfinite(exact)) continue;
            magnitude = std::max(magnitude, std::fabs(static_cast<double>(exact)));
            // Not finite where the exact sum is: counts as an infinite error.
            const long double error = std::fabs(static_cast<long double>(out[i]) - exact);
            largest = std::isnan(error) ? HUGE_VALL : std::max(largest, error);
        }
        collective_measurement& m = rows_[row];
        m.max_error = slowest(static_cast<double>(largest));
        magnitude = slowest(magnitude);
        m.bound = guaranteed(row) + half_ulp(magnitude);
        m.same_bits = have_same_bits(out_.bytes());
    }

    /// What stands beside the final rounding.
    [[nodiscard]] double guaranteed(std::size_t row) const {
        const std::string& name = settings_.algorithms[row];
        if (name != "stock" && name != "ring_raw") return reports_[row].result_bound;
        const value_range<T> range = range_of(field_);
        return collective::rounding_of_sums<T>(static_cast<std::uint32_t>(ranks_), static_cast<double>(range.max_abs)) /
               divisor();
    }
    [[nodiscard]] static double half_ulp(double magnitude) {
        const T value = static_cast<T>(magnitude);
        return (static_cast<double>(std::nextafter(value, std::numeric_limits<T>::infinity())) -
                static_cast<double>(value)) /
               2;
    }
    [[nodiscard]] static bool have_same_bits(std::span<const std::byte> bytes) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i + sizeof sum <= bytes.size(); i += sizeof sum) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + i, sizeof word);
            sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
            sum ^= sum >> 29;
        }
        const std::array<std::uint64_t, 2> mine{sum, ~sum};
        std::array<std::uint64_t, 2> most{};
        MPI_Allreduce(mine.data(), most.data(), 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
        return most[0] == ~most[1];
    }

    void summarise(std::size_t row) {
        collective_measurement& m = rows_[row];
        m.algorithm = settings_.algorithms[row];
        m.median_s = median(times_[row]);
        m.min_s = *std::min_element(times_[row].begin(), times_[row].end());
        m.workspace_bytes = reports_[row].workspace_bytes;
        const auto stock = std::find(settings_.algorithms.begin(), settings_.algorithms.end(), "stock");
        if (stock != settings_.algorithms.end()) {
            const auto& base = times_[static_cast<std::size_t>(stock - settings_.algorithms.begin())];
            std::vector<double> ratios;
            for (std::size_t i = 0; i < base.size(); ++i) ratios.push_back(base[i] / times_[row][i]);
            m.speedup_vs_stock = median(ratios);
        }
        const std::array<std::uint64_t, 2> mine{reports_[row].sent_bytes, reports_[row].raw_bytes};
        std::array<std::uint64_t, 2> sums{};
        MPI_Allreduce(mine.data(), sums.data(), 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&mine[0], &m.sent_bytes, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
        if (sums[0] > 0) m.ratio = static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
    }

    std::span<const T> field_;
    const collective_bench_settings& settings_;
    buffer in_, out_;
    std::vector<std::vector<double>> times_;
    std::vector<collective_report> reports_;
    std::vector<collective_measurement> rows_;
    std::vector<bool> warm_ = std::vector<bool>(rows_.size(), false);
    int rank_ = 0;
    int ranks_ = 1;
};

}  // namespace

template <class T>
std::vector<collective_measurement> measure_collective(std::span<const T> field,
                                                       const collective_bench_settings& settings) {
    return bench<T>(field, settings).run();
}

template std::vector<collective_measurement> measure_collective(std::span<const float>,
                                                                const collective_bench_settings&);
template std::vector<collective_measurement> measure_collective(std::span<const double>,
                                                                const collective_bench_settings&);

}  // namespace laconic::cli
