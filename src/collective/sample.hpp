// SPDX-License-Identifier: BSD-3-Clause
// How well values compress, from a look at a few of them: chunks of every rank's values flow in, ratios that hold for
// the call flow out, the same on all ranks.
#pragma once

#include <span>

#include "collective/finite_range.hpp"
#include "collective/geometry.hpp"
#include "laconic/codec.hpp"
#include "laconic/collective_options.hpp"

namespace laconic::collective {

/// What of an absolute bound one contribution may use, where each is quantised once.
[[nodiscard]] double share_of_bound(operation op, reduction combine, const collective_options& options,
                                    int ranks) noexcept;
/// By how much coarser than contributions hierarchical rows quantise the sums of nodes.
[[nodiscard]] double node_step_of(operation op, reduction combine, const collective_options& options, int ranks,
                                  int nodes) noexcept;

/// The values to look at: all of them, or the longest part where there are parts with gaps between them.
template <class T>
[[nodiscard]] std::span<const T> values_to_sample(std::span<const T> in, const geometry& call) noexcept;

/// What one rank has seen, and the range of that.
struct value_sample : finite_range {
    double bits = 0;   ///< that a value takes, compressed; 0: nothing was looked at, nothing may be lost, or a constant
                       ///< within a relative bound
    double bound = 0;  ///< that it was compressed within
};

/// A few chunks of the values. A relative bound is taken of the range of those and of some values between.
/// share   what of an absolute bound one contribution may use
/// whole   the range of all values, where it is known; null: it is not
template <class T>
[[nodiscard]] value_sample sample_of(std::span<const T> values, bound limit, double share,
                                     const finite_range* whole = nullptr);

/// What all ranks that looked at values have seen. A relative bound is the same for all of them, that of the values of
/// all: so ranks say of how many steps of a bound of 1 their values take the bits, as a power of two. b bits are 2^b -
/// 1 steps; each doubling of the bound halves them, and saves a bit while there are many.
struct agreed_sample {
    double least = 0, most = 0;  ///< over the ranks
    double bound = 0;            ///< of all of them
    bool any = false;            ///< whether a rank has looked
};
/// Of samples that are at hand: one rank's own, for the ranks to agree on, or those of all. Basic operations only, as
/// all that follows: the same bits on all ranks.
[[nodiscard]] agreed_sample joined(std::span<const value_sample> all, bound limit, double share) noexcept;

/// Original / compressed size, at least 1: of the values of the rank between the best and the worst, and of the worst.
struct sampled_ratios {
    double usual = 1, worst = 1;
};
[[nodiscard]] sampled_ratios ratios_of(const agreed_sample& seen, unsigned element_bytes) noexcept;
/// Of one rank's alone.
[[nodiscard]] double ratio_of(const value_sample& seen, unsigned element_bytes) noexcept;

}  // namespace laconic::collective
