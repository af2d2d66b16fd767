// SPDX-License-Identifier: BSD-3-Clause
// Walking through one rank's calls in a model.
#include "trace/replay.hpp"

#include <string>

#include "trace/shape.hpp"

namespace laconic::trace {

result<replay> replay::of_rank(const model& from, std::uint32_t rank) {
    replay made;
    made.from_ = &from;
    made.rank_ = rank;
    const model_class* group = nullptr;
    for (const model_class& each : from.classes)
        if (each.ranks.contains(rank)) group = &each;
    if (group == nullptr)
        return status(errc::invalid_argument, "the trace has no rank " + std::to_string(rank) + "; it is of " +
                                                  std::to_string(from.ranks) + " ranks");
    const class_view parts = class_of(from, *group);
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const std::uint32_t rule : parts.rules) numbers.emplace(rule, static_cast<std::uint32_t>(numbers.size()));
    rule_list lengths_as;
    for (const std::uint32_t rule : parts.rules) {
        rule_here& body = made.rules_.emplace_back();
        body.progressive = from.rules[rule].progressive;
        rule_body& plain = lengths_as.emplace_back();
        for (const model_symbol& each : from.rules[rule].body) {
            const bool is_rule = (each.value & rule_flag) != 0;
            const std::uint32_t value = is_rule ? rule_flag | numbers[each.value & ~rule_flag] : each.value;
            body.body.push_back({value, from.value(each.count, rank)});
            plain.push_back({value, body.body.back().count});
        }
    }
    const auto lengths = lengths_of(lengths_as);
    if (!lengths) return lengths.error();
    made.calls_ = (*lengths)[0];
    if (made.calls_ > 0) {
        made.stack_.push_back({0, 0, made.rules_[0].body[0].count, 0});
        made.descend();
    }
    return made;
}

void replay::descend() {
    for (;;) {
        const level& top = stack_.back();
        const symbol_here& here = rules_[top.rule].body[top.position];
        if ((here.value & rule_flag) == 0) return;
        const std::uint32_t inner = here.value & ~rule_flag;
        stack_.push_back({inner, 0, rules_[inner].body[0].count, here.count - top.left});
    }
}

std::uint32_t replay::signature_number() const noexcept {
    const level& top = stack_.back();
    return rules_[top.rule].body[top.position].value;
}

result<view> replay::signature() {
    const std::uint32_t number = signature_number();
    const model_signature& of = from_->signatures[number];
    if (!of.progressive())
        if (const auto known = kept_.find(number); known != kept_.end()) return view(known->second);
    std::vector<std::uint64_t> slots, steps;
    for (const term& each : of.slots) slots.push_back(from_->value(each, rank_));
    for (const term& each : of.steps) steps.push_back(from_->value(each, rank_));
    built_.clear();
    if (status bad = signature_of(from_->shapes[of.shape], slots, steps, stack_.back().turn, built_); !bad.ok())
        return bad;
    if (of.progressive()) return view(built_);
    return view(kept_[number] = built_);
}

void replay::next() {
    ++read_;
    while (!stack_.empty()) {
        level& here = stack_.back();
        if (here.left > 1) {
            --here.left;
            return descend();
        }
        if (++here.position < rules_[here.rule].body.size()) {
            here.left = rules_[here.rule].body[here.position].count;
            return descend();
        }
        stack_.pop_back();
    }
}

void replay::skip() {
    read_ += stack_.back().left - 1;
    stack_.back().left = 1;
    next();
}

void replay::drop(std::uint64_t times) noexcept {
    stack_.back().left -= times;
    read_ += times;
}

std::vector<std::uint64_t> replay::calls_by_signature() const {
    std::vector<std::uint64_t> times(rules_.size(), 0);
    std::vector<std::uint64_t> calls(from_->signatures.size(), 0);
    if (rules_.empty()) return calls;
    // Rules in the order of class_of() may name later and earlier ones: outer rules first, by how deep they lie.
    std::vector<std::uint32_t> uses(rules_.size(), 0);
    for (const rule_here& rule : rules_)
        for (const symbol_here& each : rule.body)
            if ((each.value & rule_flag) != 0) ++uses[each.value & ~rule_flag];
    std::vector<std::uint32_t> ready{0};
    times[0] = 1;
    while (!ready.empty()) {
        const std::uint32_t rule = ready.back();
        ready.pop_back();
        for (const symbol_here& each : rules_[rule].body) {
            if ((each.value & rule_flag) == 0) {
                calls[each.value] += times[rule] * each.count;
                continue;
            }
            const std::uint32_t inner = each.value & ~rule_flag;
            times[inner] += times[rule] * each.count;
            if (--uses[inner] == 0) ready.push_back(inner);
        }
    }
    return calls;
}

}  // namespace laconic::trace
