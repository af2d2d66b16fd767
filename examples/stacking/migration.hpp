// SPDX-License-Identifier: BSD-3-Clause
// Reverse-time migration, shot by shot: an earth model and a shot position flow in, that shot's partial image flows
// out. An image is a set of panels, one per subsurface offset (an "extended image", as velocity analysis uses it);
// the middle panel, offset 0, is the picture of the reflectors. Images of all shots summed up are the stack.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "wave_solver.hpp"

namespace stacking {

/// What is recorded and how it is imaged. Lengths in grid points unless named otherwise.
struct survey {
    std::size_t nx = 601, nz = 301;
    std::size_t shots = 16;
    std::size_t half_offsets = 20;  ///< panels for the offsets -half_offsets .. half_offsets
    float spacing_m = 10.0F;
    float peak_frequency_hz = 13.0F;  ///< of the Ricker wavelet

    [[nodiscard]] std::size_t panels() const { return 2 * half_offsets + 1; }
    [[nodiscard]] std::size_t image_values() const { return nx * nz * panels(); }
};

class migration {
public:
    explicit migration(const survey& plan);

    /// Models shot number `shot` in the true earth, images its recording in the smooth earth, and adds the image to
    /// `panels` (survey::image_values() values: panel, depth, distance; distance varies fastest).
    void add_shot(std::size_t shot, std::span<float> panels);

    [[nodiscard]] const field& earth() const { return earth_; }

private:
    using traces = std::vector<float>;  // one row of nx receivers per time step

    [[nodiscard]] std::size_t shot_x(std::size_t shot) const;
    [[nodiscard]] float wavelet(std::size_t step) const;
    traces record(wave_solver& solver, std::size_t source_x, std::vector<float>* history) const;
    void correlate(std::span<const float> source, std::span<const float> receiver, std::span<float> panels) const;
    void finish(const std::vector<float>& illumination, const std::vector<float>& raw, std::span<float> panels) const;

    survey plan_;
    field earth_, smooth_;
    float time_step_s_;
    std::size_t steps_;
    wave_solver true_solver_, smooth_solver_;
    // The source's field at all imaging times and the returning field at a batch of them; kept from shot to shot.
    std::vector<float> history_, returning_;
};

}  // namespace stacking
