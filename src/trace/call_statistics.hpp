// SPDX-License-Identifier: BSD-3-Clause
// The times of calls with one signature in brief: durations flow in one by one, count, sum, extremes and a histogram
// over powers of two flow out; two such summaries make one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "trace/wire.hpp"

namespace laconic::trace {

struct call_statistics {
    /// Bin 0: less than 1 ns; bin b: 2^(b-1) to below 2^b ns; the last bin: everything longer.
    static constexpr std::size_t bins = 40;

    std::uint64_t count = 0, sum_ns = 0, min_ns = ~std::uint64_t{0}, max_ns = 0;
    std::array<std::uint64_t, bins> histogram{};

    void add(std::uint64_t duration_ns) noexcept {
        ++count;
        sum_ns += duration_ns;
        min_ns = std::min(min_ns, duration_ns);
        max_ns = std::max(max_ns, duration_ns);
        ++histogram[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(duration_ns)), bins - 1)];
    }
    void add(const call_statistics& other) noexcept {
        count += other.count;
        sum_ns += other.sum_ns;
        min_ns = std::min(min_ns, other.min_ns);
        max_ns = std::max(max_ns, other.max_ns);
        for (std::size_t bin = 0; bin < bins; ++bin) histogram[bin] += other.histogram[bin];
    }

    ///   varint count; when it is not 0: varint sum, min, max - min, first bin, bins - 1, so many varints
    void write(bytes& out) const;
    [[nodiscard]] static call_statistics read(wire_reader& in);
};

}  // namespace laconic::trace
