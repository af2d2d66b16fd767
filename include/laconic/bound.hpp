// SPDX-License-Identifier: BSD-3-Clause
// What "within the bound" means: the size of the error that a caller allows, and, for collectives,
// which number that size limits (docs/guide/accuracy.md states the promises in full).
#pragma once

#include <cstdint>

namespace laconic {

/// How the number in a bound is to be read.
enum class bound_kind : std::uint8_t {
    absolute,  ///< |x - y| <= value
    relative,  ///< |x - y| <= value * (max - min) over the finite values (over all ranks in a collective)
};

/// An error bound. value 0 asks for lossless; negative, NaN and infinite values are refused
/// with errc::invalid_bound by every function that takes a bound.
struct bound {
    bound_kind kind = bound_kind::absolute;
    double value = 0.0;

    [[nodiscard]] static constexpr bound abs(double e) noexcept { return {bound_kind::absolute, e}; }
    [[nodiscard]] static constexpr bound rel(double lambda) noexcept { return {bound_kind::relative, lambda}; }
    [[nodiscard]] static constexpr bound lossless() noexcept { return {}; }
};

/// What the bound of a collective limits.
enum class scope : std::uint8_t {
    result,        ///< every element of the final result: the exact result +- e, plus half an ulp for its rounding
    contribution,  ///< every rank's contribution; a sum over p ranks may then be off by up to p * e
    probable,      ///< the final result, with a stated confidence under the model of docs/guide/accuracy.md
};

}  // namespace laconic
