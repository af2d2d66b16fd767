// SPDX-License-Identifier: BSD-3-Clause
// Reproducible chance: a seed flows in, small numbers flow out.
#pragma once

#include <cstdint>
#include <random>

namespace laconic::trace {

class dice {
public:
    explicit dice(unsigned seed) : engine_(seed) {}
    /// 0 to sides - 1
    std::uint32_t operator()(std::uint32_t sides) { return static_cast<std::uint32_t>(engine_()) % sides; }

private:
    std::mt19937 engine_;
};

}  // namespace laconic::trace
