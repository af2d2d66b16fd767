// SPDX-License-Identifier: BSD-3-Clause
// One rank's grammar as a core: signatures by shape and slots, progressions as progressive rules.
#include "trace/one_rank.hpp"

#include <map>
#include <unordered_map>

#include "trace/shape.hpp"

namespace laconic::trace {
namespace {

constexpr std::size_t most_period = 16;
/// Three could be chance on one rank and not be there on the next, which would then be of another class.
constexpr std::size_t least_turns = 4;

/// Shapes and slots of all signatures that the rules use.
class split_signatures {
public:
    explicit split_signatures(const recorded_rank& recorded) {
        std::unordered_map<std::string, std::uint32_t> numbers;
        for (const rule_body& body : recorded.rules)
            for (const symbol& each : body) {
                if (each.is_rule()) continue;
                if (each.value >= entries_.size()) entries_.resize(each.value + 1);
                entry& made = entries_[each.value];
                if (made.shape != none) continue;
                const shaped parts = shape_of(recorded.signature(each.value));
                std::string key = text_of(parts.shape);
                const auto known = numbers.emplace(std::move(key), static_cast<std::uint32_t>(shapes.size())).first;
                if (known->second == shapes.size()) shapes.push_back(parts.shape);
                made = {known->second, static_cast<std::uint32_t>(parts.slots.size()), slots_.size()};
                slots_.insert(slots_.end(), parts.slots.begin(), parts.slots.end());
            }
    }

    [[nodiscard]] std::uint32_t shape(std::uint32_t terminal) const { return entries_[terminal].shape; }
    [[nodiscard]] std::span<const std::uint64_t> slots(std::uint32_t terminal) const {
        const entry& of = entries_[terminal];
        return std::span(slots_).subspan(of.first, of.count);
    }

    std::vector<bytes> shapes;

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct entry {
        std::uint32_t shape = none;
        std::uint32_t count = 0;
        std::size_t first = 0;
    };
    std::vector<entry> entries_;
    std::vector<std::uint64_t> slots_;
};

struct progression {
    std::size_t period = 0, turns = 0;
};

/// Whether `later` follows `earlier` in a progression at all.
bool may_follow(const split_signatures& signatures, const symbol& earlier, const symbol& later) {
    if (earlier == later) return true;
    return !earlier.is_rule() && !later.is_rule() && earlier.count == later.count &&
           signatures.shape(earlier.value) == signatures.shape(later.value);
}

/// Whether b - a equals c - b, slot by slot. Precondition: each may follow the one before.
bool equal_steps(const split_signatures& signatures, const symbol& a, const symbol& b, const symbol& c) {
    if (a.value == b.value || b.value == c.value) return a.value == b.value && b.value == c.value;
    const auto x = signatures.slots(a.value);
    const auto y = signatures.slots(b.value);
    const auto z = signatures.slots(c.value);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (y[i] - x[i] != z[i] - y[i]) return false;
    return true;
}

/// The progression with the shortest period that begins at `from`.
progression progression_at(const split_signatures& signatures, const rule_body& body, std::size_t from) {
    const std::size_t left = body.size() - from;
    for (std::size_t period = 1; period <= most_period && period * least_turns <= left; ++period) {
        std::size_t at = from + period;
        bool moves = false;
        for (; at < body.size(); ++at) {
            const symbol& before = body[at - period];
            if (!may_follow(signatures, before, body[at])) break;
            if (at < from + 2 * period)
                moves |= before.value != body[at].value;
            else if (!equal_steps(signatures, body[at - 2 * period], before, body[at]))
                break;
        }
        const std::size_t turns = (at - from) / period;
        if (moves && turns >= least_turns) return {period, turns};
    }
    return {};
}

class builder {
public:
    explicit builder(const recorded_rank& recorded) : recorded_(recorded), signatures_(recorded) {}

    core build() {
        for (const rule_body& body : recorded_.rules) made_.rules.push_back({false, rewritten(body)});
        for (class_rule& each : progressive_) made_.rules.push_back(std::move(each));
        made_.ranks = {recorded_.rank};
        make_canonical(made_);
        core all;
        all.ranks = recorded_.ranks;
        all.shapes = std::move(signatures_.shapes);
        all.classes.push_back(std::move(made_));
        return all;
    }

private:
    std::vector<class_symbol> rewritten(const rule_body& body) {
        std::vector<class_symbol> symbols;
        for (std::size_t at = 0; at < body.size();) {
            const progression found = progression_at(signatures_, body, at);
            if (found.period == 0) {
                symbols.push_back(plain(body[at++]));
                continue;
            }
            class_rule rule{true, {}};
            for (std::size_t lane = 0; lane < found.period; ++lane) {
                const symbol& first = body[at + lane];
                const symbol& second = body[at + found.period + lane];
                if (first.value == second.value) {
                    rule.body.push_back(plain(first));
                    continue;
                }
                const std::uint32_t number = stepping(first.value, second.value);
                rule.body.push_back({number, column(first.count)});
                for (std::size_t turn = 0; turn < found.turns; ++turn)
                    take_times(body[at + turn * found.period + lane].value, made_.signatures[number].times);
            }
            const auto number = static_cast<std::uint32_t>(recorded_.rules.size() + progressive_.size());
            progressive_.push_back(std::move(rule));
            symbols.push_back({rule_flag | number, column(found.turns)});
            at += found.period * found.turns;
        }
        return symbols;
    }

    class_symbol plain(const symbol& each) {
        if (each.is_rule()) return {each.value, column(each.count)};
        const auto [known, fresh] = plain_.emplace(each.value, static_cast<std::uint32_t>(made_.signatures.size()));
        if (fresh) take_times(each.value, add_signature(each.value).times);
        return {known->second, column(each.count)};
    }

    class_signature& add_signature(std::uint32_t terminal) {
        class_signature& made = made_.signatures.emplace_back();
        made.shape = signatures_.shape(terminal);
        for (const std::uint64_t slot : signatures_.slots(terminal)) made.slots.emplace_back(slot);
        return made;
    }

    /// The times of a terminal, which may stand in several places, go to the first signature that takes them.
    void take_times(std::uint32_t terminal, call_statistics& into) {
        if (!recorded_.times) return;
        if (terminal >= taken_.size()) taken_.resize(terminal + 1, false);
        if (!taken_[terminal]) into.add(recorded_.times(terminal));
        taken_[terminal] = true;
    }

    std::uint32_t stepping(std::uint32_t first, std::uint32_t second) {
        const auto [known, fresh] =
            stepping_.emplace(std::pair(first, second), static_cast<std::uint32_t>(made_.signatures.size()));
        if (!fresh) return known->second;
        class_signature& made = add_signature(first);
        const auto from = signatures_.slots(first);
        const auto to = signatures_.slots(second);
        for (std::size_t i = 0; i < from.size(); ++i) made.steps.emplace_back(to[i] - from[i]);
        return known->second;
    }

    const recorded_rank& recorded_;
    split_signatures signatures_;
    rank_class made_;
    std::vector<class_rule> progressive_;
    std::unordered_map<std::uint32_t, std::uint32_t> plain_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> stepping_;
    std::vector<bool> taken_;
};

}  // namespace

core core_of(const recorded_rank& recorded) { return builder(recorded).build(); }

}  // namespace laconic::trace
