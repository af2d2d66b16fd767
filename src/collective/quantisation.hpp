// SPDX-License-Identifier: BSD-3-Clause
// What the bound of a collective means for one contribution: a bound with its scope, the ranks and the span of all
// values flow in; the quantiser for every rank, and the guarantee that follows for the result, flow out.
#pragma once

#include <cstdint>

#include "codec/fle.hpp"
#include "laconic/bound.hpp"

namespace laconic::collective {

/// How errors of contributions meet in an element of the result.
enum class growth : std::uint8_t {
    sum,      ///< they add up
    average,  ///< they add up and are divided by their number
    none,     ///< one of them stays: minimum, maximum, or data that only moves
    unknown,  ///< products, operations of the program's own
};

[[nodiscard]] constexpr bool adds(growth errors) noexcept { return errors == growth::sum || errors == growth::average; }

/// Everything that decides about the quantisation of a call, the same on all ranks.
struct quantisation_request {
    bound limit;
    scope bound_scope = scope::result;
    double confidence = 0.9544;  ///< of scope::probable
    growth errors = growth::sum;
    std::uint32_t ranks = 1;          ///< contributions
    std::uint32_t quantisations = 1;  ///< that an element of the result sees, where partial results are quantised anew
    double min = 0, max = 0;          ///< over the finite values of all ranks
    double max_abs = 0;
    bool any_finite = false;
};

template <class T>
struct quantisation {
    codec::quantiser<T> how;
    real_type<T> result_step = 1;  ///< decoded values are multiples of it
    std::uint32_t divisor = 1;     ///< for raw values in a sum that is decoded as an average
    std::uint64_t magnitude = 0;   ///< bound on |q| of anything that travels
    double contribution_bound = 0;
    double result_bound = 0;
};

/// The absolute bound that the request's bound stands for.
[[nodiscard]] double absolute_bound(const quantisation_request& request) noexcept;

/// What of the bound one contribution may use when every contribution is quantised once.
[[nodiscard]] double contribution_share(const quantisation_request& request) noexcept;

/// Every contribution is quantised once, the integers are combined, the result is decoded once: homomorphic, quantised,
/// fused, and data that only moves.
template <class T>
[[nodiscard]] quantisation<T> quantise_once(const quantisation_request& request) noexcept;

/// Partial results are decoded, combined in T and quantised again: `quantisations` of them and ranks - 1 roundings of T
/// lie in an element. What the roundings leave of the allowance is shared by the quantisations; when they leave
/// nothing the pieces travel lossless and the roundings are the error.
template <class T>
[[nodiscard]] quantisation<T> quantise_per_hop(const quantisation_request& request) noexcept;

/// Largest error of so many additions in T whose results have magnitude up to `largest`.
template <class T>
[[nodiscard]] double rounding_of_additions(double additions, double largest) noexcept;
/// Largest error of adding `ranks` values of magnitude up to max_abs one after the other, or in any tree, in T.
template <class T>
[[nodiscard]] double rounding_of_sums(std::uint32_t ranks, double max_abs) noexcept {
    return ranks < 2 ? 0 : rounding_of_additions<T>(ranks - 1.0, ranks * max_abs);
}

/// z with P(|N(0,1)| <= z) = confidence.
[[nodiscard]] double normal_quantile(double confidence) noexcept;
/// t with P(|U_1 + ... + U_n| <= t) = confidence, each U uniform in [-1, 1]; n >= 1. Beyond 20 an approximation, off by
/// less than 0.1 % up to a confidence of 0.999; for larger ones it is too large, by 3 % at most.
[[nodiscard]] double uniform_sum_quantile(double confidence, std::uint32_t n) noexcept;

}  // namespace laconic::collective
