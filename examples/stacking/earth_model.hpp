// SPDX-License-Identifier: BSD-3-Clause
// The ground under the survey: grid dimensions flow in, seismic velocities flow out, once as the earth really is and
// once as a seismologist knows it before imaging (smooth, without reflectors).
#pragma once

#include "wave_solver.hpp"

namespace stacking {

/// Velocity in m/s of six layers: wavy, dipping, folded into an anticline, faulted, flat, and a fast lens in the third.
[[nodiscard]] field layered_earth(std::size_t nx, std::size_t nz);

/// The same model with its slowness smoothed over about `radius` grid points: right travel times, no reflections.
[[nodiscard]] field smoothed(const field& velocity, std::size_t radius);

}  // namespace stacking
