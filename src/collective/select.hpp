// SPDX-License-Identifier: BSD-3-Clause
// What `auto` does. The smallest ratio of a few chunks of every rank's values flows in, the same on all ranks; the cell
// that the cost model expects to be fastest flows out. Short buffers go to MPI without a word.
#pragma once

#include <cstddef>
#include <span>

#include "collective/registry.hpp"
#include "laconic/collective_options.hpp"

namespace laconic::collective {

/// Original bytes / compressed bytes of a few chunks of the values. A relative bound is taken of the range of those.
/// share   what of an absolute bound one contribution may use
template <class T>
[[nodiscard]] double sample_ratio(std::span<const T> values, bound limit, double share);

/// What decides, the same on all ranks.
struct question {
    operation op = operation::allreduce;
    std::size_t bytes = 0;  ///< of the buffer: geometry::buffer_count()
    std::size_t element_bytes = 4;
    int ranks = 1;
    int nodes = 1;
    double ratio = 0;  ///< 0: not known
};

/// Whether a call can only lose by anything but MPI's own function, whatever its values are.
[[nodiscard]] bool is_too_short(const question& asked) noexcept;

[[nodiscard]] cell choose(const question& asked) noexcept;

}  // namespace laconic::collective
