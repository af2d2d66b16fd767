// SPDX-License-Identifier: BSD-3-Clause
// What times say of a row: those of a row and of MPI's own call, interleaved, flow in; the time that the row is known
// by flows out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace laconic::cli {

/// The value that this share of the times lies below, between two of them where need be. Precondition: there are some,
/// and share is in [0, 1].
[[nodiscard]] inline double quantile(std::vector<double> times, double share) {
    std::sort(times.begin(), times.end());
    const double at = share * static_cast<double>(times.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, times.size() - 1);
    return times[below] + (at - static_cast<double>(below)) * (times[above] - times[below]);
}

[[nodiscard]] inline double median(const std::vector<double>& times) { return quantile(times, 0.5); }

/// The median; but where machines are in two states, processors that have to be woken and processors that are awake,
/// say, a row without compression is ahead of MPI's own call only as far as it is in both.
[[nodiscard]] inline double time_of(const std::vector<double>& row, const std::vector<double>& stock, bool is_raw) {
    constexpr double two_states = 1.5, few = 0.25;
    const double middle = median(row), least = quantile(stock, few);
    if (!is_raw || quantile(stock, 1 - few) < two_states * least) return middle;
    return std::max(middle, median(stock) * quantile(row, few) / least);
}

}  // namespace laconic::cli
