// SPDX-License-Identifier: BSD-3-Clause
// The codec on a few chunks, and what follows from that for a bound of all ranks.
#include "collective/sample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "codec/fle.hpp"
#include "codec/float_environment.hpp"
#include "collective/call_plan.hpp"
#include "model/cost.hpp"

namespace laconic::collective {
namespace {

constexpr std::size_t sampled_chunks = model::sampled_values / codec::chunk_values;
/// Runs of values that nothing but their range is taken of: between the chunks it may be wider.
constexpr std::size_t glimpses = 64, glimpse_values = 64;
/// Blocks of which nothing is left but their codes take no less.
constexpr double fewest_bits = 0.15;

/// Steps of what takes its own size within any bound.
constexpr double never_shrinks = 3000;

/// To the base 2, between powers of it a straight line: less than 0.09 off.
double logarithm(double positive) noexcept {
    return static_cast<double>(std::bit_cast<std::int64_t>(positive)) * 0x1p-52 - 1023;
}
/// The other way round.
double power_of_2(double exponent) noexcept {
    return std::bit_cast<double>(static_cast<std::int64_t>((std::clamp(exponent, -1000.0, 1000.0) + 1023) * 0x1p52));
}

/// Steps of a bound of 1. Precondition: seen.bound > 0, if a value is finite.
double at_bound_1(const value_sample& seen) noexcept {
    if (!seen.any_finite) return never_shrinks;
    return logarithm(power_of_2(seen.bits) - 1) + logarithm(seen.bound);
}

}  // namespace

double share_of_bound(operation op, reduction combine, const collective_options& options, int ranks) noexcept {
    quantisation_request one;
    one.limit = bound::abs(1);
    one.bound_scope = options.bound_scope;
    one.confidence = options.confidence;
    one.errors = growth_of(op, combine);
    one.ranks = static_cast<std::uint32_t>(ranks);
    return contribution_share(one);
}

double node_step_of(operation op, reduction combine, const collective_options& options, int ranks, int nodes) noexcept {
    const growth errors = growth_of(op, combine);
    if (!adds(errors)) return 1;
    // An average is taken of the sum of all nodes, which may be off by `ranks` times as much.
    const double of_nodes =
        errors == growth::average ? static_cast<double>(ranks) / nodes : share_of_bound(op, combine, options, nodes);
    return of_nodes / share_of_bound(op, combine, options, ranks);
}

template <class T>
std::span<const T> values_to_sample(std::span<const T> in, const geometry& call) noexcept {
    if (!call.reads()) return {};
    if (!call.varying || call.in_displacements.empty()) return in;
    const auto longest = std::max_element(call.in_counts.begin(), call.in_counts.end()) - call.in_counts.begin();
    const auto k = static_cast<std::size_t>(longest);
    return *(call.in_counts.begin() + longest) == 0 ? std::span<const T>{}
                                                    : in.subspan(call.in_displacements[k], call.in_counts[k]);
}

template <class T>
value_sample sample_of(std::span<const T> values, bound limit, double share, const finite_range* whole) {
    if (values.empty() || limit.value == 0) return {};
    const codec::float_environment standard;
    const std::size_t each = std::min(values.size(), codec::chunk_values);
    const std::size_t chunks = std::clamp<std::size_t>(values.size() / each / model::sampled_share, 1, sampled_chunks);
    const auto chunk = [&](std::size_t i) { return values.subspan((values.size() - each) / chunks * i, each); };
    value_sample seen;
    const auto look_at = [&](std::span<const T> some) { seen.widen(finite_range_of(range_of(some), some.size())); };
    if (whole != nullptr) {
        seen.widen(*whole);
    } else {
        for (std::size_t i = 0; i < chunks; ++i) look_at(chunk(i));
        if (limit.kind == bound_kind::relative && values.size() >= model::sampled_share * glimpses * glimpse_values)
            for (std::size_t i = 0; i < glimpses; ++i)
                look_at(values.subspan(values.size() / glimpses * i, glimpse_values));
    }
    seen.bound = share * codec::resolve_bound(limit, seen.min, seen.max);
    // NaN and infinities travel as they are.
    if (!seen.any_finite) seen.bits = 8 * sizeof(T);
    if (!seen.any_finite || !(seen.bound > 0)) return seen;
    const auto how = codec::choose_step<T>(seen.bound, seen.max_abs).contribution;
    std::array<std::byte, 32768> out;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < chunks; ++i) bytes += codec::encode<T>(chunk(i), how, out).bytes;
    seen.bits = 8 * static_cast<double>(bytes) / static_cast<double>(chunks * each);
    return seen;
}

agreed_sample joined(std::span<const value_sample> all, bound limit, double share) noexcept {
    agreed_sample seen;
    finite_range values;
    for (const value_sample& one : all) {
        values.widen(one);
        if (!(one.bits > 0)) continue;
        const double steps = at_bound_1(one);
        seen.least = seen.any ? std::min(seen.least, steps) : steps;
        seen.most = seen.any ? std::max(seen.most, steps) : steps;
        seen.any = true;
    }
    seen.bound = share * codec::resolve_bound(limit, values.min, values.max);
    return seen;
}

sampled_ratios ratios_of(const agreed_sample& seen, unsigned element_bytes) noexcept {
    if (!seen.any || !(seen.bound > 0)) return {};
    const auto ratio = [&](double steps) {
        const double bits = logarithm(1 + power_of_2(steps - logarithm(seen.bound)));
        return std::max(1.0, 8 * element_bytes / std::max(bits, fewest_bits));
    };
    return {ratio((seen.least + seen.most) / 2), ratio(seen.most)};
}

double ratio_of(const value_sample& seen, unsigned element_bytes) noexcept {
    if (!(seen.bits > 0)) return 1;
    const double all = at_bound_1(seen);
    return ratios_of({all, all, seen.bound, true}, element_bytes).usual;
}

#define LACONIC_INSTANTIATE(T)                                                               \
    template value_sample sample_of(std::span<const T>, bound, double, const finite_range*); \
    template std::span<const T> values_to_sample(std::span<const T>, const geometry&) noexcept;
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::collective
