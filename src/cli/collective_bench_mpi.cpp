// SPDX-License-Identifier: BSD-3-Clause
// Round-robin repetitions of all rows, timed by the slowest rank, and the error of each row's last result.
#include "cli/collective_bench_mpi.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "cli/collective_arguments_mpi.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/forced_stock_mpi.hpp"
#include "cli/row_times.hpp"
#include "codec/element.hpp"
#include "collective/call_plan.hpp"
#include "collective/elements.hpp"
#include "collective/execution.hpp"
#include "collective/geometry.hpp"
#include "collective/hierarchy.hpp"
#include "collective/quantisation.hpp"
#include "collective/select.hpp"
#include "collective/stock.hpp"
#include "model/cost.hpp"
#include "model/recollection.hpp"

namespace laconic::cli {
namespace {

/// What the ranks say of the calls that they measure: on a communicator of its own, or the one that is measured would
/// always be in the caches.
class observers {
public:
    observers() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
    ~observers() { MPI_Comm_free(&comm_); }
    observers(const observers&) = delete;
    observers& operator=(const observers&) = delete;

    void meet() const { MPI_Barrier(comm_); }
    [[nodiscard]] double largest(double mine) const {
        double all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm_);
        return all;
    }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

template <class T>
class bench {
public:
    bench(std::span<const T> field, const collective_bench_settings& settings)
        : field_(field),
          settings_(settings),
          rank_(world(MPI_Comm_rank)),
          ranks_(world(MPI_Comm_size)),
          count_(common_count(settings.bytes, sizeof(T), ranks_)),
          sizes_(settings.op, count_, ranks_, rank_ == 0),
          counts_(static_cast<std::size_t>(ranks_), count_ / static_cast<std::size_t>(ranks_)),
          in_(sizes_.in * sizeof(T)),
          out_(sizes_.out * sizeof(T)),
          times_(settings.algorithms.size()),
          reports_(settings.algorithms.size()),
          rows_(settings.algorithms.size()),
          forced_(settings.algorithms.size()) {
        std::size_t at = offset_of(rank_);
        for (T& value : in_.template as<T>()) {
            value = field_[at];
            at = at + 1 == field_.size() ? 0 : at + 1;
        }
        std::memset(out_.bytes().data(), 0, out_.size());
        for (std::size_t rank = 0; rank < counts_.size(); ++rank) displacements_.push_back(rank * counts_[rank]);
        for (std::size_t row = 0; row < rows_.size(); ++row)
            if (const std::string& name = settings.algorithms[row]; is_forced(name))
                forced_[row] = std::make_unique<forced_stock>(name, settings.op, settings.with_counts);
    }

    std::vector<collective_measurement> run() {
        std::vector<std::size_t> order(rows_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // A row that always follows the same other one finds that one's caches and queues. The same order on all ranks.
        std::mt19937 shuffler(1);
        for (const std::size_t row : order)
            for (std::size_t i = 0; i < warm_ups_of(row); ++i) rows_[row].warm_up_s.push_back(run_once(row, false));
        for (unsigned repetition = 1; repetition <= settings_.repetitions; ++repetition) {
            std::shuffle(order.begin(), order.end(), shuffler);
            for (const std::size_t row : order)
                times_[row].push_back(run_once(row, repetition == settings_.repetitions));
        }
        for (std::size_t row = 0; row < rows_.size(); ++row) summarise(row);
        if (!settings_.options.machine.empty()) predict();
        return std::move(rows_);
    }

private:
    [[nodiscard]] static int world(int (*ask)(MPI_Comm, int*)) {
        int answer = 0;
        ask(MPI_COMM_WORLD, &answer);
        return answer;
    }
    [[nodiscard]] std::size_t offset_of(int rank) const noexcept { return tile_offset(field_.size(), rank, ranks_); }
    [[nodiscard]] bool reduces() const noexcept { return collective::is_reduction(settings_.op); }
    /// Whether results differ from exact ones without compression, too.
    [[nodiscard]] bool rounds() const noexcept {
        return reduces() && settings_.combine != reduction::min && settings_.combine != reduction::max;
    }
    [[nodiscard]] unsigned divisor() const noexcept {
        return collective::divisor_of(settings_.op, settings_.combine, ranks_);
    }
    [[nodiscard]] collective_call<T> call() {
        const std::span<const T> in = in_.template as<T>();
        const std::span<T> out = out_.template as<T>();
        if (settings_.op == operation::bcast) return collective_call<T>::bcast(out, 0);
        collective_call<T> made;
        made.op = settings_.op;
        made.in = in;
        made.out = out;
        made.combine = settings_.combine;
        if (!settings_.with_counts) return made;
        made.varying = true;
        const bool gathers = settings_.op == operation::allgather || settings_.op == operation::gather;
        if (!gathers) made.in_counts = counts_;
        if (!gathers && !reduces()) made.in_displacements = displacements_;
        if (gathers || settings_.op == operation::alltoall) {
            made.out_counts = counts_;
            made.out_displacements = displacements_;
        }
        return made;
    }

    /// `auto` asks, and then tries rows of equal bits. In the third call segments of what compresses well grow, and
    /// buffers that MPI has allocated and freed twice keep their pages.
    [[nodiscard]] std::size_t warm_ups_of(std::size_t row) const {
        constexpr std::size_t tries = model::recollection::most_rivals * model::recollection::tries;
        return settings_.algorithms[row] == "auto" ? 1 + tries : 3;
    }

    /// Seconds of the slowest rank.
    double run_once(std::size_t row, bool last) {
        // What an earlier row left behind must not pass for this row's result.
        if (last) std::memset(out_.bytes().data(), 0xFF, out_.size());
        if (settings_.op == operation::bcast && rank_ == 0)
            std::memcpy(out_.bytes().data(), in_.bytes().data(), in_.size());
        const collective_call<T> what = call();
        collective_options options = settings_.options;
        options.algorithm = settings_.algorithms[row];
        forced_stock* const forced = forced_[row].get();
        if (forced != nullptr) forced->begin();
        observers_.meet();
        const double start = MPI_Wtime();
        collective_report report = run_row(options, what, forced != nullptr ? forced->comm() : MPI_COMM_WORLD);
        const double mine = MPI_Wtime() - start;
        if (forced != nullptr) forced->end();
        const double elapsed = observers_.largest(mine);
        if (rows_[row].warm_up_s.size() == warm_ups_of(row)) add(row, std::move(report));
        if (last) measure_error(row);
        return elapsed;
    }

    [[nodiscard]] static mpi::channel& channel() {
        const auto found = collective::usable_channel(MPI_COMM_WORLD);
        if (!found) fail_data(found.error().context());
        return **found;
    }

    /// comm   of MPI's own collective
    collective_report run_row(const collective_options& options, const collective_call<T>& what, MPI_Comm comm) {
        if (options.algorithm == "stock" || is_forced(options.algorithm)) {
            // The very call that a program would make.
            collective::stock_call stock;
            const collective::geometry shape = collective::geometry_of(what, rank_, ranks_);
            const auto ready = stock.prepare(channel(), shape, element_type_of<T>::value, what.combine, what.custom,
                                             what.in.data(), what.out.data());
            if (!ready.ok()) fail_data(ready.message());
            if (stock.run(comm) != MPI_SUCCESS) fail_data("MPI's collective failed");
            collective_report report;
            report.algorithm = "stock";
            stock.finish<T>(shape, divisor(), what.out, report);
            return report;
        }
        auto done = laconic::run(what, MPI_COMM_WORLD, options);
        if (!done) fail_data(fmt::format("{}: {}", options.algorithm, done.error().message()));
        return std::move(done).value();
    }

    void add(std::size_t row, collective_report report) {
        collective_measurement& m = rows_[row];
        const double share = 1.0 / settings_.repetitions;
        m.compress_s += share * report.compress_s;
        m.combine_s += share * report.combine_s;
        m.decompress_s += share * report.decompress_s;
        m.copy_s += share * report.copy_s;
        m.wait_s += share * report.wait_s;
        reports_[row] = std::move(report);
    }

    [[nodiscard]] long double value_of(int rank, std::size_t index) const noexcept {
        return static_cast<long double>(static_cast<real_type<T>>(field_[(offset_of(rank) + index) % field_.size()]));
    }
    [[nodiscard]] long double combined(std::size_t index) const noexcept {
        long double exact = value_of(0, index);
        for (int rank = 1; rank < ranks_; ++rank) {
            const long double next = value_of(rank, index);
            // A NaN on any rank is the result.
            const bool is_number = exact == exact && next == next;
            switch (settings_.combine) {
                case reduction::min: exact = is_number ? std::min(exact, next) : exact + next; break;
                case reduction::max: exact = is_number ? std::max(exact, next) : exact + next; break;
                case reduction::prod: exact *= next; break;
                default: exact += next;
            }
        }
        return exact / divisor();
    }
    /// What element `index` of this rank's out should be.
    [[nodiscard]] long double exact(std::size_t index) const noexcept {
        const std::size_t part = count_ / static_cast<std::size_t>(ranks_);
        const std::size_t mine = static_cast<std::size_t>(rank_) * part;
        const auto owner = static_cast<int>(index / part);
        switch (settings_.op) {
            case operation::allreduce:
            case operation::reduce: return combined(index);
            case operation::reduce_scatter: return combined(mine + index);
            case operation::allgather:
            case operation::gather: return value_of(owner, index % part);
            case operation::scatter: return value_of(0, mine + index);
            case operation::bcast: return value_of(0, index);
            case operation::alltoall: return value_of(owner, mine + index % part);
        }
        return 0;
    }

    /// Every rank can make every other rank's values itself. Where all get the same, each checks a part.
    void measure_error(std::size_t row) {
        const std::span<const T> out = out_.template as<T>();
        const bool alike = settings_.op == operation::allreduce || settings_.op == operation::bcast ||
                           settings_.op == operation::allgather;
        const auto part = alike ? static_cast<std::size_t>(rank_) : 0;
        const auto parts = alike ? static_cast<std::size_t>(ranks_) : 1;
        long double largest = 0;
        double magnitude = 0;
        for (std::size_t i = out.size() * part / parts; i < out.size() * (part + 1) / parts; ++i) {
            const long double want = exact(i);
            if (!std::isfinite(want)) continue;
            magnitude = std::max(magnitude, std::fabs(static_cast<double>(want)));
            // Not finite where the exact result is: counts as an infinite error.
            const long double error = std::fabs(static_cast<long double>(static_cast<real_type<T>>(out[i])) - want);
            largest = std::isnan(error) ? HUGE_VALL : std::max(largest, error);
        }
        collective_measurement& m = rows_[row];
        m.max_error = observers_.largest(static_cast<double>(largest));
        magnitude = observers_.largest(magnitude);
        const auto ran = collective::find_cell(settings_.op, reports_[row].algorithm);
        const bool compresses = ran.ok() && collective::compresses(*ran);
        // What is decoded is rounded to 16-bit types, whatever the operation.
        const bool narrows = sizeof(T) == 2 && compresses;
        m.bound = (compresses ? reports_[row].result_bound : rounding_of_operations(magnitude)) +
                  (rounds() || narrows ? std::ldexp(0.5, codec::ulp_exponent<T>(magnitude)) : 0.0);
        m.same_bits = !alike || have_same_bits(out_.bytes());
    }

    /// What the roundings of uncompressed rows come to beside the final one.
    /// magnitude   of the results
    [[nodiscard]] double rounding_of_operations(double magnitude) const {
        if (!rounds()) return 0;
        const auto largest = static_cast<double>(range_of(field_).max_abs);
        if (settings_.combine == reduction::prod) return rounding_of_products(magnitude, largest);
        return collective::rounding_of_sums<T>(static_cast<std::uint32_t>(ranks_), largest) / divisor();
    }
    /// Each product loses up to twice half an ulp of the result or, where it is too small for all its digits, half the
    /// least value, which grows with the factors that follow.
    [[nodiscard]] double rounding_of_products(double magnitude, double largest) const noexcept {
        const double products = ranks_ - 1, half_least = std::ldexp(0.5, codec::ulp_exponent<T>(0));
        return collective::rounding_of_additions<T>(2 * products, magnitude) +
               products * half_least * std::pow(std::max(1.0, largest), std::max(0, ranks_ - 2));
    }
    [[nodiscard]] static bool have_same_bits(std::span<const std::byte> bytes) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < bytes.size(); i += sizeof sum) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
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
        m.ran = reports_[row].algorithm;
        m.median_s = median(times_[row]);
        m.min_s = *std::min_element(times_[row].begin(), times_[row].end());
        m.times_s = times_[row];
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

    /// What the cost model says of each row, asked as `auto` asks it.
    void predict() {
        const collective_options& options = settings_.options;
        const double share = collective::share_of_bound(settings_.op, settings_.combine, options, ranks_);
        const auto where = collective::machine_of(settings_.options.machine);
        if (!where) fail_data(where.error().context());
        const collective::value_sample mine =
            collective::sample_of<T>(in_.template as<T>(), settings_.options.limit, share);
        std::vector<collective::value_sample> all(static_cast<std::size_t>(ranks_));
        MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
        const auto ratio = collective::ratios_of(collective::joined(all, options.limit, share), sizeof(T));
        const collective::sized_call call{settings_.op,
                                          settings_.combine,
                                          count_ * sizeof(T),
                                          sizeof(T),
                                          ranks_,
                                          collective::nodes_of(channel(), options.ranks_per_node),
                                          collective::agreed_threads_of(options, channel())};
        const model::question asked = collective::question_of(call, options, ratio);
        for (collective_measurement& row : rows_) {
            row.assumed_ratio = asked.ratio;
            // The model knows what the library takes by itself.
            if (is_forced(row.algorithm)) continue;
            const auto how = collective::find_cell(settings_.op, row.ran);
            if (!how || !model::check(asked).ok()) continue;
            row.predicted_s = model::estimate(**where, asked, *how).total_s;
        }
    }

    std::span<const T> field_;
    const collective_bench_settings& settings_;
    observers observers_;
    int rank_;
    int ranks_;
    std::size_t count_;
    rank_sizes sizes_;
    std::vector<std::size_t> counts_, displacements_;  // of each rank
    buffer in_, out_;
    std::vector<std::vector<double>> times_;
    std::vector<collective_report> reports_;
    std::vector<collective_measurement> rows_;
    std::vector<std::unique_ptr<forced_stock>> forced_;  // of the rows that have one
};

}  // namespace

template <class T>
std::vector<collective_measurement> measure_collective(std::span<const T> field,
                                                       const collective_bench_settings& settings) {
    return bench<T>(field, settings).run();
}

#define LACONIC_INSTANTIATE(T)                                                          \
    template std::vector<collective_measurement> measure_collective(std::span<const T>, \
                                                                    const collective_bench_settings&);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::cli
