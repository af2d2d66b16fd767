// SPDX-License-Identifier: BSD-3-Clause
// Grammars at rest: lengths, tidying, walking.
#include "trace/rules.hpp"

#include <string>

namespace laconic::trace {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// Rules reachable from `start`, each after all rules that it contains; empty when one contains itself or does not
/// exist, which `fault` then names. Without recursion: depth is the file's choice.
std::vector<std::uint32_t> bottom_up(const rule_list& rules, std::uint32_t start, std::string& fault) {
    enum : std::uint8_t { unseen, open, done };
    std::vector<std::uint8_t> states(rules.size(), unseen);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    std::vector<std::uint32_t> order;
    if (start >= rules.size()) {
        fault = "there is no rule " + std::to_string(start);
        return {};
    }
    states[start] = open;
    stack.emplace_back(start, 0);
    while (!stack.empty()) {
        auto& [rule, position] = stack.back();
        if (position == rules[rule].size()) {
            states[rule] = done;
            order.push_back(rule);
            stack.pop_back();
            continue;
        }
        const symbol& next = rules[rule][position++];
        if (!next.is_rule()) continue;
        const std::uint32_t inner = next.rule();
        if (inner >= rules.size()) {
            fault = "there is no rule " + std::to_string(inner);
            return {};
        }
        if (states[inner] == open) {
            fault = "rule " + std::to_string(inner) + " contains itself";
            return {};
        }
        if (states[inner] == done) continue;
        states[inner] = open;
        stack.emplace_back(inner, 0);
    }
    return order;
}

}  // namespace

result<std::vector<std::uint64_t>> lengths_of(const rule_list& rules) {
    std::vector<std::uint64_t> lengths(rules.size(), 0);
    std::vector<std::uint8_t> known(rules.size(), 0);
    std::string fault;
    for (std::uint32_t start = 0; start < rules.size(); ++start) {
        if (known[start] != 0) continue;
        const auto order = bottom_up(rules, start, fault);
        if (!fault.empty()) return status(errc::corrupt, "the grammar is not one: " + fault);
        for (const std::uint32_t rule : order) {
            if (known[rule] != 0) continue;
            known[rule] = 1;
            std::uint64_t length = 0;
            for (const symbol& each : rules[rule]) {
                const std::uint64_t once = each.is_rule() ? lengths[each.rule()] : 1;
                if (each.count == 0 || (once != 0 && each.count > (most_calls - length) / once))
                    return status(errc::corrupt, "rule " + std::to_string(rule) +
                                                     " of the grammar repeats a symbol no times, or stands for more "
                                                     "calls than there can be");
                length += once * each.count;
            }
            if (length == 0 && rule != 0)
                return status(errc::corrupt, "rule " + std::to_string(rule) + " of the grammar is empty");
            lengths[rule] = length;
        }
    }
    return lengths;
}

rule_list tidy(const rule_list& rules) {
    std::string fault;
    const auto order = bottom_up(rules, 0, fault);
    // A rule of one symbol is that symbol, so many times.
    std::vector<symbol> stands_for(rules.size());
    rule_list shorter(rules.size());
    for (const std::uint32_t rule : order) {
        rule_body& body = shorter[rule];
        for (symbol each : rules[rule]) {
            if (each.is_rule()) {
                const symbol inner = stands_for[each.rule()];
                each = {inner.value, inner.count * each.count};
            }
            if (!body.empty() && body.back().value == each.value)
                body.back().count += each.count;
            else
                body.push_back(each);
        }
        stands_for[rule] = body.size() == 1 && rule != 0 ? body.front() : symbol{rule_flag | rule, 1};
    }
    // Numbered as the sequence meets them: equal sequences of calls have equal grammars, number by number.
    std::vector<std::uint32_t> numbers(rules.size(), none);
    std::vector<std::uint32_t> met{0};
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    numbers[0] = 0;
    while (!stack.empty()) {
        auto& [rule, position] = stack.back();
        if (position == shorter[rule].size()) {
            stack.pop_back();
            continue;
        }
        const symbol& each = shorter[rule][position++];
        if (!each.is_rule() || numbers[each.rule()] != none) continue;
        numbers[each.rule()] = static_cast<std::uint32_t>(met.size());
        met.push_back(each.rule());
        stack.emplace_back(each.rule(), 0);
    }
    rule_list tidied;
    tidied.reserve(met.size());
    for (const std::uint32_t rule : met) {
        for (symbol& each : shorter[rule])
            if (each.is_rule()) each.value = rule_flag | numbers[each.rule()];
        tidied.push_back(std::move(shorter[rule]));
    }
    return tidied;
}

rule_cursor::rule_cursor(const rule_list& rules, std::uint32_t start) : rules_(&rules) { enter(start); }

void rule_cursor::enter(std::uint32_t rule) {
    if (rule < rules_->size() && !(*rules_)[rule].empty()) {
        stack_.push_back({rule, 0, (*rules_)[rule][0].count});
        descend();
    }
}

void rule_cursor::descend() {
    for (;;) {
        const symbol& here = (*rules_)[top().rule][top().position];
        if (!here.is_rule()) return;
        stack_.push_back({here.rule(), 0, (*rules_)[here.rule()][0].count});
    }
}

void rule_cursor::next() {
    while (!stack_.empty()) {
        level& here = stack_.back();
        const rule_body& body = (*rules_)[here.rule];
        if (here.left > 1) {
            --here.left;
            return descend();
        }
        if (++here.position < body.size()) {
            here.left = body[here.position].count;
            return descend();
        }
        stack_.pop_back();
    }
}

}  // namespace laconic::trace
