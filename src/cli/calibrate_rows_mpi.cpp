// SPDX-License-Identifier: BSD-3-Clause
// MPI's own calls and the rows of the table, one after the other on all ranks: times flow in, how far each is from its
// formula flows out.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "cli/bench_tools.hpp"
#include "cli/calibrate_network_mpi.hpp"
#include "cli/calibrate_times_mpi.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "cli/row_times.hpp"
#include "collective/registry.hpp"
#include "collective/select.hpp"
#include "laconic/collective.hpp"
#include "model/cost.hpp"

namespace laconic::cli {
namespace {

using collective::algorithm;
using collective::operation;

/// Nothing is further from its formula; what is measured beyond it is a busy machine.
constexpr double worst_factor = 10, best_factor = 0.1;
/// Rows that are expected to take longer than this are taken to be as far from their formulas as at the size before.
constexpr double patience_for_rows_s = 0.3;
/// What would take MPI longer than so many seconds is not measured either.
constexpr double patience_s = 3;
constexpr int most_rounds = 200, few_rounds = 7, fewest_rounds = 2;
/// How much longer than other measurements each size of an operation is repeated, in MPI's own calls. Decisions hang on
/// differences of some per cent, and single short calls take half or twice as long.
constexpr double patience_for_calls = 4;
constexpr std::array<std::size_t, 9> sizes{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10,
                                           1 << 20, 4 << 20, 16 << 20, 64 << 20};
static_assert(sizes.size() <= model::size_fit::most);

/// A wave with some noise on it, and a bound that compresses it about as well as the fields of simulations.
constexpr double wave = 50, radians_per_value = 0.01, noise = 0.4, bound_of_values = 0.05;
constexpr std::size_t shift = 10;  // values from one rank to the next

/// Calls of one operation over buffers of up to `largest` bytes.
class caller {
public:
    caller(int ranks, std::size_t largest) : ranks_(ranks), in_(touched(largest)), out_(touched(largest)) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        // Arrays that resemble each other, as those of neighbours do, and are not the same: those would compress, and
        // so travel, in step.
        const auto mine = static_cast<unsigned>(rank_);
        std::minstd_rand random(mine + 1);
        std::size_t i = shift * mine;
        for (float& value : in_.as<float>())
            value = static_cast<float>(wave * std::sin(radians_per_value * static_cast<double>(i++)) +
                                       noise * static_cast<double>(random()) / std::minstd_rand::max());
        options_.limit = bound::abs(bound_of_values);
        options_.bound_scope = scope::contribution;
        // The formulas know what more threads bring.
        options_.codec_threads = 1;
    }

    /// Seconds of the slowest rank.
    double time(const algorithm& row, std::size_t count) {
        const rank_sizes part(row.op, count, ranks_, rank_ == 0);
        collective_call<float> call;
        call.op = row.op;
        call.in = in_.as<float>().first(part.in);
        call.out = out_.as<float>().first(part.out);
        // A lossy bcast changes its array, and all operations shall find the same values.
        if (row.op == operation::bcast) {
            if (rank_ == 0) std::copy_n(call.in.data(), count, out_.as<float>().data());
            call = collective_call<float>::bcast(out_.as<float>().first(count), 0);
        }
        options_.algorithm = row.name;
        return time_together(MPI_COMM_WORLD, [&] {
            if (const auto done = laconic::run(call, MPI_COMM_WORLD, options_); !done)
                fail_data(done.error().context());
        });
    }

    /// What the model is asked about such a call.
    [[nodiscard]] model::question question(const topology& where, operation op, std::size_t count) {
        const auto seen = collective::sample_of<float>(in_.as<float>().first(count), options_.limit, 1);
        const double ratio = collective::ratio_of(seen, sizeof(float));
        return collective::question_of(
            {op, reduction::sum, count * sizeof(float), sizeof(float), ranks_, where.sizes(), 1}, options_,
            {ratio, ratio});
    }

    /// The same of a row with this codec. The model knows the size of others than fle by a factor, which is that of
    /// other values: `found` has it.
    [[nodiscard]] model::question question_for(codec_id codec, model::question what, const model::machine& found) {
        if (const auto* const rates = found.rates_of(codec); rates != nullptr && codec != codec_id::fle)
            what.ratio = std::max(1.0, what.ratio * rates->size_factor / size_beside_fle(codec));
        return what;
    }

private:
    /// Compressed size / that of fle.
    [[nodiscard]] double size_beside_fle(codec_id codec) {
        double& known = sizes_[static_cast<std::size_t>(codec)];
        if (known > 0) return known;
        const auto values =
            std::span<const float>(in_.as<float>()).first(std::min(in_.size() / sizeof(float), compared));
        const auto size_with = [&](codec_id which) {
            frame_options options;
            options.codec = which;
            std::vector<std::byte> frame(compress_bound(element_type::f32, values.size(), which));
            const auto done = compress<float>(values, options_.limit, frame, options);
            return done.ok() ? static_cast<double>(*done) : 0.0;
        };
        const double others = size_with(codec), of_fle = size_with(codec_id::fle);
        return known = others > 0 && of_fle > 0 ? others / of_fle : 1;
    }

    static constexpr std::size_t compared = 1 << 17;
    int ranks_, rank_ = 0;
    buffer in_, out_;
    std::array<double, 8> sizes_{};  // of size_beside_fle(), by codec
    collective_options options_;
};

void book(model::size_fit& fit, std::size_t bytes, double factor) {
    fit.bytes[fit.rows] = static_cast<double>(bytes);
    fit.factor[fit.rows++] = std::clamp(factor, best_factor, worst_factor);
}

/// Collective, the same on all ranks: by its formula and how far the row was from it last. Infinite without rates.
double expected_s(const model::machine& found, const model::question& what, const model::row_fit& row) {
    const double last = row.factor.rows > 0 ? row.factor.factor[row.factor.rows - 1] : 1;
    double seconds = model::estimate(found, what, row.what).total_s * last;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return seconds;
}

/// Rows of an operation, interleaved, so that what else the machine does meets all of them.
void measure_operation(operation op, const topology& where, const network_settings& settings, caller& call,
                       model::machine& found) {
    std::vector<algorithm> rows;
    std::vector<model::row_fit> fits;
    for (const algorithm& row : collective::algorithms()) {
        if (row.op != op || row.what.schedule == model::schedule_kind::chosen) continue;
        const bool stock = row.what.schedule == model::schedule_kind::stock;
        rows.insert(stock ? rows.begin() : rows.end(), row);
        if (!stock) fits.push_back({op, row.what, {}});
    }
    model::size_fit& stock = found.stock[static_cast<std::size_t>(op)];
    stock = {};
    // A row that always follows the same other one finds that one's caches and queues. The same order on all ranks.
    std::mt19937 shuffler(1);
    for (const std::size_t size : sizes) {
        const std::size_t count = common_count(size, sizeof(float), where.ranks);
        // Every rank has at least one element.
        if (size > settings.stock_largest || count * sizeof(float) > size) continue;
        const model::question what = call.question(where, op, count);
        const auto asked = [&](const model::cell& row) { return call.question_for(row.codec, what, found); };
        const double classic_s = model::estimate_classic(found, what).total_s;
        if (stock.rows > 0 && classic_s * stock.factor[stock.rows - 1] > patience_s) break;
        // The first rounds open connections.
        const double first_s = call.time(rows[0], count);
        const double second_s = first_s > 1 ? first_s : call.time(rows[0], count);
        std::vector<std::size_t> order{0};
        for (std::size_t i = 1; i < rows.size(); ++i) {
            // A row that runs as another one does is known by that one.
            if (model::as_run(rows[i].what, what.bytes) != rows[i].what) continue;
            // What was never timed is not taken uncompressed: so each such row is, once.
            const bool is_first = rows[i].what.payload == model::payload_kind::raw && fits[i - 1].factor.rows == 0;
            if (is_first || expected_s(found, asked(rows[i].what), fits[i - 1]) < patience_for_rows_s)
                order.push_back(i);
        }
        const bool with_rows = order.size() > 1;
        std::vector<std::vector<double>> times(rows.size());
        const int rounds =
            static_cast<int>(std::clamp<double>(patience_for_calls * settings.seconds_per_size / second_s,
                                                with_rows ? few_rounds : fewest_rounds, most_rounds));
        for (int round = 0; round < rounds; ++round) {
            for (const std::size_t i : order)
                if (times[i].empty() || times[i].front() < patience_s / few_rounds)
                    times[i].push_back(call.time(rows[i], count));
            std::shuffle(order.begin(), order.end(), shuffler);
        }
        book(stock, count * sizeof(float), median(times[0]) / classic_s);
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (times[i].empty()) continue;
            const bool is_raw = rows[i].what.payload == model::payload_kind::raw;
            const double by_formula_s = model::estimate(found, asked(rows[i].what), rows[i].what).total_s;
            book(fits[i - 1].factor, count * sizeof(float), time_of(times[i], times[0], is_raw) / by_formula_s);
        }
    }
    for (const model::row_fit& fit : fits)
        if (fit.factor.rows > 0 && found.fitted_rows < model::machine::most_rows) found.rows[found.fitted_rows++] = fit;
}

}  // namespace

void measure_rows(const topology& where, const network_settings& settings, std::span<const operation> operations,
                  model::machine& found) {
    caller call(where.ranks, settings.stock_largest);
    found.fitted_rows = 0;
    found.calibrated_nodes = where.nodes;
    for (const operation op : operations) measure_operation(op, where, settings, call, found);
}

}  // namespace laconic::cli
