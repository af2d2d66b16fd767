// SPDX-License-Identifier: BSD-3-Clause
// From "what the caller allows" to "what each rank does to its values": bound, scope, operation, ranks and the range
// of all ranks' values flow in; a quantiser and the bounds that it guarantees flow out. Pure arithmetic.
#pragma once

#include <cstdint>

#include "codec/fle.hpp"
#include "laconic/bound.hpp"

namespace laconic::collective {

/// The facts of a call on which the step depends, the same on all ranks.
struct quantisation_request {
    bound limit;
    scope bound_scope = scope::result;
    bool average = false;
    std::uint32_t ranks = 1;
    double min = 0, max = 0;  ///< over the finite values of all ranks
    double max_abs = 0;
    bool any_finite = false;
};

template <class T>
struct quantisation {
    codec::quantiser<T> how;
    T result_step = 1;            ///< decoded values are multiples of it
    std::uint32_t divisor = 1;    ///< for raw values in a sum that is decoded as an average
    std::uint64_t magnitude = 0;  ///< bound on |q| of anything that travels
    double contribution_bound = 0;
    double result_bound = 0;
};

/// The absolute bound that the request's bound stands for.
[[nodiscard]] double absolute_bound(const quantisation_request& request) noexcept;

/// Every contribution is quantised once, the integers are added, the sum is decoded once: homomorphic and fused.
template <class T>
[[nodiscard]] quantisation<T> quantise_once(const quantisation_request& request) noexcept;

/// Partial sums are decoded, added in T and quantised again: `ranks` quantisations lie on the path of a piece and
/// ranks - 1 roundings of T. What the roundings leave of the allowance is shared by the quantisations; when they leave
/// nothing the pieces travel lossless and the roundings are the error.
template <class T>
[[nodiscard]] quantisation<T> quantise_per_hop(const quantisation_request& request) noexcept;

/// Largest error of adding `ranks` values of magnitude up to max_abs one after the other in T.
template <class T>
[[nodiscard]] double rounding_of_sums(std::uint32_t ranks, double max_abs) noexcept;

}  // namespace laconic::collective
