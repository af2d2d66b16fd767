// SPDX-License-Identifier: BSD-3-Clause
// The growing grammar: Sequitur's two rules (no pair twice, no rule used once) kept as terminals flow in.
#include "trace/grammar.hpp"

#include <algorithm>

namespace laconic::trace {

grammar::grammar() { new_rule(); }

std::size_t grammar::bytes_used() const noexcept {
    return nodes_.capacity() * sizeof(node) + rules_.capacity() * sizeof(rule_ring) + pairs_.capacity() * sizeof(slot) +
           free_rules_.capacity() * sizeof(std::uint32_t) + turns_.capacity() * sizeof(turn);
}

grammar::index grammar::new_node(std::uint32_t value, std::uint64_t count) {
    index n = free_list_;
    if (n == none) {
        n = static_cast<index>(nodes_.size());
        nodes_.emplace_back();
    } else {
        free_list_ = nodes_[n].next;
        --free_nodes_;
    }
    nodes_[n] = {none, none, value, 0, count};
    use(value, 1);
    return n;
}

/// A free node looks like a guard, so that nobody takes it for half of a pair.
void grammar::free_node(index n) {
    use(nodes_[n].value, -1);
    nodes_[n] = {none, free_list_, 0, none, 0};
    free_list_ = n;
    ++free_nodes_;
}

std::uint32_t grammar::new_rule() {
    std::uint32_t number;
    if (free_rules_.empty()) {
        number = static_cast<std::uint32_t>(rules_.size());
        rules_.push_back({});
    } else {
        number = free_rules_.back();
        free_rules_.pop_back();
    }
    const index guard = new_node(0, 0);
    nodes_[guard].guards = number + 1;
    link(guard, guard);
    rules_[number] = {guard, 0};
    return number;
}

/// Adds symbols at the end of the start rule. What is last stays open: its pair is looked at when its count is final.
void grammar::push(symbol next) {
    for (;;) {
        const index last = tail();
        if (is_guard(last)) break;
        if (nodes_[last].value == next.value) {
            nodes_[last].count += next.count;
            return;
        }
        if (!close_tail()) break;
        if (replaying_ || (nodes_[tail()].value & rule_flag) == 0 || nodes_[tail()].count < 2) continue;
        expect();
        if (expected() == next.value) {
            pending_ = 1;
            advance();
            return;
        }
        stop_expecting();
    }
    const index added = new_node(next.value, next.count);
    const index guard = rules_[0].guard;
    link(tail(), added);
    link(added, guard);
}

/// Looks at the pair that ends with the last symbol. True: it was known, and the sequence now ends otherwise.
bool grammar::close_tail() {
    const index first = nodes_[tail()].previous;
    if (is_guard(first)) return false;
    const index known = find_pair(first);
    if (known == none) {
        insert_pair(first);
        return false;
    }
    if (known == first) return false;
    unite(known, first);
    while (!doubtful_.empty()) {
        const index doubted = doubtful_.back();
        doubtful_.pop_back();
        settle(doubted);
    }
    return true;
}

/// A pair that came to be by replacing others: enters the index, or is united with its equal. The open end waits.
void grammar::settle(index first) {
    if (!is_pair(first) || nodes_[first].next == tail()) return;
    const index known = find_pair(first);
    if (known == none)
        insert_pair(first);
    else if (known != first)
        unite(known, first);
}

/// Two equal pairs become two uses of one rule. They cannot overlap: neighbours differ.
void grammar::unite(index earlier, index later) {
    const auto whole_rule = [this](index first) -> std::uint32_t {
        const index before = nodes_[first].previous;
        return is_guard(before) && before == nodes_[nodes_[first].next].next ? nodes_[before].guards - 1 : 0;
    };
    std::uint32_t rule = whole_rule(earlier);
    if (rule != 0) {
        replace(later, rule);
    } else if (rule = whole_rule(later); rule != 0) {
        erase_pair(earlier);
        replace(earlier, rule);
        insert_pair(later);
    } else {
        rule = new_rule();
        const index left = new_node(nodes_[earlier].value, nodes_[earlier].count);
        const index second = nodes_[earlier].next;
        const index right = new_node(nodes_[second].value, nodes_[second].count);
        const index guard = rules_[rule].guard;
        link(guard, left);
        link(left, right);
        link(right, guard);
        replace(earlier, rule);
        replace(later, rule);
        insert_pair(left);
    }
    // The rule may now be the only user of what the pair used.
    const index guard = rules_[rule].guard;
    inline_if_single(nodes_[guard].next);
    inline_if_single(nodes_[guard].previous);
}

void grammar::doubt_around(index n) {
    doubtful_.push_back(nodes_[n].previous);
    doubtful_.push_back(n);
}

/// Puts `rule` in the place of the pair.
grammar::index grammar::replace(index first, std::uint32_t rule) {
    const index second = nodes_[first].next;
    const index left = nodes_[first].previous;
    const index right = nodes_[second].next;
    if (!is_guard(left)) erase_pair(left);
    erase_pair(first);
    if (!is_guard(right)) erase_pair(second);
    free_node(first);
    free_node(second);
    index placed = new_node(rule_flag | rule, 1);
    link(left, placed);
    link(placed, right);
    if (!is_guard(left) && nodes_[left].value == nodes_[placed].value) {
        absorb(left, placed);
        placed = left;
    }
    if (!is_guard(right) && nodes_[right].value == nodes_[placed].value) absorb(placed, right);
    doubt_around(placed);
    return placed;
}

/// `gone`, the right neighbour of `n` with the same value, becomes part of it. Their own pair is not in the index.
void grammar::absorb(index n, index gone) {
    if (!is_guard(nodes_[n].previous)) erase_pair(nodes_[n].previous);
    if (!is_guard(nodes_[gone].next)) erase_pair(gone);
    nodes_[n].count += nodes_[gone].count;
    link(n, nodes_[gone].next);
    free_node(gone);
}

/// A rule that is used once, and not repeated there, gives way to its symbols.
void grammar::inline_if_single(index n) {
    if (is_guard(n) || (nodes_[n].value & rule_flag) == 0 || nodes_[n].count != 1) return;
    const std::uint32_t rule = nodes_[n].value & ~rule_flag;
    if (rules_[rule].uses != 1) return;
    const index left = nodes_[n].previous;
    const index right = nodes_[n].next;
    const index guard = rules_[rule].guard;
    index first = nodes_[guard].next;
    index last = nodes_[guard].previous;
    if (!is_guard(left)) erase_pair(left);
    if (!is_guard(right)) erase_pair(n);
    free_node(n);
    free_node(guard);
    free_rules_.push_back(rule);
    link(left, first);
    link(last, right);
    if (!is_guard(left) && nodes_[left].value == nodes_[first].value) {
        if (last == first) last = left;
        absorb(left, first);
        first = left;
    }
    if (!is_guard(right) && nodes_[right].value == nodes_[last].value) absorb(last, right);
    doubt_around(first);
    doubt_around(last);
}

// ---------------------------------------------------------------------------------------------------------- pairs

std::uint32_t grammar::pair_hash(index first) const noexcept {
    const node& a = nodes_[first];
    const node& b = nodes_[a.next];
    std::uint64_t h = (a.value * 0x9e3779b97f4a7c15U) ^ (b.value * 0xc2b2ae3d27d4eb4fU);
    h ^= (a.count * 0x165667b19e3779f9U) + (b.count * 0x27d4eb2f165667c5U);
    h *= 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>(h >> 32);
}

bool grammar::same_pair(index a, index b) const noexcept {
    const node &a1 = nodes_[a], &b1 = nodes_[b];
    const node &a2 = nodes_[a1.next], &b2 = nodes_[b1.next];
    return a1.value == b1.value && a1.count == b1.count && a2.value == b2.value && a2.count == b2.count;
}

grammar::index grammar::find_pair(index first) const noexcept {
    if (pairs_.empty()) return none;
    const std::size_t mask = pairs_.size() - 1;
    const std::uint32_t hash = pair_hash(first);
    for (std::size_t at = hash & mask; pairs_[at].first != none; at = (at + 1) & mask)
        if (pairs_[at].hash == hash && same_pair(pairs_[at].first, first)) return pairs_[at].first;
    return none;
}

void grammar::insert_pair(index first) {
    if (pair_count_ + 1 > pairs_.size() / 4 * 3) grow_pairs();
    const std::size_t mask = pairs_.size() - 1;
    const std::uint32_t hash = pair_hash(first);
    std::size_t at = hash & mask;
    while (pairs_[at].first != none) at = (at + 1) & mask;
    pairs_[at] = {first, hash};
    ++pair_count_;
}

/// Nothing happens unless the index has this very pair, not just an equal one.
void grammar::erase_pair(index first) noexcept {
    if (pairs_.empty() || is_guard(nodes_[first].next)) return;
    const std::size_t mask = pairs_.size() - 1;
    const std::uint32_t hash = pair_hash(first);
    std::size_t hole = hash & mask;
    while (pairs_[hole].first != first) {
        if (pairs_[hole].first == none) return;
        hole = (hole + 1) & mask;
    }
    // Close the gap: whoever probed past it moves up.
    for (std::size_t at = (hole + 1) & mask; pairs_[at].first != none; at = (at + 1) & mask) {
        const std::size_t home = pairs_[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        pairs_[hole] = pairs_[at];
        hole = at;
    }
    pairs_[hole].first = none;
    --pair_count_;
}

void grammar::grow_pairs() {
    std::vector<slot> wider(pairs_.empty() ? 64 : pairs_.size() * 2, slot{none, 0});
    const std::size_t mask = wider.size() - 1;
    for (const slot& each : pairs_) {
        if (each.first == none) continue;
        std::size_t at = each.hash & mask;
        while (wider[at].first != none) at = (at + 1) & mask;
        wider[at] = each;
    }
    pairs_.swap(wider);
}

// ---------------------------------------------------------------------------------------------------- expectation

void grammar::expect() {
    expecting_ = true;
    pending_ = 0;
    turns_.clear();
    enter(nodes_[rules_[nodes_[tail()].value & ~rule_flag].guard].next);
}

void grammar::enter(index at) {
    for (;;) {
        turns_.push_back({at, nodes_[at].count});
        const std::uint32_t value = nodes_[at].value;
        if ((value & rule_flag) == 0) return;
        at = nodes_[rules_[value & ~rule_flag].guard].next;
    }
}

/// Past the call that was expected and came.
void grammar::advance() {
    for (;;) {
        turn& top = turns_.back();
        const node& here = nodes_[top.at];
        if (--top.left > 0) {
            if ((here.value & rule_flag) != 0) enter(nodes_[rules_[here.value & ~rule_flag].guard].next);
            return;
        }
        if (!is_guard(here.next)) {
            turns_.pop_back();
            enter(here.next);
            return;
        }
        turns_.pop_back();
        if (turns_.empty()) {
            ++nodes_[tail()].count;
            expect();
            return;
        }
    }
}

/// What came since the last whole turn, in whole symbols as far as there are any.
std::vector<symbol> grammar::unfinished_turn() const {
    std::vector<symbol> symbols;
    if (pending_ == 0) return symbols;
    for (const turn& level : turns_) {
        index first = level.at;
        while (!is_guard(nodes_[first].previous)) first = nodes_[first].previous;
        for (index n = first; n != level.at; n = nodes_[n].next) symbols.push_back({nodes_[n].value, nodes_[n].count});
        const node& here = nodes_[level.at];
        if (here.count > level.left) symbols.push_back({here.value, here.count - level.left});
    }
    return symbols;
}

void grammar::stop_expecting() {
    const std::vector<symbol> symbols = unfinished_turn();
    expecting_ = false;
    pending_ = 0;
    // While they wait their rules are in use, so that none gives way to its symbols.
    for (const symbol& each : symbols) use(each.value, 1);
    replaying_ = true;
    for (const symbol& each : symbols) {
        push(each);
        use(each.value, -1);
    }
    replaying_ = false;
}

rule_list grammar::rules() const {
    rule_list all(rules_.size());
    for (std::uint32_t number = 0; number < rules_.size(); ++number) {
        if (number != 0 && rules_[number].uses == 0) continue;
        const index guard = rules_[number].guard;
        for (index n = nodes_[guard].next; n != guard; n = nodes_[n].next)
            all[number].push_back({nodes_[n].value, nodes_[n].count});
    }
    for (const symbol& each : unfinished_turn()) all[0].push_back(each);
    return tidy(all);
}

}  // namespace laconic::trace
