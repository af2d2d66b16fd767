// SPDX-License-Identifier: BSD-3-Clause
// What the codec's benchmarks share: bodies to time flow in, medians flow out; a field flows in, buffers of the size to
// measure, filled with copies of it and with their pages in place, flow out.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/files.hpp"
#include "laconic/status.hpp"

namespace laconic::cli {

/// Times of one operation over the repetitions.
class stopwatch {
public:
    template <class Body>
    void time(Body&& body) {
        const auto started = std::chrono::steady_clock::now();
        body();
        seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    }
    /// Median speed in units of 1e9 bytes a second.
    [[nodiscard]] double gbps(std::size_t bytes) {
        std::sort(seconds_.begin(), seconds_.end());
        const std::size_t half = seconds_.size() / 2;
        const double median = seconds_.size() % 2 == 1 ? seconds_[half] : (seconds_[half - 1] + seconds_[half]) / 2;
        return median > 0 ? static_cast<double>(bytes) / median / 1e9 : 0;
    }
    [[nodiscard]] double last() const noexcept { return seconds_.back(); }
    [[nodiscard]] std::size_t rounds() const noexcept { return seconds_.size(); }

private:
    std::vector<double> seconds_;
};

/// Aligned memory whose pages exist already.
[[nodiscard]] inline buffer touched(std::size_t bytes) {
    buffer fresh(bytes);
    std::memset(fresh.bytes().data(), 0x5a, fresh.size());
    return fresh;
}

template <class V>
V need(result<V> got, std::string_view what) {
    if (!got) fail_data(fmt::format("{} failed: {}", what, got.error().message()));
    return std::move(got).value();
}

inline void need(const status& got, std::string_view what) {
    if (!got.ok()) fail_data(fmt::format("{} failed: {}", what, got.message()));
}

/// The field again and again, beginning with its value `first`.
template <class T>
void tile(std::span<const T> field, std::size_t first, std::span<T> out) {
    for (std::size_t i = 0, at = first; i < out.size(); ++i, at = at + 1 == field.size() ? 0 : at + 1)
        out[i] = field[at];
}

}  // namespace laconic::cli
