// SPDX-License-Identifier: BSD-3-Clause
// How an allowance is shared by ranks, hops and roundings.
#include "collective/quantisation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codec/element.hpp"

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

struct normal_share {
    double within = 0, density = 0;
};

/// P(|N(0,1)| <= z) and its derivative, by series without a negative term. Basic operations only: ranks share a bound
/// by it, and all need the same bits.
normal_share normal_within(double z) noexcept {
    constexpr double root_of_2_over_pi = 0.79788456080286535588;
    const double square = z * z;
    // exp(z^2 / 2), and what erf(z / sqrt 2) is in units of sqrt(2 / pi) / exp(z^2 / 2).
    double exponential = 1, odd = z, power = 1, product = z;
    for (int n = 1; power > 0x1p-60 * exponential || product > 0x1p-60 * odd; ++n) {
        power *= square / (2 * n);
        product *= square / (2 * n + 1);
        exponential += power;
        odd += product;
    }
    const double density = root_of_2_over_pi / exponential;
    return {density * odd, density};
}

}  // namespace

double absolute_bound(const quantisation_request& request) noexcept {
    return codec::resolve_bound(request.limit, request.min, request.max);
}

double normal_quantile(double confidence) noexcept {
    constexpr double furthest = 9;  // where erf is 1 to the last bit
    double z = 2;
    // Newton's method on erf(z / sqrt 2) - confidence.
    for (int i = 0; i < 60; ++i) {
        const auto [within, density] = normal_within(z);
        const double next = std::clamp(z - (within - confidence) / density, z / 4, std::min(z + 1, furthest));
        // From the left the steps never lead too far: one back is rounding.
        if (z > 2 && next < z) break;
        const bool is_there = std::abs(next - z) <= 1e-15 * z;
        z = next;
        if (is_there) break;
    }
    return z;
}

double contribution_share(const quantisation_request& request) noexcept {
    const double e = absolute_bound(request);
    if (!adds(request.errors)) return e;
    const bool sum = request.errors == growth::sum;
    const double surely = sum ? divide_down(e, request.ranks) : e;
    if (request.bound_scope == scope::contribution) return e;
    if (request.bound_scope == scope::result || request.ranks < 2) return surely;
    // Errors of rounding to nearest are uniform: their sum over p ranks has the deviation share * sqrt(p / 3). The
    // normal model with deviation share / 3 (C-Coll, theorem 1) would allow sqrt 3 times as much.
    const double deviation = std::sqrt(request.ranks / 3.0) / (sum ? 1.0 : request.ranks);
    return std::max(surely, e / (normal_quantile(request.confidence) * deviation));
}

template <class T>
double rounding_of_additions(double additions, double largest) noexcept {
    largest = std::min(largest, codec::element_limits<T>::max);
    if (!(additions > 0 && largest > 0)) return 0;
    return additions * std::ldexp(0.5, codec::ulp_exponent<T>(largest));
}

template <class T>
bool may_overflow(double ranks, double max_abs) noexcept {
    return ranks > 1 && ranks * max_abs > codec::element_limits<T>::max;
}

template <class T>
quantisation<T> quantise_once(const quantisation_request& request) noexcept {
    const double share = contribution_share(request);
    const bool average = request.errors == growth::average;
    const std::uint32_t divisor = average ? request.ranks : 1;

    quantisation<T> plan;
    // An average of a constant would need constant / ranks to be a number of T; it takes the general way.
    if (share == 0 && is_constant(request) && !average)
        guarantee(plan, codec::choose_constant_step<T>(static_cast<real_type<T>>(request.min)));
    else
        guarantee(plan, codec::choose_step<T>(share, request.max_abs, divisor));
    plan.divisor = divisor;
    const std::uint64_t each = codec::magnitude_of<T>(plan.how, request.max_abs);
    const std::uint64_t terms = adds(request.errors) ? request.ranks : 1;
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    plan.magnitude = each > most / terms ? most : each * terms;
    plan.result_bound =
        request.errors == growth::sum ? request.ranks * plan.contribution_bound : plan.contribution_bound;
    return plan;
}

template <class T>
quantisation<T> quantise_per_hop(const quantisation_request& request) noexcept {
    const double e = absolute_bound(request);
    const bool sums = adds(request.errors);
    const double ranks = sums ? request.ranks : 1;
    const double shares = request.quantisations;
    // What the sum may be off by: what the result may (an average: ranks times that), or, where the bound is one of
    // contributions, e for every quantisation.
    const bool each = sums && request.bound_scope == scope::contribution;
    const double of_result = each ? shares * e : request.errors == growth::average ? ranks * e : e;
    const double largest = ranks * request.max_abs + of_result;
    const double rounding = sums ? rounding_of_sums<T>(request.ranks, request.max_abs + of_result / ranks) : 0.0;

    quantisation<T> plan;
    guarantee(plan, codec::choose_step<T>(divide_down(std::max(of_result - rounding, 0.0), shares), largest));
    // Products, and what a program's own operation makes, may be larger than all contributions.
    const bool is_limited = request.errors != growth::unknown;
    plan.magnitude = is_limited ? codec::magnitude_of<T>(plan.how, largest) : plan.how.reach;
    plan.result_bound =
        (shares * plan.contribution_bound + rounding) / (request.errors == growth::average ? ranks : 1.0);
    // A partial sum that is infinite stays so, whatever is added or divided later.
    if (request.errors == growth::unknown || may_overflow<T>(ranks, request.max_abs))
        plan.result_bound = std::numeric_limits<double>::infinity();
    return plan;
}

#define LACONIC_INSTANTIATE(T)                                                    \
    template double rounding_of_additions<T>(double, double) noexcept;            \
    template bool may_overflow<T>(double, double) noexcept;                       \
    template quantisation<T> quantise_once(const quantisation_request&) noexcept; \
    template quantisation<T> quantise_per_hop(const quantisation_request&) noexcept;
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::collective
