// SPDX-License-Identifier: BSD-3-Clause
// From calls to requests of quantisation.hpp.
#include "collective/call_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codec/crew.hpp"
#include "codec/element.hpp"
#include "codec/float_environment.hpp"
#include "collective/program.hpp"
#include "model/error_model.hpp"

namespace laconic::collective {
namespace {

quantisation_request request_of(const planned_call& call, const value_span& values) noexcept {
    quantisation_request all;
    all.limit = call.limit;
    all.bound_scope = call.bound_scope;
    all.confidence = call.confidence;
    all.errors = growth_of(call.op, call.combine);
    all.ranks = adds(all.errors) ? static_cast<std::uint32_t>(call.ranks) : 1;
    all.quantisations = quantisations_of(call.op, call.what.schedule, call.ranks);
    all.min = values.min;
    all.max = values.max;
    all.max_abs = values.max_abs;
    all.any_finite = values.any_finite;
    return all;
}

template <class T>
quantisation<T> quantise(const planned_call& call, const quantisation_request& request) noexcept {
    return model::recodes(call.op, call.what) ? quantise_per_hop<T>(request) : quantise_once<T>(request);
}

/// What the sum of all ranks may be off by.
double allowance_of(const quantisation_request& asked) noexcept {
    const bool every =
        asked.errors == growth::average || (asked.errors == growth::sum && asked.bound_scope == scope::contribution);
    const double e = absolute_bound(asked);
    return every ? std::nextafter(e * asked.ranks, 0.0) : e;
}

/// Largest error of the additions that nodes make, in the sum of all ranks, and largest number that comes of them.
struct node_sums {
    double rounding = 0, largest = 0;
};
template <class T>
node_sums sums_of_nodes(const planned_call& call, const quantisation_request& asked) noexcept {
    node_sums all{0, asked.max_abs};
    if (!adds(asked.errors)) return all;
    all.largest *= call.largest_node;
    all.rounding = rounding_of_additions<T>(call.ranks - call.nodes, all.largest);
    // The sum that an average is taken of is a number of T.
    const double largest_sum = call.ranks * asked.max_abs + all.rounding + allowance_of(asked);
    if (asked.errors == growth::average) all.rounding += rounding_of_additions<T>(1, largest_sum);
    return all;
}

/// The contributions are the sums of the nodes, rounded to T.
template <class T>
quantisation<T> plan_levels(const planned_call& call, quantisation_request asked) noexcept {
    const node_sums sums = sums_of_nodes<T>(call, asked);
    const bool average = asked.errors == growth::average;
    const double most_exact = call.ranks * asked.max_abs;
    double e = std::nextafter(std::max(allowance_of(asked) - sums.rounding, 0.0), 0.0);
    if (average) {
        asked.errors = growth::sum;
        asked.bound_scope = scope::result;
    } else if (asked.errors == growth::sum && asked.bound_scope == scope::contribution) {
        e = std::min(e / call.nodes, absolute_bound(asked));
    }
    asked.limit = bound::abs(e);
    if (adds(asked.errors)) asked.ranks = asked.quantisations = static_cast<std::uint32_t>(call.nodes);
    asked.max_abs = sums.largest + sums.rounding;
    quantisation<T> plan = quantise<T>(call, asked);
    // What is infinite in T stays so: the sum of a node, or that of which an average is taken.
    const double most = sums.rounding + (average ? most_exact + plan.result_bound : sums.largest);
    plan.result_bound = (plan.result_bound + sums.rounding) / (average ? call.ranks : 1.0);
    if (adds(asked.errors) && call.ranks > 1 && most > codec::element_limits<T>::max)
        plan.result_bound = std::numeric_limits<double>::infinity();
    return plan;
}

}  // namespace

bool adds_values(operation op, const cell& what) noexcept {
    return compresses(what) && is_reduction(op) &&
           (what.schedule == schedule_kind::hierarchical || model::recodes(op, what));
}

growth growth_of(operation op, reduction combine) noexcept {
    if (!is_reduction(op)) return growth::none;
    switch (combine) {
        case reduction::sum: return growth::sum;
        case reduction::avg: return growth::average;
        case reduction::prod:
        case reduction::custom: return growth::unknown;
        default: return growth::none;
    }
}

template <class T>
quantisation<T> plan_call(const planned_call& call, const value_span& values) noexcept {
    if (!compresses(call.what)) return {};
    // Every rank plans alike, whatever modes its program has set.
    const codec::float_environment standard;
    const quantisation_request request = request_of(call, values);
    return call.what.schedule == schedule_kind::hierarchical ? plan_levels<T>(call, request)
                                                             : quantise<T>(call, request);
}

template <class T>
bool leaves_bound(const planned_call& call, const value_span& values) noexcept {
    const codec::float_environment standard;
    const quantisation_request asked = request_of(call, values);
    if (!adds_values(call.op, call.what) || !adds(asked.errors)) return true;
    node_sums sums;
    if (call.what.schedule == schedule_kind::hierarchical) sums = sums_of_nodes<T>(call, asked);
    if (model::recodes(call.op, call.what)) sums.rounding += rounding_of_sums<T>(asked.ranks, asked.max_abs);
    return sums.rounding <= allowance_of(asked) / 2 && std::isfinite(plan_call<T>(call, values).result_bound);
}

template <class T>
void describe(const quantisation<T>& plan, codec_id which, collective_report& report) noexcept {
    const codec::float_environment standard;  // a step may be denormal
    const double least = which == codec_id::zfp_rate ? std::numeric_limits<double>::infinity() : 0;
    report.step = static_cast<double>(plan.how.step);
    report.contribution_bound = std::max(least, plan.contribution_bound);
    report.result_bound = std::max(least, plan.result_bound);
}

template <class T>
value_span span_of(std::span<const T> in, const geometry& call, unsigned threads) {
    const codec::crew with(threads);
    const codec::float_environment standard;
    value_span all;
    if (!call.reads()) return all;
    // What lies between the parts does not count.
    const auto join = [&](std::span<const T> part) {
        all.widen(finite_range_of(codec::range_of<T>(part, with), part.size()));
    };
    if (call.in_displacements.empty()) join(in);
    for (std::size_t k = 0; k < call.in_displacements.size(); ++k)
        if (call.in_counts[k] > 0) join(in.subspan(call.in_displacements[k], call.in_counts[k]));
    return all;
}

#define LACONIC_INSTANTIATE(T)                                                             \
    template quantisation<T> plan_call(const planned_call&, const value_span&) noexcept;   \
    template bool leaves_bound<T>(const planned_call&, const value_span&) noexcept;        \
    template void describe(const quantisation<T>&, codec_id, collective_report&) noexcept; \
    template value_span span_of(std::span<const T>, const geometry&, unsigned);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::collective
