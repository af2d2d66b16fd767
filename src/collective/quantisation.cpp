// SPDX-License-Identifier: BSD-3-Clause
// How an allowance is shared by ranks, hops and roundings.
#include "collective/quantisation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

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

double uniform_sum_quantile(double confidence, std::uint32_t n) noexcept {
    constexpr std::uint32_t most_exact = 20;
    if (n > most_exact) {
        // Cornish and Fisher's correction for the kurtosis, -6/5 / n.
        const double z = normal_quantile(confidence);
        return std::sqrt(n / 3.0) * (z + (3 * z - z * z * z) / (20.0 * n));
    }
    // Of X = n/2 - |sum| / 2, n uniforms in [0, 1], Irwin and Hall know the distribution. It is convex below n/2:
    // Newton's method from there comes down to the quantile.
    const double tail = (1 - confidence) / 2;
    double x = n / 2.0;
    for (int round = 0; round < 200; ++round) {
        double below = 0, density = 0, weight = 1;  // weight: (-1)^k / (k! (n - k)!)
        for (std::uint32_t i = 2; i <= n; ++i) weight /= i;
        for (std::uint32_t k = 0; k < n && k < x; ++k) {
            double power = weight;
            for (std::uint32_t i = 1; i < n; ++i) power *= x - k;
            density += n * power;
            below += power * (x - k);
            weight *= -static_cast<double>(n - k) / (k + 1);
        }
        const double next = x - (below - tail) / density;
        if (!(next < x) || !(next > 0)) break;
        const bool is_there = x - next <= 1e-15 * n;
        x = next;
        if (is_there) break;
    }
    // At least that, as no density is above 1/2; x has no digits for less.
    return std::max(n - 2 * x, confidence);
}

double contribution_share(const quantisation_request& request) noexcept {
    const double e = absolute_bound(request);
    if (!adds(request.errors)) return e;
    const bool sum = request.errors == growth::sum;
    const double surely = sum ? divide_down(e, request.ranks) : e;
    if (request.bound_scope == scope::contribution) return e;
    if (request.bound_scope == scope::result || request.ranks < 2) return surely;
    // Errors of rounding to nearest are uniform. The normal model with deviation share / 3 (C-Coll, theorem 1) would
    // allow sqrt 3 times as much.
    const double shares = uniform_sum_quantile(request.confidence, request.ranks) / (sum ? 1.0 : request.ranks);
    return std::max(surely, e / shares);
}

template <class T>
double rounding_of_additions(double additions, double largest) noexcept {
    largest = std::min(largest, codec::element_limits<T>::max);
    if (!(additions > 0 && largest > 0)) return 0;
    return additions * std::ldexp(0.5, codec::ulp_exponent<T>(largest));
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
    // Values so large travel uncompressed and are added in pairs of doubles.
    if (std::is_same_v<T, double> && terms > 1 && request.max_abs > codec::element_limits<T>::max / request.ranks)
        plan.result_bound = std::numeric_limits<double>::infinity();
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
    const double share = divide_down(std::max(of_result - rounding, 0.0), shares);
    guarantee(plan, codec::choose_step<T>(share, largest));
    // Every partial result of a 16-bit type is rounded to it, which at most doubles its error.
    const double of_each = sizeof(T) == 2 ? std::min(share, 2 * plan.contribution_bound) : plan.contribution_bound;
    // Products, and what a program's own operation makes, may be larger than all contributions.
    const bool is_limited = request.errors != growth::unknown;
    plan.magnitude = is_limited ? codec::magnitude_of<T>(plan.how, largest) : plan.how.reach;
    plan.result_bound = (shares * of_each + rounding) / (request.errors == growth::average ? ranks : 1.0);
    // A partial sum that is infinite stays so, whatever is added or divided later.
    if (request.errors == growth::unknown ||
        (ranks > 1 && ranks * request.max_abs + shares * of_each + rounding > codec::element_limits<T>::max))
        plan.result_bound = std::numeric_limits<double>::infinity();
    return plan;
}

#define LACONIC_INSTANTIATE(T)                                                    \
    template double rounding_of_additions<T>(double, double) noexcept;            \
    template quantisation<T> quantise_once(const quantisation_request&) noexcept; \
    template quantisation<T> quantise_per_hop(const quantisation_request&) noexcept;
LACONIC_INSTANTIATE(float)
LACONIC_INSTANTIATE(double)
LACONIC_INSTANTIATE(half)
LACONIC_INSTANTIATE(bfloat16)
#undef LACONIC_INSTANTIATE

}  // namespace laconic::collective
