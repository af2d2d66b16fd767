// SPDX-License-Identifier: BSD-3-Clause
// plan_picture.hpp where libpng was not there to build with.
#include "cli/command.hpp"
#include "cli/plan_picture.hpp"

namespace laconic::cli {

bool has_pictures() noexcept { return false; }
void draw_plan(const plan& /*what*/, const std::string& /*path*/) {}
void draw_pareto(std::span<const plan_outcome> /*rows*/, const plan_question& /*question*/,
                 const std::string& /*path*/) {}

}  // namespace laconic::cli
