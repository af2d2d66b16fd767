// SPDX-License-Identifier: BSD-3-Clause
// Where a rank's contribution to the stack comes from: settings flow in, the sum of the partial images this rank holds
// flows out, either read from files or computed shot by shot.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "laconic/status.hpp"
#include "settings.hpp"

namespace stacking {

template <class T>
struct contribution {
    std::vector<T> values;           ///< settings::image_values(); zero where the rank has no partial image
    std::size_t partial_images = 0;  ///< over all ranks
    double seconds = 0;              ///< of the slowest rank
    field earth;                     ///< the true velocities, when the images were computed
};

/// Deals the partial images to the ranks in turn. Collective; all ranks fail together with
/// io (a file cannot be read or written) or mismatch (a file's size does not fit the dimensions).
template <class T>
[[nodiscard]] laconic::result<contribution<T>> gather_partial_images(const settings& wanted, MPI_Comm comm);

}  // namespace stacking
