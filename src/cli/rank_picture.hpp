// SPDX-License-Identifier: BSD-3-Clause
// How long each rank took for something that was repeated flows in; a picture of boxes and whiskers flows out.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace laconic::cli {

/// Seconds of one rank: quartiles and extremes of its repetitions.
struct rank_times {
    double min_s = 0, lower_s = 0, median_s = 0, upper_s = 0, max_s = 0;
};

/// What was repeated, and how long each rank took for it.
struct ranks_of_row {
    std::string name;
    std::span<const rank_times> ranks;
};

/// For each row a panel, for each rank in it a box from the lower to the upper quartile with a line at the median, and
/// whiskers to the least and the greatest time. All panels share a logarithmic axis of milliseconds. Failures as
/// canvas::save(). Precondition: there are rows, all of as many ranks, and at least one.
void draw_rank_times(std::span<const ranks_of_row> rows, const std::string& title, const std::string& path);

}  // namespace laconic::cli
