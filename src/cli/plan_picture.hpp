// SPDX-License-Identifier: BSD-3-Clause
// Pictures of plans: a plan of a 2-d array, or the rows of --pareto, flow in; a PNG file flows out.
#pragma once

#include <span>
#include <string>

#include "cli/plan_pareto.hpp"

namespace laconic::cli {

/// The array before and after side by side: a colour per rank, lines around patches; after, what was moved is striped
/// in the colour of the rank it came from. Precondition: two dimensions. Failures as canvas::save().
void draw_plan(const plan& what, const std::string& path);

/// Bytes moved against the greatest load over the mean: a curve for optimal, a square for balanced, a cross for greedy.
/// Failures as canvas::save().
void draw_pareto(std::span<const plan_outcome> rows, const plan_question& question, const std::string& path);

}  // namespace laconic::cli
