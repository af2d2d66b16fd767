// SPDX-License-Identifier: BSD-3-Clause
// From calls to requests of quantisation.hpp.
#include "collective/call_plan.hpp"

#include <algorithm>
#include <limits>

#include "codec/crew.hpp"
#include "codec/float_environment.hpp"
#include "collective/program.hpp"

namespace laconic::collective {
namespace {

/// Partial results are values again on the way.
bool recodes(const cell& what, operation op) noexcept {
    return is_reduction(op) && (what.payload == payload_kind::per_hop || what.payload == payload_kind::pipelined);
}

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
    return recodes(call.what, call.op) ? quantise_per_hop<T>(request) : quantise_once<T>(request);
}

/// The contributions are the sums of the nodes, rounded to T.
template <class T>
quantisation<T> plan_levels(const planned_call& call, quantisation_request asked) noexcept {
    const double largest = asked.max_abs;
    const double ranks = call.ranks;
    const bool sums = adds(asked.errors);
    const double rounding = sums ? rounding_of_sums<T>(asked.ranks, largest) : 0.0;
    const double scale = asked.errors == growth::average ? ranks : 1.0;
    const bool shared = asked.bound_scope != scope::contribution;
    double e = absolute_bound(asked) * scale;
    if (shared || asked.errors == growth::average) e = std::max(e - rounding, 0.0);
    if (asked.errors == growth::average) asked.errors = growth::sum, asked.bound_scope = scope::result;
    asked.limit = bound::abs(e);
    if (sums) asked.ranks = asked.quantisations = static_cast<std::uint32_t>(call.nodes);
    if (sums) asked.max_abs *= ranks - call.nodes + 1;
    quantisation<T> plan = quantise<T>(call, asked);
    plan.result_bound = (plan.result_bound + rounding) / scale;
    // The sum of a node, and of an average the whole sum, are numbers of T: infinite ones stay so.
    const double summed = scale > 1 ? ranks : ranks - call.nodes + 1;
    if (sums && may_overflow<T>(summed, largest)) plan.result_bound = std::numeric_limits<double>::infinity();
    return plan;
}

}  // namespace

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
    template void describe(const quantisation<T>&, codec_id, collective_report&) noexcept; \
    template value_span span_of(std::span<const T>, const geometry&, unsigned);
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::collective
