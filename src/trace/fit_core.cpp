// SPDX-License-Identifier: BSD-3-Clause
// From columns to expressions: a core flows in, a model in which its classes share all they can flows out.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "trace/fit_expression.hpp"
#include "trace/model.hpp"

namespace laconic::trace {
namespace {

/// How many signatures of a shape are tried for a class before it gets its own.
constexpr std::size_t most_tries = 48;

void put_term(bytes& key, const term& of) {
    put_varint(key, of.expressed ? 1 : 0);
    put_varint(key, of.value);
}

class fitter {
public:
    explicit fitter(const core& from) : from_(from), finder_(from.ranks) {}

    model fit() {
        made_.ranks = from_.ranks;
        made_.shapes = from_.shapes;
        of_shape_.resize(made_.shapes.size());
        // The largest classes say most about what an expression is; the small ones then find it there.
        std::vector<std::size_t> order(from_.classes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return from_.classes[a].ranks.size() > from_.classes[b].ranks.size();
        });
        for (const std::size_t each : order) add_class(from_.classes[each]);
        return std::move(made_);
    }

private:
    void add_class(const rank_class& group) {
        ranks_ = group.ranks;
        model_class made;
        made.ranks = rank_set(group.ranks);
        std::vector<std::uint32_t> signatures;
        bool timed = false;
        for (const class_signature& each : group.signatures) {
            signatures.push_back(signature(each));
            timed |= each.times.count > 0;
        }
        if (timed)
            for (const class_signature& each : group.signatures) made.times.push_back(each.times);
        // Inner rules first, so that a rule is known by what it stands for.
        std::vector<std::uint32_t> numbers(group.rules.size());
        for (const std::uint32_t rule : bottom_up(group.rules)) {
            model_rule body{group.rules[rule].progressive, {}};
            for (const class_symbol& each : group.rules[rule].body) {
                const std::uint32_t inner = each.value & ~rule_flag;
                const bool is_rule = (each.value & rule_flag) != 0;
                body.body.push_back({is_rule ? rule_flag | numbers[inner] : signatures[inner], number(each.count)});
            }
            numbers[rule] = shared_rule(std::move(body));
        }
        made.start = numbers[0];
        made_.classes.push_back(std::move(made));
    }

    static std::vector<std::uint32_t> bottom_up(const std::vector<class_rule>& rules) {
        std::vector<std::uint32_t> order;
        std::vector<bool> seen(rules.size(), false);
        std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
        seen[0] = true;
        while (!stack.empty()) {
            auto& [rule, position] = stack.back();
            if (position == rules[rule].body.size()) {
                order.push_back(rule);
                stack.pop_back();
                continue;
            }
            const std::uint32_t value = rules[rule].body[position++].value;
            const std::uint32_t inner = value & ~rule_flag;
            if ((value & rule_flag) == 0 || seen[inner]) continue;
            seen[inner] = true;
            stack.emplace_back(inner, 0);
        }
        return order;
    }

    term number(const column& of) {
        if (of.constant()) {
            if (of.at(0) < std::uint64_t{1} << 63) return {false, of.at(0)};
            expression fixed;
            fixed.otherwise = constant(of.at(0));
            return shared_expression(fixed);
        }
        values_.resize(ranks_.size());
        for (std::size_t i = 0; i < ranks_.size(); ++i) values_[i] = of.at(i);
        return shared_expression(finder_.find(ranks_, values_));
    }

    term shared_expression(const expression& found) {
        const auto known = expressions_.emplace(text_of(key_of(found)), made_.expressions.size()).first;
        if (known->second == made_.expressions.size()) made_.expressions.push_back(found);
        return {true, known->second};
    }

    [[nodiscard]] bool holds(const term& of, const column& values) const {
        if (!of.expressed) return values.constant() && values.at(0) == of.value;
        const expression& found = made_.expressions[of.value];
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            if (found.at(ranks_[i]) != values.at(i)) return false;
        return true;
    }

    [[nodiscard]] bool holds(const model_signature& candidate, const class_signature& of) const {
        if (candidate.progressive() != of.progressive()) return false;
        for (std::size_t k = 0; k < of.slots.size(); ++k)
            if (!holds(candidate.slots[k], of.slots[k])) return false;
        for (std::size_t k = 0; k < of.steps.size(); ++k)
            if (!holds(candidate.steps[k], of.steps[k])) return false;
        return true;
    }

    /// A term that is `value` on the one rank `rank`, and what the column says on the ranks of the class: as an
    /// expression of slope 1, if there is one.
    std::optional<term> common_term(const term& known, std::uint32_t rank, const column& of) {
        if (holds(known, of)) return known;
        if (known.expressed) return {};
        for (const bool zigzagged : {false, true})
            for (const std::uint64_t slope : {std::uint64_t{1}, ~std::uint64_t{0}}) {
                expression line;
                line.otherwise.zigzagged = zigzagged;
                line.otherwise.weights[0] = slope;
                const std::uint64_t number =
                    zigzagged ? static_cast<std::uint64_t>(unzigzag(known.value)) : known.value;
                line.otherwise.base = number - slope * rank;
                bool fits = true;
                for (std::size_t i = 0; fits && i < ranks_.size(); ++i) fits = line.at(ranks_[i]) == of.at(i);
                if (fits) return shared_expression(line);
            }
        return {};
    }

    /// Classes of one rank each (the corners of a grid, or all of a small job) show what they have in common only side
    /// by side: a signature that one rank used so far takes expressions in, if then it is this one's, too.
    bool generalised(std::uint32_t number, const class_signature& of) {
        model_signature& known = made_.signatures[number];
        const std::uint32_t rank = sole_rank_[number];
        if (rank == none || known.progressive() != of.progressive()) return false;
        std::vector<term> slots, steps;
        for (std::size_t k = 0; k < of.slots.size(); ++k) {
            const auto common = common_term(known.slots[k], rank, of.slots[k]);
            if (!common) return false;
            slots.push_back(*common);
        }
        for (std::size_t k = 0; k < of.steps.size(); ++k) {
            const auto common = common_term(known.steps[k], rank, of.steps[k]);
            if (!common) return false;
            steps.push_back(*common);
        }
        signatures_.erase(key_of_signature(known));
        known.slots = std::move(slots);
        known.steps = std::move(steps);
        signatures_.emplace(key_of_signature(known), number);
        sole_rank_[number] = none;
        return true;
    }

    static std::string key_of_signature(const model_signature& of) {
        bytes key;
        put_varint(key, of.shape);
        put_varint(key, of.steps.size());
        for (const term& each : of.slots) put_term(key, each);
        for (const term& each : of.steps) put_term(key, each);
        return text_of(key);
    }

    /// Where the first class needed an expression another may do with a number: it takes the expression all the same.
    std::uint32_t signature(const class_signature& of) {
        known_signatures& known = of_shape_[of.shape];
        const std::size_t tries = std::min(known.numbers.size(), most_tries);
        for (std::size_t i = 0; i < tries; ++i) {
            const std::size_t at = (known.next + i) % known.numbers.size();
            const std::uint32_t number = known.numbers[at];
            if (!holds(made_.signatures[number], of)) continue;
            // More ranks rely on it from now on than the one that it could be generalised for.
            sole_rank_[number] = none;
            known.next = at + 1;
            return number;
        }
        for (std::size_t i = 0; i < tries; ++i) {
            const std::size_t at = (known.next + i) % known.numbers.size();
            if (!generalised(known.numbers[at], of)) continue;
            known.next = at + 1;
            return known.numbers[at];
        }
        model_signature made{of.shape, {}, {}};
        for (const column& each : of.slots) made.slots.push_back(number(each));
        for (const column& each : of.steps) made.steps.push_back(number(each));
        const auto fresh = static_cast<std::uint32_t>(made_.signatures.size());
        const auto entry = signatures_.emplace(key_of_signature(made), fresh).first;
        if (entry->second == fresh) {
            made_.signatures.push_back(std::move(made));
            sole_rank_.push_back(ranks_.size() == 1 ? ranks_.front() : none);
            known.numbers.push_back(fresh);
        } else {
            // Found beyond the tries: from now on this class relies on it, too.
            sole_rank_[entry->second] = none;
        }
        return entry->second;
    }

    std::uint32_t shared_rule(model_rule rule) {
        bytes key;
        put_varint(key, rule.progressive ? 1 : 0);
        for (const model_symbol& each : rule.body) {
            put_varint(key, each.value);
            put_term(key, each.count);
        }
        const auto fresh = static_cast<std::uint32_t>(made_.rules.size());
        const auto known = rules_.emplace(text_of(key), fresh).first;
        if (known->second == fresh) made_.rules.push_back(std::move(rule));
        return known->second;
    }

    struct known_signatures {
        std::vector<std::uint32_t> numbers;
        std::size_t next = 0;  ///< where the search goes on: classes use signatures in similar order
    };

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    const core& from_;
    model made_;
    std::vector<std::uint32_t> sole_rank_;  ///< of each signature; none: of several ranks, or expressed by them
    expression_finder finder_;
    std::span<const std::uint32_t> ranks_;
    std::vector<std::uint64_t> values_;
    std::unordered_map<std::string, std::uint64_t> expressions_;
    std::unordered_map<std::string, std::uint32_t> signatures_, rules_;
    std::vector<known_signatures> of_shape_;
};

}  // namespace

model fitted(const core& from) { return fitter(from).fit(); }

}  // namespace laconic::trace
