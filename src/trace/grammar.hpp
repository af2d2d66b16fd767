// SPDX-License-Identifier: BSD-3-Clause
// A grammar that grows while a program runs: terminals flow in one by one, rules that stand for exactly their sequence
// flow out whenever they are asked for. Sequitur (Nevill-Manning and Witten 1997) with repetition counts, so that a
// loop is one symbol however often it turns, and an expectation that makes each turn cost a comparison per call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/rules.hpp"

namespace laconic::trace {

/// Invariants outside of add(): no two neighbours have equal values (they would be one symbol with a larger count); no
/// pair of neighbours occurs twice, except where the sequence ends; every rule but the start is used at least twice, or
/// once with a count > 1.
///
/// When the last symbol of the start rule is a rule repeated, the next turn is expected: a cursor walks through that
/// rule and nothing is written until a call differs from it; the symbols of the unfinished turn are then added.
/// Memory: nothing per turn of a loop; else 24 bytes per symbol and 11 to 22 per pair, vectors that double beside.
class grammar {
public:
    grammar();

    /// Amortised O(1). Precondition: terminal < 2^31. Throws bad_alloc; then the grammar must not be used any more.
    void add(std::uint32_t terminal) {
        if (expecting_) {
            if (expected() == terminal) {
                ++pending_;
                advance();
                return;
            }
            stop_expecting();
        }
        push({terminal, 1});
    }

    /// The rules for all that was added, tidied.
    [[nodiscard]] rule_list rules() const;
    [[nodiscard]] std::size_t bytes_used() const noexcept;
    /// Symbols in all rules: what rules() costs.
    [[nodiscard]] std::size_t symbols() const noexcept { return nodes_.size() - free_nodes_; }

private:
    using index = std::uint32_t;
    static constexpr index none = ~index{0};

    /// A symbol in the ring of its rule, which a guard closes.
    struct node {
        index previous, next;
        std::uint32_t value;
        std::uint32_t guards;  ///< number of the rule + 1; 0: a symbol
        std::uint64_t count;
    };
    struct rule_ring {
        index guard;
        std::uint32_t uses;  ///< symbols with this value; 0: free
    };
    struct slot {
        index first;  ///< of the pair; none: empty
        std::uint32_t hash;
    };
    struct turn {
        index at;
        std::uint64_t left;
    };

    [[nodiscard]] bool is_guard(index n) const noexcept { return nodes_[n].guards != 0; }
    [[nodiscard]] index tail() const noexcept { return nodes_[rules_[0].guard].previous; }

    index new_node(std::uint32_t value, std::uint64_t count);
    void free_node(index n);
    std::uint32_t new_rule();
    void link(index left, index right) noexcept {
        nodes_[left].next = right;
        nodes_[right].previous = left;
    }
    void use(std::uint32_t value, int by) noexcept {
        if ((value & rule_flag) != 0) rules_[value & ~rule_flag].uses += static_cast<std::uint32_t>(by);
    }

    // Pairs.
    [[nodiscard]] std::uint32_t pair_hash(index first) const noexcept;
    [[nodiscard]] bool same_pair(index a, index b) const noexcept;
    [[nodiscard]] index find_pair(index first) const noexcept;
    void insert_pair(index first);
    void erase_pair(index first) noexcept;
    void grow_pairs();
    [[nodiscard]] bool is_pair(index first) const noexcept { return !is_guard(first) && !is_guard(nodes_[first].next); }

    // The algorithm.
    void push(symbol next);
    bool close_tail();
    void settle(index first);
    void unite(index earlier, index later);
    index replace(index first, std::uint32_t rule);
    void absorb(index n, index gone);
    void inline_if_single(index n);
    void doubt_around(index n);

    // The expectation.
    void expect();
    [[nodiscard]] std::uint32_t expected() const noexcept { return nodes_[turns_.back().at].value; }
    void advance();
    void enter(index at);
    void stop_expecting();
    [[nodiscard]] std::vector<symbol> unfinished_turn() const;

    std::vector<node> nodes_;
    index free_list_ = none;
    std::size_t free_nodes_ = 0;
    std::vector<rule_ring> rules_;
    std::vector<std::uint32_t> free_rules_;
    std::vector<slot> pairs_;
    std::size_t pair_count_ = 0;
    std::vector<index> doubtful_;  ///< first symbols of pairs that settle() has yet to look at

    bool expecting_ = false;
    bool replaying_ = false;     ///< the symbols of an unfinished turn are being added: no new expectation meanwhile
    std::uint64_t pending_ = 0;  ///< calls of the unfinished turn
    std::vector<turn> turns_;
};

}  // namespace laconic::trace
