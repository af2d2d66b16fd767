// SPDX-License-Identifier: BSD-3-Clause
// The calls of all ranks as a file holds them: signatures and rules that classes of ranks share, and expressions of the
// rank in the places of numbers. Cores (core.hpp) and bytes flow in and out; a rank's calls can be read from it
// directly. docs/format/trace.md describes the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/core.hpp"
#include "trace/expression.hpp"

namespace laconic::trace {

/// A number: itself, or that of an expression.
struct term {
    bool expressed = false;
    std::uint64_t value = 0;
    friend bool operator==(const term&, const term&) = default;
};

struct model_signature {
    std::uint32_t shape = 0;
    std::vector<term> slots, steps;  ///< steps: empty unless progressive
    [[nodiscard]] bool progressive() const noexcept { return !steps.empty(); }
};

struct model_symbol {
    std::uint32_t value = 0;  ///< a signature, or rule_flag | rule
    term count{false, 1};
};

struct model_rule {
    bool progressive = false;
    std::vector<model_symbol> body;
};

struct model_class {
    rank_set ranks;
    std::uint32_t start = 0;
    /// Empty, or one for each signature that the class uses, in the order of its canonical form.
    std::vector<call_statistics> times;
};

struct model {
    std::uint64_t ranks = 1;
    std::vector<bytes> shapes;
    std::vector<expression> expressions;
    std::vector<model_signature> signatures;
    std::vector<model_rule> rules;
    std::vector<model_class> classes;

    [[nodiscard]] std::uint64_t value(const term& of, std::uint32_t rank) const noexcept {
        return of.expressed ? expressions[of.value].at(rank) : of.value;
    }
};

/// The shortest expressions for every number, signatures and rules shared wherever they are equal.
[[nodiscard]] model fitted(const core& from);

/// returns out_of_memory  the columns would have more than most_column_values values
[[nodiscard]] result<core> expanded(const model& from);
inline constexpr std::uint64_t most_column_values = std::uint64_t{1} << 31;

[[nodiscard]] bytes encoded(const model& from);
/// Without the times: equal bytes, equal calls.
[[nodiscard]] bytes encoded_calls(const model& from);
/// Everything that the other functions rely on is checked, except how long the sequences are (lengths_of()).
/// returns corrupt  not what encoded() makes
[[nodiscard]] result<model> decoded(view data);

/// The canonical form of one class of the model: its rules and signatures by their numbers in the model.
struct class_view {
    std::vector<std::uint32_t> rules, signatures;
};
[[nodiscard]] class_view class_of(const model& from, const model_class& of);

}  // namespace laconic::trace
