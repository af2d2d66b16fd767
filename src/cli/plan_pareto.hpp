// SPDX-License-Identifier: BSD-3-Clause
// The trade between movement and balance: a question flows in, plans from the most even to the least moving one flow
// out as rows.
#pragma once

#include <string>
#include <vector>

#include "cli/plan_input.hpp"

namespace laconic::cli {

struct plan_outcome {
    std::string name;  ///< of the placement; "optimal 1.25" with its balance
    double seconds = 0;
    plan_figures figures;
};

/// Makes the plan and measures the time. A usage failure when the library refuses.
[[nodiscard]] plan make_timed(const plan_question& question, double& seconds);

/// The paper's placements, then optimal ones from balance 1 to where greedy comes out, at most a dozen.
[[nodiscard]] std::vector<plan_outcome> pareto_of(plan_question question);

/// The greatest load over the mean, by what the placement counts.
[[nodiscard]] double imbalance_of(const plan_figures& figures, load_measure load);

}  // namespace laconic::cli
