// SPDX-License-Identifier: BSD-3-Clause
// The built-in machine, and tables of rates and factors: a ratio or a size flows in, what lies between the rows flows
// out.
#include "model/machine.hpp"

#include <limits>

namespace laconic::model {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double giga = 1e9;

struct rate_row {
    double ratio, compress, decompress, add, fused, quantise, add_integers;  ///< GB/s
};

template <std::size_t N>
constexpr codec_rates rates(const std::array<rate_row, N>& rows) {
    codec_rates table{};
    table.rows = N;
    for (std::size_t i = 0; i < N; ++i) {
        const rate_row& row = rows[i];
        table.ratio[i] = row.ratio;
        const std::array columns{row.compress, row.decompress, row.add, row.fused, row.quantise, row.add_integers};
        for (std::size_t work = 0; work < work_count; ++work) table.bytes_per_s[work][i] = columns[work] * giga;
    }
    return table;
}

constexpr size_fit always(double factor) {
    size_fit fit{};
    fit.rows = 1;
    fit.bytes[0] = 1;
    fit.factor[0] = factor;
    return fit;
}

constexpr machine built_in() {
    machine m;
    m.intra.alpha_s = 0.5e-6;
    m.intra.beta_s_per_byte = 1 / (8 * giga);
    m.intra.overhead_s = 0.15e-6;
    m.inter.alpha_s = 1.5e-6;
    m.inter.beta_s_per_byte = m.host_beta_s_per_byte = 1 / (12.5 * giga);
    m.inter.overhead_s = 0.3e-6;
    m.add_bytes_per_s = 8 * giga;
    m.copy_bytes_per_s = 10.8 * giga;
    m.scan_bytes_per_s = 28 * giga;
    m.call_s = 5e-6;
    m.call_raw_s = 5e-6;
    m.message_s = 1e-6;
    // fle: three bounds of one set of fields, and below them what `laconic calibrate` found: values that travel
    // uncompressed (ratio 1) take the patient path of sums.
    m.codecs[0] = rates(
        std::array{rate_row{1, 3.2, 3.1, .57, .5, 3.2, .5}, rate_row{2.07, 14.3, 8.7, 11.1, 10.1, 8.5, 3.5},
                   rate_row{4.6, 15.8, 16.1, 16.2, 11.5, 8.5, 3.8}, rate_row{8.16, 17.2, 18.7, 17.9, 11.9, 8.5, 3.8},
                   rate_row{15.7, 18.4, 17.5, 18.1, 12, 8.5, 3.8}});
    m.codecs[1] = rates(std::array{rate_row{1, 3, 5, 0, 0, 0, 0}, rate_row{3.6, 4.39, 7.76, 0, 0, 0, 0}});
    // isabel_velmag and hit_u at 1e-3: 1.2 to 1.3.
    m.codecs[1].size_factor = 1.25;
    m.codecs[2] = rates(std::array{rate_row{2.77, .15, .14, 0, 0, 0, 0}, rate_row{3.63, .17, .18, 0, 0, 0, 0},
                                   rate_row{5.11, .22, .26, 0, 0, 0, 0}});
    m.codecs[3] = rates(std::array{rate_row{2, .14, .12, 0, 0, 0, 0}, rate_row{4, .21, .23, 0, 0, 0, 0},
                                   rate_row{8, .41, .53, 0, 0, 0, 0}});
    // The best algorithm that either MPI could be forced to use, not its default: a row chosen against these wins
    // against a well-tuned MPI, too.
    constexpr std::array<double, operation_count> best_forced{1.18, 1.24, 1.30, 1.13, 1.05, 1.05, 1.17, 1.28};
    for (std::size_t i = 0; i < best_forced.size(); ++i) m.stock[i] = always(best_forced[i]);
    return m;
}

constexpr machine built_in_machine = built_in();

const row_fit* fit_of(const machine& where, operation op, const cell& what) noexcept {
    for (std::size_t i = 0; i < where.fitted_rows; ++i)
        if (where.rows[i].op == op && where.rows[i].what == what) return &where.rows[i];
    return nullptr;
}

}  // namespace

double log2_piecewise(double x) noexcept {
    double whole = 0;
    // Halving is exact, and 1024 steps are the most that a double needs.
    for (; x >= 2; x /= 2) ++whole;
    return whole + (x - 1);
}

double codec_rates::seconds_per_byte(work_kind work, double fraction) const noexcept {
    const auto& rate = bytes_per_s[static_cast<std::size_t>(work)];
    if (rows == 0 || !(rate[0] > 0)) return infinite;
    if (fraction * ratio[0] >= 1) return 1 / rate[0];
    for (std::size_t i = 1; i < rows; ++i) {
        const double large = 1 / ratio[i - 1], small = 1 / ratio[i];
        if (fraction < small) continue;
        const double share = (fraction - small) / (large - small);
        return share / rate[i - 1] + (1 - share) / rate[i];
    }
    return 1 / rate[rows - 1];
}

double size_fit::at(double size_bytes) const noexcept {
    if (rows == 0) return 1;
    if (!(size_bytes > bytes[0])) return factor[0];
    for (std::size_t i = 1; i < rows; ++i) {
        if (size_bytes > bytes[i]) continue;
        const double low = log2_piecewise(bytes[i - 1]), high = log2_piecewise(bytes[i]);
        const double share = (log2_piecewise(size_bytes) - low) / (high - low);
        return factor[i - 1] + share * (factor[i] - factor[i - 1]);
    }
    return factor[rows - 1];
}

double level::step_s(double size_bytes) const noexcept {
    if (steps.rows == 0) return alpha_s + size_bytes * beta_s_per_byte;
    if (!(size_bytes > steps.bytes[0])) return steps.seconds[0];
    for (std::size_t i = 1; i < steps.rows; ++i) {
        if (size_bytes > steps.bytes[i]) continue;
        const double share = (size_bytes - steps.bytes[i - 1]) / (steps.bytes[i] - steps.bytes[i - 1]);
        return steps.seconds[i - 1] + share * (steps.seconds[i] - steps.seconds[i - 1]);
    }
    return steps.seconds[steps.rows - 1] + (size_bytes - steps.bytes[steps.rows - 1]) * beta_s_per_byte;
}

double machine::row_factor(operation op, const cell& what, int nodes, double size_bytes) const noexcept {
    if (calibrated_nodes > 0 && (calibrated_nodes > 1) != (nodes > 1)) return 1;
    const row_fit* const fit = fit_of(*this, op, what);
    return fit != nullptr ? fit->factor.at(size_bytes) : 1;
}

bool machine::has_timed(operation op, const cell& what, int nodes) const noexcept {
    const row_fit* const fit = fit_of(*this, op, what);
    return fit != nullptr && fit->factor.rows > 0 && calibrated_nodes > 0 && (calibrated_nodes > 1) == (nodes > 1);
}

bool machine::has_timed_such(operation op, const cell& what, int nodes, double size_bytes) const noexcept {
    const row_fit* const fit = fit_of(*this, op, what);
    return fit != nullptr && fit->factor.rows > 0 && calibrated_nodes == nodes &&
           size_bytes <= fit->factor.bytes[fit->factor.rows - 1];
}

const codec_rates* machine::rates_of(codec_id codec) const noexcept {
    for (std::size_t i = 0; i < rated_codecs.size(); ++i)
        if (rated_codecs[i] == codec) return &codecs[i];
    return nullptr;
}

const machine& default_machine() noexcept { return built_in_machine; }

}  // namespace laconic::model
