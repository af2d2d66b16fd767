// SPDX-License-Identifier: BSD-3-Clause
// Classes of ranks: canonical order, keys, and the merge of two cores.
#include "trace/core.hpp"

#include <algorithm>
#include <unordered_map>

namespace laconic::trace {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// The rules that a walk from the start meets, in that order.
std::vector<std::uint32_t> met_rules(const std::vector<class_rule>& rules) {
    std::vector<bool> seen(rules.size(), false);
    std::vector<std::uint32_t> met{0};
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
        auto& [rule, position] = stack.back();
        if (position == rules[rule].body.size()) {
            stack.pop_back();
            continue;
        }
        const std::uint32_t value = rules[rule].body[position++].value;
        const std::uint32_t inner = value & ~rule_flag;
        if ((value & rule_flag) == 0 || seen[inner]) continue;
        seen[inner] = true;
        met.push_back(inner);
        stack.emplace_back(inner, 0);
    }
    return met;
}

}  // namespace

column::column(std::vector<std::uint64_t> values) : values_(std::move(values)) {
    if (values_.empty()) return;
    value_ = values_.front();
    if (std::all_of(values_.begin(), values_.end(), [this](std::uint64_t each) { return each == value_; })) {
        values_.clear();
        values_.shrink_to_fit();
    }
}

column column::merged(const column& first, const column& second, const std::vector<bool>& from_second) {
    if (first.constant() && second.constant() && first.value_ == second.value_) return first;
    std::vector<std::uint64_t> values;
    values.reserve(from_second.size());
    std::size_t next[2] = {0, 0};
    for (const bool which : from_second) values.push_back((which ? second : first).at(next[which ? 1 : 0]++));
    return column(std::move(values));
}

void make_canonical(rank_class& made) {
    const auto met = met_rules(made.rules);
    std::vector<std::uint32_t> rule_numbers(made.rules.size(), none);
    for (std::size_t i = 0; i < met.size(); ++i) rule_numbers[met[i]] = static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> numbers(made.signatures.size(), none);
    std::vector<class_rule> rules;
    std::vector<class_signature> signatures;
    rules.reserve(met.size());
    for (const std::uint32_t rule : met) {
        for (class_symbol& each : made.rules[rule].body) {
            if ((each.value & rule_flag) != 0) {
                each.value = rule_flag | rule_numbers[each.value & ~rule_flag];
                continue;
            }
            std::uint32_t& number = numbers[each.value];
            if (number == none) {
                number = static_cast<std::uint32_t>(signatures.size());
                signatures.push_back(std::move(made.signatures[each.value]));
            }
            each.value = number;
        }
        rules.push_back(std::move(made.rules[rule]));
    }
    made.rules = std::move(rules);
    made.signatures = std::move(signatures);
}

std::string key_of(const rank_class& of, const std::vector<bytes>& shapes) {
    bytes key;
    put_varint(key, of.signatures.size());
    for (const class_signature& each : of.signatures) {
        put_varint(key, each.progressive() ? 1 : 0);
        put_block(key, shapes[each.shape]);
    }
    for (const class_rule& rule : of.rules) {
        put_varint(key, 2 * rule.body.size() + (rule.progressive ? 1 : 0));
        for (const class_symbol& each : rule.body) put_varint(key, each.value);
    }
    return text_of(key);
}

namespace {

status merge_class(rank_class& into, rank_class&& other) {
    std::vector<std::uint32_t> ranks;
    std::vector<bool> from_second;
    ranks.reserve(into.ranks.size() + other.ranks.size());
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < into.ranks.size() || j < other.ranks.size()) {
        const bool second = i == into.ranks.size() || (j < other.ranks.size() && other.ranks[j] < into.ranks[i]);
        ranks.push_back(second ? other.ranks[j++] : into.ranks[i++]);
        from_second.push_back(second);
    }
    const auto merge = [&](column& mine, const column& theirs) { mine = column::merged(mine, theirs, from_second); };
    for (std::size_t s = 0; s < into.signatures.size(); ++s) {
        class_signature& mine = into.signatures[s];
        const class_signature& theirs = other.signatures[s];
        for (std::size_t k = 0; k < mine.slots.size(); ++k) merge(mine.slots[k], theirs.slots[k]);
        for (std::size_t k = 0; k < mine.steps.size(); ++k) merge(mine.steps[k], theirs.steps[k]);
        mine.times.add(theirs.times);
    }
    for (std::size_t r = 0; r < into.rules.size(); ++r)
        for (std::size_t k = 0; k < into.rules[r].body.size(); ++k)
            merge(into.rules[r].body[k].count, other.rules[r].body[k].count);
    into.ranks = std::move(ranks);
    return {};
}

}  // namespace

result<core> merged(core first, core second) {
    if (first.ranks != second.ranks)
        return status(errc::mismatch, "traces of a job of " + std::to_string(first.ranks) + " ranks and of one of " +
                                          std::to_string(second.ranks) + " cannot be merged; give parts of one job");
    std::vector<bool> taken(first.ranks, false);
    for (const core* const each : {&first, &second})
        for (const rank_class& group : each->classes)
            for (const std::uint32_t rank : group.ranks) {
                if (rank >= first.ranks || taken[rank])
                    return status(errc::mismatch, "rank " + std::to_string(rank) +
                                                      " occurs twice in traces that are to be merged; give each once");
                taken[rank] = true;
            }
    std::unordered_map<std::string, std::uint32_t> shape_numbers;
    for (std::size_t i = 0; i < first.shapes.size(); ++i)
        shape_numbers.emplace(text_of(first.shapes[i]), static_cast<std::uint32_t>(i));
    std::unordered_map<std::string, std::size_t> classes;
    for (std::size_t i = 0; i < first.classes.size(); ++i) classes.emplace(key_of(first.classes[i], first.shapes), i);
    for (rank_class& each : second.classes) {
        const auto [known, fresh] = classes.emplace(key_of(each, second.shapes), first.classes.size());
        for (class_signature& signature : each.signatures) {
            const bytes& shape = second.shapes[signature.shape];
            const auto number =
                shape_numbers.emplace(text_of(shape), static_cast<std::uint32_t>(first.shapes.size())).first;
            if (number->second == first.shapes.size()) first.shapes.push_back(shape);
            signature.shape = number->second;
        }
        if (fresh)
            first.classes.push_back(std::move(each));
        else if (status bad = merge_class(first.classes[known->second], std::move(each)); !bad.ok())
            return bad;
    }
    return first;
}

}  // namespace laconic::trace
