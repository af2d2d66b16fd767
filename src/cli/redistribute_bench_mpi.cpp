// SPDX-License-Identifier: BSD-3-Clause
// Rounds in which every engine runs once, from a barrier, timed by each rank; the slowest rank counts.
#include "cli/redistribute_bench_mpi.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "cli/command.hpp"
#include "cli/row_times.hpp"

namespace laconic::cli {
namespace {

std::uint64_t sum_of_ranks(std::uint64_t mine) {
    std::uint64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

bool is_of_mpi(exchange_engine engine) {
    return engine != exchange_engine::automatic && engine != exchange_engine::shared;
}

class bench {
public:
    bench(const plan& what, const redistribute_bench_settings& settings) : plan_(what), settings_(settings) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
        rows_.push_back({"memcpy", false, {}});
        engines_.emplace_back();
        for (const exchange_engine engine : settings.engines) add(engine, false);
        if (settings.own_array) add(exchange_engine::automatic, true);
        mine_.resize(rows_.size());
        slowest_.resize(rows_.size());
    }

    std::vector<redistribute_measurement> run() {
        for (std::size_t row = 0; row < rows_.size(); ++row) do {
                if (rows_[row].missing.empty()) time(row, false);
            } while (engines_[row] && !engines_[row]->settled());
        for (unsigned round = 0; round < settings_.repetitions; ++round)
            for (std::size_t row = 0; row < rows_.size(); ++row)
                if (rows_[row].missing.empty()) time(row, true);
        for (std::size_t row = 0; row < rows_.size(); ++row) summarise(row);
        compare();
        return std::move(rows_);
    }

private:
    void add(exchange_engine engine, bool own_array) {
        exchange_options options;
        options.shared_in = own_array;
        options.engine = engine;
        options.batch_bytes = settings_.batch_bytes;
        options.limit = settings_.limit;
        exchange_element element{settings_.element_bytes, std::nullopt};
        if (settings_.limit.value > 0) element = exchange_element::of<float>();
        auto made = exchange::make(MPI_COMM_WORLD, plan_, element, options);
        redistribute_measurement row{std::string(name_of(engine)), is_of_mpi(engine), made.error().context()};
        if (!made) {
            if (made.error().code() != errc::unsupported) fail_data(made.error().message());
            engines_.emplace_back();
        } else {
            if (own_array) row.name += ", own array";
            if (made->engine() != engine) row.name += fmt::format(" ({})", name_of(made->engine()));
            row.staging_bytes = made->staging_bytes();
            in_.resize(made->in_elements() * element.bytes);
            out_.resize(made->out_elements() * element.bytes);
            fill(in_);
            fill(made->in_memory(0));
            engines_.emplace_back(std::move(made).value());
        }
        rows_.push_back(std::move(row));
    }

    void fill(std::span<std::byte> memory) const {
        if (settings_.field.empty()) {
            std::fill(memory.begin(), memory.end(), std::byte{1});
            return;
        }
        auto* const to = reinterpret_cast<float*>(memory.data());
        for (std::size_t i = 0; i < memory.size() / sizeof(float); ++i)
            to[i] = settings_.field[i % settings_.field.size()];
    }

    void time(std::size_t row, bool counts) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (!engines_[row]) {
            std::memcpy(out_.data(), in_.data(), std::min(in_.size(), out_.size()));
        } else {
            const exchange_element element = settings_.limit.value > 0
                                                 ? exchange_element::of<float>()
                                                 : exchange_element{settings_.element_bytes, std::nullopt};
            const std::span<const std::byte> own = engines_[row]->in_memory(0);
            const exchange::array_in from{own.empty() ? in_.data() : own.data(), in_.size() / element.bytes};
            const exchange::array_out to{out_.data(), out_.size() / element.bytes};
            const status done = engines_[row]->run({&from, 1}, {&to, 1}, element);
            if (!done.ok()) fail_data(fmt::format("{}: {}", rows_[row].name, done.message()));
        }
        const double mine = MPI_Wtime() - start;
        double slowest = 0;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (!counts) return;
        mine_[row].push_back(mine);
        slowest_[row].push_back(slowest);
    }

    void summarise(std::size_t row) {
        redistribute_measurement& m = rows_[row];
        if (!m.missing.empty()) return;
        m.median_s = quantile(slowest_[row], 0.5);
        m.min_s = quantile(slowest_[row], 0);
        if (engines_[row]) {
            const exchange_report& report = engines_[row]->report();
            m.message_bytes = sum_of_ranks(report.message_bytes);
            m.wire_bytes = sum_of_ranks(report.wire_bytes);
            m.shared_bytes = sum_of_ranks(report.shared_bytes);
        }
        const rank_times own{quantile(mine_[row], 0), quantile(mine_[row], 0.25), quantile(mine_[row], 0.5),
                             quantile(mine_[row], 0.75), quantile(mine_[row], 1)};
        m.ranks.resize(static_cast<std::size_t>(ranks_));
        static_assert(sizeof own == 5 * sizeof(double));
        MPI_Gather(&own, 5, MPI_DOUBLE, m.ranks.data(), 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }

    void compare() {
        std::size_t best = rows_.size();
        for (std::size_t row = 0; row < rows_.size(); ++row)
            if (rows_[row].of_mpi && rows_[row].missing.empty() &&
                (best == rows_.size() || rows_[row].median_s < rows_[best].median_s))
                best = row;
        if (best == rows_.size()) return;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (!rows_[row].missing.empty()) continue;
            std::vector<double> ratios;
            for (std::size_t i = 0; i < slowest_[row].size(); ++i)
                ratios.push_back(slowest_[row][i] / slowest_[best][i]);
            rows_[row].ratio = quantile(ratios, 0.5);
        }
    }

    const plan& plan_;
    const redistribute_bench_settings& settings_;
    int rank_ = 0, ranks_ = 1;
    std::vector<redistribute_measurement> rows_;
    std::vector<std::optional<exchange>> engines_;  // of each row; none: a copy
    std::vector<std::byte> in_, out_;
    std::vector<std::vector<double>> mine_, slowest_;
};

}  // namespace

std::vector<redistribute_measurement> measure_redistribution(const plan& what,
                                                             const redistribute_bench_settings& settings) {
    return bench(what, settings).run();
}

}  // namespace laconic::cli
