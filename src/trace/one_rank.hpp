// SPDX-License-Identifier: BSD-3-Clause
// What one rank recorded (signatures by terminal, a grammar over the terminals) flows in; a core of this one rank, with
// its progressions found, flows out.
#pragma once

#include <functional>

#include "trace/core.hpp"
#include "trace/rules.hpp"

namespace laconic::trace {

struct recorded_rank {
    std::uint32_t rank = 0;
    std::uint64_t ranks = 1;
    rule_list rules;
    std::function<view(std::uint32_t terminal)> signature;
    std::function<call_statistics(std::uint32_t terminal)> times;  ///< none: no times
};

/// A progression is a stretch of a rule in which `period` symbols come again and again while the numbers of their
/// signatures go on by constant steps: a loop over partners, tags or buffers. It becomes a progressive rule.
/// Precondition: lengths_of(rules) is ok.
/// cost     O(symbols * longest period * slots), memory O(slots of all signatures)
[[nodiscard]] core core_of(const recorded_rank& recorded);

}  // namespace laconic::trace
