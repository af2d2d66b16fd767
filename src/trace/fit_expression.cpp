// SPDX-License-Identifier: BSD-3-Clause
// The search for expressions of the rank: lines, exclusive or, pieces, grids, lists; the first that fits, or the
// shortest of those that always do.
#include "trace/fit_expression.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace laconic::trace {
namespace {

using rank_span = std::span<const std::uint32_t>;
using value_span = std::span<const std::uint64_t>;

constexpr std::size_t most_known = 64;
constexpr std::size_t most_pieces = 8;
constexpr std::size_t most_divisors = 64;

bool fits(const expression& candidate, rank_span ranks, value_span values) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (candidate.at(ranks[i]) != values[i]) return false;
    return true;
}

/// The values as signed numbers whose zigzag forms they are, or as they are.
std::vector<std::uint64_t> plain(value_span values, bool zigzagged) {
    std::vector<std::uint64_t> numbers(values.begin(), values.end());
    if (zigzagged)
        for (std::uint64_t& each : numbers) each = static_cast<std::uint64_t>(unzigzag(each));
    return numbers;
}

/// The line through the first two points, if its slope is whole.
std::optional<expression> line(rank_span ranks, const std::vector<std::uint64_t>& numbers, bool zigzagged) {
    expression made;
    made.otherwise.zigzagged = zigzagged;
    if (ranks.size() > 1) {
        const auto run = static_cast<std::int64_t>(ranks[1]) - static_cast<std::int64_t>(ranks[0]);
        const auto rise = static_cast<std::int64_t>(numbers[1] - numbers[0]);
        if (rise % run != 0) return {};
        made.otherwise.weights[0] = static_cast<std::uint64_t>(rise / run);
    }
    made.otherwise.base = numbers[0] - made.otherwise.weights[0] * ranks[0];
    return made;
}

std::optional<expression> exclusive_or(rank_span ranks, value_span values) {
    // v = (r ^ mask) + base, with the few bases that encodings of ranks have.
    for (const std::uint64_t base : {0U, 5U, 1U}) {
        expression made;
        made.what = expression::kind::exclusive_or;
        made.otherwise.base = base;
        made.mask = (values[0] - base) ^ ranks[0];
        if (made.mask < (std::uint64_t{1} << 32) && fits(made, ranks, values)) return made;
    }
    return {};
}

/// Lines of slope 0, 1 and -1 in either form, each time the one that holds for most of the ranks that are left.
std::optional<expression> pieces(rank_span ranks, value_span values) {
    struct form {
        bool zigzagged;
        std::uint64_t slope;
    };
    constexpr form forms[] = {{false, 0}, {false, 1}, {true, 1}, {true, ~std::uint64_t{0}}, {false, ~std::uint64_t{0}}};
    struct piece {
        linear value;
        std::vector<std::uint32_t> ranks;
    };
    std::vector<piece> found;
    std::vector<std::uint32_t> left_ranks(ranks.begin(), ranks.end());
    std::vector<std::uint64_t> left_values(values.begin(), values.end());
    std::unordered_map<std::uint64_t, std::size_t> tally;
    while (!left_ranks.empty()) {
        if (found.size() == most_pieces) return {};
        linear best;
        std::size_t most = 0;
        for (const form& each : forms) {
            tally.clear();
            for (std::size_t i = 0; i < left_ranks.size(); ++i) {
                const std::uint64_t number =
                    each.zigzagged ? static_cast<std::uint64_t>(unzigzag(left_values[i])) : left_values[i];
                const std::uint64_t base = number - each.slope * left_ranks[i];
                const std::size_t times = ++tally[base];
                if (times <= most) continue;
                most = times;
                best.zigzagged = each.zigzagged;
                best.base = base;
                best.weights[0] = each.slope;
            }
        }
        piece next{best, {}};
        std::size_t kept = 0;
        for (std::size_t i = 0; i < left_ranks.size(); ++i) {
            if (best.at(left_ranks[i]) == left_values[i]) {
                next.ranks.push_back(left_ranks[i]);
            } else {
                left_ranks[kept] = left_ranks[i];
                left_values[kept++] = left_values[i];
            }
        }
        left_ranks.resize(kept);
        left_values.resize(kept);
        found.push_back(std::move(next));
    }
    expression made;
    made.otherwise = found.front().value;
    for (std::size_t i = 1; i < found.size(); ++i)
        made.exceptions.push_back({rank_set(found[i].ranks), found[i].value});
    return made;
}

/// A weight per digit, each from two ranks that differ in that digit only; nothing where they contradict each other.
std::optional<expression> on_grid(const std::vector<std::uint64_t>& strides, rank_span ranks,
                                  const std::vector<std::uint64_t>& numbers, value_span values, bool zigzagged) {
    expression made;
    made.otherwise.zigzagged = zigzagged;
    made.otherwise.strides = strides;
    made.otherwise.weights.assign(strides.size(), 0);
    for (std::size_t k = 0; k < strides.size(); ++k) {
        // In ascending ranks those that differ in digit k are strides[k] apart.
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const std::uint64_t digit = ranks[i] / strides[k];
            if (k + 1 < strides.size() && (digit + 1) % (strides[k + 1] / strides[k]) == 0) continue;
            const std::uint64_t wanted = ranks[i] + strides[k];
            const auto other = std::lower_bound(ranks.begin() + static_cast<std::ptrdiff_t>(i), ranks.end(), wanted);
            if (other == ranks.end() || *other != wanted) continue;
            made.otherwise.weights[k] = numbers[static_cast<std::size_t>(other - ranks.begin())] - numbers[i];
            break;
        }
    }
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < strides.size(); ++k) {
        std::uint64_t digit = ranks[0] / strides[k];
        if (k + 1 < strides.size()) digit %= strides[k + 1] / strides[k];
        sum += made.otherwise.weights[k] * digit;
    }
    made.otherwise.base = numbers[0] - sum;
    if (!fits(made, ranks, values)) return {};
    return made;
}

expression listed(rank_span ranks, value_span values) {
    expression made;
    made.what = expression::kind::listed;
    made.ranks = rank_set(ranks);
    made.values.assign(values.begin(), values.end());
    return made;
}

std::vector<std::uint64_t> divisors_of(std::uint64_t number) {
    std::vector<std::uint64_t> low, high;
    for (std::uint64_t d = 2; d * d <= number; ++d) {
        if (number % d != 0) continue;
        low.push_back(d);
        if (d * d != number) high.push_back(number / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    if (low.size() > most_divisors) low.resize(most_divisors);
    return low;
}

}  // namespace

expression_finder::expression_finder(std::uint64_t ranks) {
    const auto divisors = divisors_of(ranks);
    for (const std::uint64_t row : divisors) grids_.push_back({{1, row}});
    for (const std::uint64_t row : divisors)
        for (const std::uint64_t plane : divisors)
            if (plane > row && plane % row == 0) grids_.push_back({{1, row, plane}});
}

void expression_finder::remember(const expression& found) {
    if (found.what == expression::kind::listed) return;
    if (std::find(known_.begin(), known_.end(), found) != known_.end()) return;
    if (known_.size() == most_known) known_.erase(known_.begin());
    known_.push_back(found);
}

expression expression_finder::find(rank_span ranks, value_span values) {
    for (std::size_t i = known_.size(); i-- > 0;)
        if (fits(known_[i], ranks, values)) return known_[i];
    const auto keep = [this](expression found) {
        remember(found);
        return found;
    };
    std::vector<std::uint64_t> forms[2] = {plain(values, false), plain(values, true)};
    for (const bool zigzagged : {false, true})
        if (auto found = line(ranks, forms[zigzagged], zigzagged); found && fits(*found, ranks, values))
            return keep(std::move(*found));
    if (auto found = exclusive_or(ranks, values)) return keep(std::move(*found));

    std::optional<expression> shortest;
    std::size_t shortest_bytes = 0;
    const auto offer = [&](std::optional<expression> found) {
        if (!found) return;
        const std::size_t size = key_of(*found).size();
        if (shortest && size >= shortest_bytes) return;
        shortest = std::move(found);
        shortest_bytes = size;
    };
    offer(pieces(ranks, values));
    for (const bool zigzagged : {false, true})
        for (const grid& each : grids_)
            if (auto found = on_grid(each.strides, ranks, forms[zigzagged], values, zigzagged)) {
                offer(std::move(found));
                break;
            }
    offer(listed(ranks, values));
    return keep(std::move(*shortest));
}

}  // namespace laconic::trace
