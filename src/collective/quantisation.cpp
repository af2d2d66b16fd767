// SPDX-License-Identifier: BSD-3-Clause
// How an allowance is shared by ranks, hops and roundings.
#include "collective/quantisation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace laconic::collective {
namespace {

/// Largest double that is certainly <= a / b.
double divide_down(double a, double b) noexcept { return b == 1 ? a : std::nextafter(a / b, 0.0); }

bool is_constant(const quantisation_request& request) noexcept {
    return request.any_finite && request.min == request.max;
}

template <class T>
void guarantee(quantisation<T>& plan, const codec::step_choice<T>& choice) noexcept {
    plan.how = choice.contribution;
    plan.result_step = choice.result_step;
    plan.contribution_bound = choice.contribution_bound;
}

}  // namespace

double absolute_bound(const quantisation_request& request) noexcept {
    return codec::resolve_bound(request.limit, request.min, request.max);
}

template <class T>
double rounding_of_sums(std::uint32_t ranks, double max_abs) noexcept {
    const double largest = std::min(ranks * max_abs, static_cast<double>(std::numeric_limits<T>::max()));
    if (ranks < 2 || !(largest > 0)) return 0;
    const int half_ulp =
        std::max(std::ilogb(largest), std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
    return (ranks - 1.0) * std::ldexp(1.0, half_ulp);
}

template <class T>
quantisation<T> quantise_once(const quantisation_request& request) noexcept {
    const double e = absolute_bound(request);
    const bool shared = request.bound_scope == scope::result && !request.average;
    const std::uint32_t divisor = request.average ? request.ranks : 1;

    quantisation<T> plan;
    // An average of a constant would need constant / ranks to be a number of T; it takes the general way.
    if (e == 0 && is_constant(request) && !request.average)
        guarantee(plan, codec::choose_constant_step<T>(static_cast<T>(request.min)));
    else
        guarantee(plan, codec::choose_step<T>(shared ? divide_down(e, request.ranks) : e, request.max_abs, divisor));
    plan.divisor = divisor;
    plan.magnitude = request.ranks * codec::magnitude_of<T>(plan.how, request.max_abs);
    plan.result_bound = request.average ? plan.contribution_bound : request.ranks * plan.contribution_bound;
    return plan;
}

template <class T>
quantisation<T> quantise_per_hop(const quantisation_request& request) noexcept {
    const double e = absolute_bound(request);
    const double ranks = request.ranks;
    const bool whole = request.bound_scope == scope::result && !request.average;
    const double of_sum = whole ? e : ranks * e;
    const double largest = ranks * request.max_abs + of_sum;
    const double rounding = rounding_of_sums<T>(request.ranks, request.max_abs + of_sum / ranks);

    quantisation<T> plan;
    guarantee(plan, codec::choose_step<T>(divide_down(std::max(of_sum - rounding, 0.0), ranks), largest));
    plan.magnitude = codec::magnitude_of<T>(plan.how, largest);
    plan.result_bound = (ranks * plan.contribution_bound + rounding) / (request.average ? ranks : 1.0);
    return plan;
}

template double rounding_of_sums<float>(std::uint32_t, double) noexcept;
template double rounding_of_sums<double>(std::uint32_t, double) noexcept;
template quantisation<float> quantise_once(const quantisation_request&) noexcept;
template quantisation<double> quantise_once(const quantisation_request&) noexcept;
template quantisation<float> quantise_per_hop(const quantisation_request&) noexcept;
template quantisation<double> quantise_per_hop(const quantisation_request&) noexcept;

}  // namespace laconic::collective
