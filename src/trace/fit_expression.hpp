// SPDX-License-Identifier: BSD-3-Clause
// Finding expressions of the rank: a number per rank flows in, the shortest expression that gives exactly these numbers
// flows out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/expression.hpp"

namespace laconic::trace {

/// Remembers what it found: the same few neighbours and partners occur in most calls of a program, and one expression
/// that holds for several sets of ranks is stored once.
class expression_finder {
public:
    /// `ranks`: of the job; its divisors are the grids that are tried.
    explicit expression_finder(std::uint64_t ranks);

    /// Precondition: as many values as ranks, at least one; ranks ascending.
    /// cost     O(n) when a known expression, a line or few pieces fit; else O(n * grids), with an early end for each
    ///          grid that does not fit. Never fails: at worst the numbers are listed.
    [[nodiscard]] expression find(std::span<const std::uint32_t> ranks, std::span<const std::uint64_t> values);

private:
    struct grid {
        std::vector<std::uint64_t> strides;
    };
    void remember(const expression& found);

    std::vector<grid> grids_;
    std::vector<expression> known_;  ///< most recent last
};

}  // namespace laconic::trace
