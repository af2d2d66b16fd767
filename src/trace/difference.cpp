// SPDX-License-Identifier: BSD-3-Clause
// Two traces flow in; whether they hold the same calls, and where they part, flows out.
#include <algorithm>

#include "trace/replay.hpp"
#include "trace/trace_state.hpp"

namespace laconic {
namespace {

/// One rank, call by call, runs of one call at once.
result<trace_difference> rank_difference(const trace_file& a, const trace_file& b, std::uint32_t rank) {
    auto x = trace::replay::of_rank(a.inner().calls, rank);
    if (!x) return x.error();
    auto y = trace::replay::of_rank(b.inner().calls, rank);
    if (!y) return y.error();
    trace_difference found;
    found.rank = rank;
    const auto part = [&](std::string text) {
        found.equal = false;
        found.text = std::move(text);
        return found;
    };
    while (!x->at_end() && !y->at_end()) {
        const auto first = x->signature();
        if (!first) return first.error();
        const auto second = y->signature();
        if (!second) return second.error();
        if (!std::equal(first->begin(), first->end(), second->begin(), second->end()))
            return part("rank " + std::to_string(rank) + " makes another call at number " + std::to_string(found.call));
        const std::uint64_t both = std::min(x->repeats(), y->repeats());
        for (trace::replay* const each : {&*x, &*y})
            if (each->repeats() == both)
                each->skip();
            else
                each->drop(both);
        found.call += both;
    }
    if (x->at_end() && y->at_end()) return found;
    return part("rank " + std::to_string(rank) + " makes " + std::to_string(x->calls()) + " calls in one trace and " +
                std::to_string(y->calls()) + " in the other");
}

}  // namespace

result<trace_difference> difference(const trace_file& a, const trace_file& b) {
    trace_difference found;
    const auto ranks = a.ranks();
    const auto others = b.ranks();
    if (a.facts().ranks != b.facts().ranks || ranks != others) {
        found.equal = false;
        found.text =
            "one trace is of " + std::to_string(ranks.size()) + " ranks, the other of " + std::to_string(others.size());
        if (ranks.size() == others.size()) found.text = "the traces are of different ranks";
        return found;
    }
    // Equal tables say it all at once; tables of equal calls may still differ by how the ranks were merged.
    if (trace::encoded_calls(a.inner().calls) == trace::encoded_calls(b.inner().calls)) return found;
    for (const std::uint32_t rank : ranks) {
        auto one = rank_difference(a, b, rank);
        if (!one || !one->equal) return one;
    }
    return found;
}

}  // namespace laconic
