// SPDX-License-Identifier: BSD-3-Clause
// The model of a trace: its bytes, and its classes unfolded into cores.
#include "trace/model.hpp"

#include <string>
#include <unordered_set>

#include "trace/shape.hpp"

namespace laconic::trace {
namespace {

status damaged(const std::string& what) { return {errc::corrupt, what + " of the trace is damaged"}; }

void write_term(bytes& out, const term& of) { put_varint(out, of.value << 1 | (of.expressed ? 1 : 0)); }

term read_term(wire_reader& in, const model& made) {
    const std::uint64_t code = in.varint();
    const term read{(code & 1) != 0, code >> 1};
    if (read.expressed && read.value >= made.expressions.size()) in.fail();
    return read;
}

// Symbols: the lowest bit says whether a count follows, the next whether it is a rule.
void write_symbol(bytes& out, const model_symbol& of) {
    const bool counted = of.count != term{false, 1};
    put_varint(out,
               std::uint64_t{of.value & ~rule_flag} << 2 | ((of.value & rule_flag) != 0 ? 2 : 0) | (counted ? 1 : 0));
    if (counted) write_term(out, of.count);
}

model_symbol read_symbol(wire_reader& in, const model& made, std::size_t rules) {
    const std::uint64_t code = in.varint();
    const bool is_rule = (code & 2) != 0;
    model_symbol read;
    if (code >> 2 >= (is_rule ? rules : made.signatures.size())) in.fail();
    read.value = static_cast<std::uint32_t>(code >> 2) | (is_rule ? rule_flag : 0);
    if ((code & 1) != 0) read.count = read_term(in, made);
    return read;
}

result<model_signature> read_signature(wire_reader& in, const model& made) {
    model_signature read;
    const std::uint64_t code = in.varint();
    if (code >> 1 >= made.shapes.size()) return damaged("a signature");
    read.shape = static_cast<std::uint32_t>(code >> 1);
    const auto slots = slots_of(made.shapes[read.shape]);
    if (!slots) return slots.error();
    if (*slots > in.left()) return damaged("a signature");
    for (std::size_t k = 0; k < *slots; ++k) read.slots.push_back(read_term(in, made));
    if ((code & 1) == 0) return read;
    read.steps.assign(*slots, term{});
    const std::size_t steps = in.count(2);
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < steps && !in.failed(); ++k) {
        at += in.below(*slots);
        if (at >= *slots) return damaged("a signature");
        read.steps[static_cast<std::size_t>(at++)] = read_term(in, made);
    }
    if (read.steps.empty()) return damaged("a signature");
    return read;
}

void write_signature(bytes& out, const model_signature& of) {
    put_varint(out, std::uint64_t{of.shape} << 1 | (of.progressive() ? 1 : 0));
    for (const term& each : of.slots) write_term(out, each);
    if (!of.progressive()) return;
    std::size_t steps = 0;
    for (const term& each : of.steps) steps += each != term{};
    put_varint(out, steps);
    std::size_t next = 0;
    for (std::size_t k = 0; k < of.steps.size(); ++k) {
        if (of.steps[k] == term{}) continue;
        put_varint(out, k - next);
        write_term(out, of.steps[k]);
        next = k + 1;
    }
}

}  // namespace

namespace {

bytes encode(const model& from, bool with_times) {
    bytes out;
    put_varint(out, from.ranks);
    put_varint(out, from.shapes.size());
    for (const bytes& each : from.shapes) put_block(out, each);
    put_varint(out, from.expressions.size());
    for (const expression& each : from.expressions) each.write(out);
    put_varint(out, from.signatures.size());
    for (const model_signature& each : from.signatures) write_signature(out, each);
    put_varint(out, from.rules.size());
    for (const model_rule& rule : from.rules) {
        put_varint(out, 2 * rule.body.size() + (rule.progressive ? 1 : 0));
        for (const model_symbol& each : rule.body) write_symbol(out, each);
    }
    put_varint(out, from.classes.size());
    for (const model_class& each : from.classes) {
        each.ranks.write(out);
        put_varint(out, each.start);
        put_varint(out, with_times ? each.times.size() : 0);
        if (with_times)
            for (const call_statistics& times : each.times) times.write(out);
    }
    return out;
}

}  // namespace

bytes encoded(const model& from) { return encode(from, true); }
bytes encoded_calls(const model& from) { return encode(from, false); }

result<model> decoded(view data) try {
    wire_reader in(data);
    model made;
    made.ranks = in.varint();
    if (made.ranks < 1 || made.ranks > most_ranks) return damaged("the number of ranks");
    const std::size_t shapes = in.count();
    for (std::size_t i = 0; i < shapes && !in.failed(); ++i) {
        const view block = in.block();
        made.shapes.emplace_back(block.begin(), block.end());
        if (!slots_of(block)) return damaged("a shape");
    }
    const std::size_t expressions = in.count(3);
    for (std::size_t i = 0; i < expressions && !in.failed(); ++i) {
        auto next = expression::read(in, made.ranks);
        if (!next) return next.error();
        made.expressions.push_back(std::move(*next));
    }
    const std::size_t signatures = in.count();
    for (std::size_t i = 0; i < signatures && !in.failed(); ++i) {
        auto next = read_signature(in, made);
        if (!next) return next.error();
        made.signatures.push_back(std::move(*next));
    }
    const std::size_t rules = in.count();
    if (signatures >= rule_flag || rules >= rule_flag) in.fail();
    for (std::size_t i = 0; i < rules && !in.failed(); ++i) {
        const std::uint64_t code = in.varint();
        if (code / 2 > in.left()) return damaged("a rule");
        model_rule& rule = made.rules.emplace_back();
        rule.progressive = code % 2 == 1;
        for (std::uint64_t k = 0; k < code / 2 && !in.failed(); ++k) {
            const model_symbol each = read_symbol(in, made, i);
            // A rule names earlier ones only, so that none contains itself; progressive rules lie directly in plain
            // ones, and progressive signatures directly in progressive rules.
            const bool is_rule = (each.value & rule_flag) != 0;
            if (in.failed()) break;
            if (is_rule && made.rules[each.value & ~rule_flag].body.empty()) return damaged("a rule");
            if (is_rule ? rule.progressive && made.rules[each.value & ~rule_flag].progressive
                        : !rule.progressive && made.signatures[each.value].progressive())
                return damaged("a rule");
            rule.body.push_back(each);
        }
    }
    const std::size_t classes = in.count(4);
    std::vector<bool> taken(made.ranks, false);
    for (std::size_t i = 0; i < classes && !in.failed(); ++i) {
        auto ranks = rank_set::read(in, made.ranks);
        if (!ranks) return ranks.error();
        model_class next{std::move(*ranks), static_cast<std::uint32_t>(in.below(made.rules.size())), {}};
        if (next.ranks.size() == 0) return damaged("a class of ranks");
        for (const std::uint32_t rank : next.ranks.ranks()) {
            if (taken[rank]) return damaged("a class of ranks");
            taken[rank] = true;
        }
        const std::size_t times = in.count();
        for (std::size_t k = 0; k < times && !in.failed(); ++k) next.times.push_back(call_statistics::read(in));
        if (in.failed() || made.rules[next.start].progressive) return damaged("a class of ranks");
        if (times != 0 && times != class_of(made, next).signatures.size()) return damaged("the times");
        made.classes.push_back(std::move(next));
    }
    if (!in.complete()) return damaged("the table");
    return made;
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory for a trace of " + std::to_string(data.size()) + " bytes");
}

class_view class_of(const model& from, const model_class& of) {
    class_view made;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{of.start, 0}};
    // Sets, not flags for everything: a trace may have as many classes as it has rules.
    std::unordered_set<std::uint32_t> seen{of.start};
    std::unordered_set<std::uint32_t> used;
    made.rules.push_back(of.start);
    while (!stack.empty()) {
        auto& [rule, position] = stack.back();
        if (position == from.rules[rule].body.size()) {
            stack.pop_back();
            continue;
        }
        const std::uint32_t value = from.rules[rule].body[position++].value;
        const std::uint32_t inner = value & ~rule_flag;
        if ((value & rule_flag) == 0 || !seen.insert(inner).second) continue;
        made.rules.push_back(inner);
        stack.emplace_back(inner, 0);
    }
    for (const std::uint32_t rule : made.rules)
        for (const model_symbol& each : from.rules[rule].body) {
            if ((each.value & rule_flag) != 0 || !used.insert(each.value).second) continue;
            made.signatures.push_back(each.value);
        }
    return made;
}

result<core> expanded(const model& from) try {
    core made;
    made.ranks = from.ranks;
    made.shapes = from.shapes;
    std::uint64_t values = 0;
    // Each class sets the entries that it reads.
    std::vector<std::uint32_t> rule_numbers(from.rules.size());
    std::vector<std::uint32_t> numbers(from.signatures.size());
    for (const model_class& group : from.classes) {
        rank_class next;
        next.ranks = group.ranks.ranks();
        const auto column_of = [&](const term& of) {
            if (!of.expressed) return column(of.value);
            values += next.ranks.size();
            if (values > most_column_values) return column();
            std::vector<std::uint64_t> each;
            each.reserve(next.ranks.size());
            for (const std::uint32_t rank : next.ranks) each.push_back(from.value(of, rank));
            return column(std::move(each));
        };
        const class_view parts = class_of(from, group);
        for (std::size_t i = 0; i < parts.rules.size(); ++i)
            rule_numbers[parts.rules[i]] = static_cast<std::uint32_t>(i);
        for (std::size_t i = 0; i < parts.signatures.size(); ++i) {
            const model_signature& of = from.signatures[parts.signatures[i]];
            numbers[parts.signatures[i]] = static_cast<std::uint32_t>(i);
            class_signature& signature = next.signatures.emplace_back();
            signature.shape = of.shape;
            for (const term& each : of.slots) signature.slots.push_back(column_of(each));
            for (const term& each : of.steps) signature.steps.push_back(column_of(each));
            if (!group.times.empty()) signature.times = group.times[i];
        }
        for (const std::uint32_t rule : parts.rules) {
            class_rule& body = next.rules.emplace_back();
            body.progressive = from.rules[rule].progressive;
            for (const model_symbol& each : from.rules[rule].body) {
                const std::uint32_t inner = each.value & ~rule_flag;
                const bool is_rule = (each.value & rule_flag) != 0;
                body.body.push_back(
                    {is_rule ? rule_flag | rule_numbers[inner] : numbers[inner], column_of(each.count)});
            }
        }
        if (values > most_column_values)
            return status(errc::out_of_memory,
                          "the trace holds more than 2^31 numbers that differ from rank to rank; merge fewer ranks");
        made.classes.push_back(std::move(next));
    }
    return made;
} catch (const std::bad_alloc&) {
    return status(errc::out_of_memory, "no memory to unfold a trace of " + std::to_string(from.ranks) + " ranks");
}

}  // namespace laconic::trace
