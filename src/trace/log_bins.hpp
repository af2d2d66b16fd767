// SPDX-License-Identifier: BSD-3-Clause
// Times on a logarithmic scale: nanoseconds flow in, the number of a bin flows out, and from it a time that is within
// the relative error of every time in the bin.
#pragma once

#include <cmath>
#include <cstdint>

namespace laconic::trace {

/// Bin 0 is 0 ns. Bin b holds what lies within a factor of 1 + relative of the middle of b on both sides as far as
/// |middle - t| <= relative * t: from middle / (1 + relative) to middle / (1 - relative). Middles are rounded to whole
/// nanoseconds, so of the smallest times each has a bin of its own.
class log_bins {
public:
    explicit log_bins(double relative)
        : relative_(relative), per_bin_(std::log1p(relative) - std::log1p(-relative)), low_(-std::log1p(relative)) {}

    [[nodiscard]] std::uint32_t bin_of(std::uint64_t time_ns) const noexcept {
        if (time_ns == 0) return 0;
        const double place = (std::log(static_cast<double>(time_ns)) - low_) / per_bin_;
        auto bin = static_cast<std::uint32_t>(place) + 1;
        // Rounding in the logarithm, or of the middle, may have left the bin next door.
        if (fits(bin, time_ns)) return bin;
        if (fits(bin + 1, time_ns)) return bin + 1;
        if (bin > 1 && fits(bin - 1, time_ns)) return bin - 1;
        return none;
    }
    [[nodiscard]] std::uint64_t middle(std::uint32_t bin) const noexcept { return between(bin, 0); }
    /// `aside` bins from the middle, at most half of one.
    [[nodiscard]] std::uint64_t between(std::uint32_t bin, double aside) const noexcept {
        if (bin == 0) return 0;
        const double time = std::exp((bin - 1 + aside) * per_bin_);
        return time < 1.8e19 ? static_cast<std::uint64_t>(std::round(time)) : ~std::uint64_t{0};
    }
    [[nodiscard]] bool fits(std::uint32_t bin, std::uint64_t time_ns) const noexcept {
        return near_enough(middle(bin), time_ns);
    }
    [[nodiscard]] bool near_enough(std::uint64_t at, std::uint64_t time_ns) const noexcept {
        const std::uint64_t off = at > time_ns ? at - time_ns : time_ns - at;
        return static_cast<double>(off) <= relative_ * static_cast<double>(time_ns);
    }
    /// A time that no bin holds within the error: small ones, between two whole nanoseconds' middles.
    static constexpr std::uint32_t none = ~std::uint32_t{0};

private:
    double relative_, per_bin_, low_;
};

}  // namespace laconic::trace
