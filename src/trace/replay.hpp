// SPDX-License-Identifier: BSD-3-Clause
// The calls of one rank out of a model, in their order: a rank flows in, signatures flow out one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace/model.hpp"

namespace laconic::trace {

/// Reads without unfolding: memory for the grammar of the rank, its signatures, and the depth of the grammar.
class replay {
public:
    /// returns invalid_argument  the model has no such rank
    ///         corrupt           what its rules stand for is endless, or empty where it must not be
    [[nodiscard]] static result<replay> of_rank(const model& from, std::uint32_t rank);

    /// Calls in all.
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
    [[nodiscard]] bool at_end() const noexcept { return stack_.empty(); }

    /// Precondition here and below: !at_end(). The number of the signature in the model.
    [[nodiscard]] std::uint32_t signature_number() const noexcept;
    /// Its bytes; they live until next().
    /// returns corrupt  the signature is too long
    [[nodiscard]] result<view> signature();
    /// How often this very call comes now, one after another, this one included.
    [[nodiscard]] std::uint64_t repeats() const noexcept { return stack_.back().left; }
    void next();
    /// Whether no call follows this one.
    [[nodiscard]] bool at_last() const noexcept { return read_ + 1 == calls_; }
    /// Past all repeats(), or some of them. Precondition: times < repeats().
    void skip();
    void drop(std::uint64_t times) noexcept;

    /// How often each signature of the model is called; a vector as long as model::signatures.
    [[nodiscard]] std::vector<std::uint64_t> calls_by_signature() const;
    /// Rules that the rank uses, and symbols in them.
    [[nodiscard]] std::uint64_t rules() const noexcept { return rules_.size(); }

private:
    struct symbol_here {
        std::uint32_t value;
        std::uint64_t count;
    };
    struct rule_here {
        bool progressive = false;
        std::vector<symbol_here> body;
    };
    struct level {
        std::uint32_t rule;  ///< index into rules_
        std::uint32_t position;
        std::uint64_t left;  ///< repetitions of the symbol, this one included
        std::uint64_t turn;  ///< of a progressive rule
    };
    void descend();

    const model* from_ = nullptr;
    std::uint32_t rank_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t read_ = 0;  ///< calls passed
    std::vector<rule_here> rules_;
    std::vector<level> stack_;
    std::unordered_map<std::uint32_t, bytes> kept_;  ///< signatures that do not progress
    bytes built_;
};

}  // namespace laconic::trace
