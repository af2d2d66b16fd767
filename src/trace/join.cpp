// SPDX-License-Identifier: BSD-3-Clause
// Two stretches of one rank's calls as one.
#include "trace/join.hpp"

#include <string>
#include <unordered_map>

namespace laconic::trace {
namespace {

std::string key_of_signature(const class_signature& of) {
    bytes key;
    put_varint(key, of.shape);
    put_varint(key, of.steps.size());
    for (const column& each : of.slots) put_varint(key, each.at(0));
    for (const column& each : of.steps) put_varint(key, each.at(0));
    return text_of(key);
}

}  // namespace

core joined(core before, core after) {
    rank_class& first = before.classes.front();
    rank_class& second = after.classes.front();
    if (second.rules.front().body.empty()) return before;
    if (first.rules.front().body.empty()) return after;

    std::unordered_map<std::string, std::uint32_t> shapes, signatures;
    for (std::size_t i = 0; i < before.shapes.size(); ++i)
        shapes.emplace(text_of(before.shapes[i]), static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < first.signatures.size(); ++i)
        signatures.emplace(key_of_signature(first.signatures[i]), static_cast<std::uint32_t>(i));
    std::vector<std::uint32_t> numbers;
    for (class_signature& each : second.signatures) {
        const bytes& shape = after.shapes[each.shape];
        const auto shape_at = shapes.emplace(text_of(shape), static_cast<std::uint32_t>(before.shapes.size())).first;
        if (shape_at->second == before.shapes.size()) before.shapes.push_back(shape);
        each.shape = shape_at->second;
        const auto fresh = static_cast<std::uint32_t>(first.signatures.size());
        const auto at = signatures.emplace(key_of_signature(each), fresh).first;
        numbers.push_back(at->second);
        if (at->second == fresh)
            first.signatures.push_back(std::move(each));
        else
            first.signatures[at->second].times.add(each.times);
    }
    // The second start rule's symbols follow those of the first; its other rules move up.
    const auto moved = static_cast<std::uint32_t>(first.rules.size()) - 1;
    for (std::size_t rule = 0; rule < second.rules.size(); ++rule) {
        for (class_symbol& each : second.rules[rule].body)
            each.value =
                (each.value & rule_flag) != 0 ? rule_flag | ((each.value & ~rule_flag) + moved) : numbers[each.value];
        if (rule == 0) {
            auto& start = first.rules.front().body;
            start.insert(start.end(), second.rules[0].body.begin(), second.rules[0].body.end());
        } else {
            first.rules.push_back(std::move(second.rules[rule]));
        }
    }
    make_canonical(first);
    return before;
}

}  // namespace laconic::trace
