// SPDX-License-Identifier: BSD-3-Clause
// Plans one after the other, timed.
#include "cli/plan_pareto.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

#include "cli/command.hpp"
#include "cli/progress.hpp"

namespace laconic::cli {

plan make_timed(const plan_question& question, double& seconds) {
    const auto start = std::chrono::steady_clock::now();
    result<plan> made = plan::make(question.from, question.to, question.how);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!made && made.error().code() == errc::out_of_memory) fail_data(made.error().context());
    if (!made) fail_usage(made.error().context());
    return std::move(*made);
}

double imbalance_of(const plan_figures& figures, load_measure load) {
    const spread& loads = load == load_measure::patches ? figures.patches : figures.volume;
    return static_cast<double>(loads.max) / static_cast<double>(loads.sum);
}

std::vector<plan_outcome> pareto_of(plan_question question) {
    constexpr std::array steps{0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 0.9};
    std::vector<plan_outcome> rows;
    const auto ranks = static_cast<double>(question.from.ranks());
    progress shown("planning", steps.size() + 3);
    const auto add = [&](std::string name) {
        plan_outcome row{std::move(name), 0, {}};
        row.figures = make_timed(question, row.seconds).figures();
        rows.push_back(std::move(row));
        shown.advance(1);
    };
    for (const placement_kind kind : {placement_kind::greedy, placement_kind::balanced}) {
        question.how.kind = kind;
        add(std::string(name_of(kind)));
    }
    const double widest = imbalance_of(rows[0].figures, question.how.load) * ranks;
    question.how.kind = placement_kind::optimal;
    question.how.balance = 1;
    add("optimal 1");
    for (const double step : steps) {
        // Steps of the same size in the logarithm, from balance 1 to greedy's.
        question.how.balance = std::pow(widest, step);
        if (question.how.balance <= 1) break;
        add(fmt::format("optimal {:.3g}", question.how.balance));
    }
    return rows;
}

}  // namespace laconic::cli
