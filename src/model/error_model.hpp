// SPDX-License-Identifier: BSD-3-Clause
// How errors of contributions spread in a result: an operation, a cell, ranks and the quantisation flow in, standard
// deviations by the models of the literature and by ours flow out.
#pragma once

#include <cstdint>

#include "model/cell.hpp"

namespace laconic::model {

struct error_request {
    operation op = operation::allreduce;
    reduction combine = reduction::sum;
    cell what;
    std::uint32_t contributions = 1;  ///< n: what is quantised by itself and meets in an element; ranks, or nodes
    std::uint32_t ranks = 1;          ///< what an average is divided by
    std::uint32_t quantisations = 1;  ///< that an element of the result sees where partial results are quantised anew
    double contribution_bound = 0;    ///< e: of one quantisation; infinite: none
    double step = 0;                  ///< of the quantiser
};

/// Partial results are values again on the way, and every one is quantised.
[[nodiscard]] bool recodes(operation op, const cell& what) noexcept;

/// C-Coll's model. One error is normal with sigma = e / 3 (between theorem 1 and corollary 1). What n of them make:
///   sum        sigma sqrt(n)                          theorem 1, eq. 3; corollary 1: 95.44 % within (2/3) sqrt(n) e
///   average    sigma / sqrt(n)                        corollary 2
///   min, max   sigma sqrt(2 - (n + 2) / 2^n)          theorem 2, by its eq. 4: the theorem itself prints 2n for 2^n
///   movement   sigma                                  every value is quantised once
/// Rows that quantise partial results have one error for each of these, so n is their number there.
/// returns 0 where the model says nothing: products, one rank, no bound, rows that do not compress.
[[nodiscard]] double normal_deviation(const error_request& call) noexcept;

/// What rounding to nearest does to values that are spread smoothly over a step: one error is uniform over +-step / 2
/// and has the deviation step / sqrt(12). A sum of n has sqrt(n) times that, an average 1 / n of the sum's; a minimum
/// or maximum that of one, because rounding keeps the order of values. returns 0 where the model says nothing: as
/// above, and for codecs other than fle.
[[nodiscard]] double uniform_deviation(const error_request& call) noexcept;

}  // namespace laconic::model
