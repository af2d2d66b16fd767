// SPDX-License-Identifier: BSD-3-Clause
// Numbers to text.
#include "cli/audit_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

/// 0 where a model says nothing.
std::string deviation_text(double deviation) { return deviation > 0 ? fmt::format("{:.3g}", deviation) : "-"; }

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }
std::string percent(const audit_prediction& model, std::size_t k) {
    return model.deviation > 0 ? percent(model.inside[k]) : "-";
}

bool has_unit(const audit_report& found) { return found.bound > 0 && std::isfinite(found.bound); }
std::string bound_text(const audit_report& found) {
    return std::isfinite(found.bound) ? fmt::format("{:.3g}", found.bound) : "none";
}
std::string share_text(const audit_report& found) {
    return std::isfinite(found.bound) ? fmt::format("{:.4f}", found.max_share) : "-";
}

json json_of(const audit_prediction& model) {
    if (!(model.deviation > 0)) return nullptr;
    return {{"deviation", model.deviation}, {"inside", model.inside}};
}

void print_histogram(const audit_report& found) {
    constexpr std::size_t width = 40;
    const std::uint64_t most = *std::max_element(found.histogram.begin(), found.histogram.end());
    if (!has_unit(found) || most == 0) return;
    const auto all = static_cast<double>(found.elements - found.nonfinite);
    const double step = 2.0 / audit_report::bins;
    fmt::print("\n{}\n", bold("error / bound"));
    for (std::size_t i = 0; i < audit_report::bins; ++i) {
        const auto count = static_cast<double>(found.histogram[i]);
        const auto length = static_cast<std::size_t>(std::ceil(width * count / static_cast<double>(most)));
        const double from = -1 + step * static_cast<double>(i);
        fmt::print("{:>4.1f} .. {:>4.1f}  {:<{}} {:>8}\n", from, from + step, std::string(length, '#'), width,
                   percent(count / all));
    }
}

}  // namespace

json audit_json(const audited_row& row) {
    const audit_report& found = row.found;
    return {{"algorithm", row.algorithm},
            {"ran", row.ran},
            {"violations", found.violations},
            {"bound", found.bound},
            {"contribution_bound", row.contribution_bound},
            {"elements", found.elements},
            {"nonfinite", found.nonfinite},
            {"max_error", found.max_error},
            {"max_share", found.max_share},
            {"mean_error", found.mean_error},
            {"deviation", found.deviation},
            {"rms_error", found.rms_error},
            {"normal", json_of(found.normal)},
            {"uniform", json_of(found.uniform)},
            {"histogram", has_unit(found) ? json(found.histogram) : json(nullptr)}};
}

void print_audits(const std::vector<audited_row>& rows) {
    std::vector<std::vector<std::string>> table{{"algorithm", "bound", "max error", "of allowed", "beyond", "sigma",
                                                 "C-Coll", "in 2 sigma", "uniform", "in 2 sigma"}};
    for (const audited_row& row : rows) {
        const audit_report& found = row.found;
        const bool chosen = row.ran != row.algorithm && row.algorithm == "auto";
        table.push_back({chosen ? fmt::format("auto ({})", row.ran) : row.algorithm, bound_text(found),
                         fmt::format("{:.3g}", found.max_error), share_text(found), fmt::format("{}", found.violations),
                         fmt::format("{:.3g}", found.deviation), deviation_text(found.normal.deviation),
                         percent(found.normal, 1), deviation_text(found.uniform.deviation), percent(found.uniform, 1)});
    }
    print_table(table, 1);
}

void print_audit(const audited_row& row) {
    const audit_report& found = row.found;
    print_pairs({{"algorithm", row.ran},
                 {"promised", std::isfinite(found.bound)
                                  ? fmt::format("|error| <= {:.4g}, each contribution within {:.4g}, and roundings",
                                                found.bound, row.contribution_bound)
                                  : "nothing"},
                 {"elements", fmt::format("{} on all ranks, {} of them not finite", found.elements, found.nonfinite)},
                 {"beyond", fmt::format("{}", found.violations)},
                 {"max error", fmt::format("{:.4g}, {} of what is allowed", found.max_error, share_text(found))},
                 {"mean", fmt::format("{:.3g}", found.mean_error)},
                 {"RMS", fmt::format("{:.4g}", found.rms_error)}});
    fmt::print("\n");
    const auto line = [](const char* name, double deviation, const auto& cell) {
        return std::vector<std::string>{name, deviation_text(deviation), cell(0), cell(1), cell(2)};
    };
    const auto of = [](const audit_prediction& model) { return [&model](std::size_t k) { return percent(model, k); }; };
    print_table(
        {{"model", "sigma", "in 1 sigma", "in 2 sigma", "in 3 sigma"},
         line("normal distribution", found.deviation, [](std::size_t k) { return percent(normal_fractions[k]); }),
         line("C-Coll's sigma", found.normal.deviation, of(found.normal)),
         line("uniform rounding", found.uniform.deviation, of(found.uniform))},
        1);
    print_histogram(found);
}

}  // namespace laconic::cli
