// SPDX-License-Identifier: BSD-3-Clause
// A grammar at rest: rules of symbols with repetition counts, which stand for exactly one sequence of terminals. From a
// growing grammar (grammar.hpp) or from a file one flows in; the sequence flows out, one terminal at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laconic/status.hpp"

namespace laconic::trace {

/// A terminal, or a rule: rule_flag | number of the rule.
inline constexpr std::uint32_t rule_flag = std::uint32_t{1} << 31;

struct symbol {
    std::uint32_t value = 0;
    std::uint64_t count = 1;  ///< > 0

    [[nodiscard]] bool is_rule() const noexcept { return (value & rule_flag) != 0; }
    [[nodiscard]] std::uint32_t rule() const noexcept { return value & ~rule_flag; }
    friend bool operator==(const symbol&, const symbol&) = default;
};

using rule_body = std::vector<symbol>;
/// Rule 0 is where the sequence starts.
using rule_list = std::vector<rule_body>;

inline constexpr std::uint64_t most_calls = std::uint64_t{1} << 62;

/// How many terminals each rule stands for.
/// returns corrupt  a rule does not exist, contains itself, is empty (the start may be), or stands for more than
///                  most_calls
[[nodiscard]] result<std::vector<std::uint64_t>> lengths_of(const rule_list& rules);

/// Rules in the order in which the sequence meets them, those that it never meets left out, and rules of one symbol
/// put into their places. Precondition: lengths_of(rules) is ok.
[[nodiscard]] rule_list tidy(const rule_list& rules);

/// Walks through the sequence without unfolding it; memory grows with the depth of the grammar only.
/// Precondition: lengths_of(rules) is ok; the rules outlive the cursor and stay as they are.
class rule_cursor {
public:
    explicit rule_cursor(const rule_list& rules, std::uint32_t start = 0);

    [[nodiscard]] bool at_end() const noexcept { return stack_.empty(); }
    /// Precondition: !at_end().
    [[nodiscard]] std::uint32_t terminal() const noexcept { return (*rules_)[top().rule][top().position].value; }
    /// How often that terminal comes now, one after another, by one symbol.
    [[nodiscard]] std::uint64_t repeats() const noexcept { return top().left; }
    /// Where in the grammar the sequence is: a number for each symbol of each rule.
    [[nodiscard]] std::uint64_t place() const noexcept { return std::uint64_t{top().rule} << 32 | top().position; }
    void next();

private:
    struct level {
        std::uint32_t rule, position;
        std::uint64_t left;  ///< repetitions of the symbol, this one included
    };
    [[nodiscard]] const level& top() const noexcept { return stack_.back(); }
    void enter(std::uint32_t rule);
    void descend();

    const rule_list* rules_;
    std::vector<level> stack_;
};

}  // namespace laconic::trace
