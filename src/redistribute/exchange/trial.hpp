// SPDX-License-Identifier: BSD-3-Clause
// The first runs of an exchange try the ways that its engine has, in turn; how long the slowest rank took flows in, and
// the fastest way flows out, on all ranks the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace laconic::redistribute {

class trial {
public:
    /// May throw bad_alloc.
    explicit trial(std::size_t ways) : least_ns_(ways, INT64_MAX) {}

    [[nodiscard]] bool over() const noexcept { return least_ns_.size() < 2 || runs_ > least_ns_.size() * rounds; }
    /// Before each run until the trial is over: what the slowest rank took for the last one (of the first, anything).
    /// returns the way for this run
    std::size_t next(std::int64_t last_ns) noexcept {
        if (runs_ > 0) {
            std::int64_t& least = least_ns_[(runs_ - 1) % least_ns_.size()];
            least = std::min(least, last_ns);
        }
        if (runs_++ < least_ns_.size() * rounds) return (runs_ - 1) % least_ns_.size();
        return static_cast<std::size_t>(std::min_element(least_ns_.begin(), least_ns_.end()) - least_ns_.begin());
    }

private:
    static constexpr std::size_t rounds = 3;
    std::vector<std::int64_t> least_ns_;  // of each way
    std::size_t runs_ = 0;
};

}  // namespace laconic::redistribute
