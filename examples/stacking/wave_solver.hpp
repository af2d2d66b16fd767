// SPDX-License-Identifier: BSD-3-Clause
// A small 2-D acoustic wave solver: a velocity model and source samples flow in, the pressure field flows out, one time
// step at a time. Second order in time, eighth order in space, absorbing sponge on all four sides; no random numbers,
// so a run gives the same bits on every machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stacking {

/// A scalar field over the model: nz rows (depth, downwards) of nx samples (distance).
struct field {
    std::size_t nx = 0, nz = 0;
    std::vector<float> values;

    field() = default;
    field(std::size_t width, std::size_t height) : nx(width), nz(height), values(width * height) {}
    [[nodiscard]] float& at(std::size_t x, std::size_t z) { return values[z * nx + x]; }
    [[nodiscard]] float at(std::size_t x, std::size_t z) const { return values[z * nx + x]; }
};

/// The largest stable time step in seconds for this model, with a margin that keeps temporal dispersion small.
[[nodiscard]] float stable_time_step(const field& velocity, float spacing_m);

class wave_solver {
public:
    /// velocity in m/s on a grid of spacing_m metres; time_step_s at most stable_time_step().
    wave_solver(const field& velocity, float spacing_m, float time_step_s);

    /// Advances the pressure field by one time step.
    void step();
    /// Adds a source sample to the newest field at a grid point of the model.
    void inject(std::size_t x, std::size_t z, float amplitude);
    [[nodiscard]] float pressure(std::size_t x, std::size_t z) const { return now_[index(x, z)]; }
    /// Copies the newest field without its sponge: nx * nz values.
    void copy_field(std::span<float> out) const;
    /// Sets the pressure to zero everywhere, for the next run over the same model.
    void reset();

private:
    [[nodiscard]] std::size_t index(std::size_t x, std::size_t z) const {
        return (z + margin_) * stride_ + x + margin_;
    }

    std::size_t nx_, nz_, margin_, stride_, rows_;
    std::vector<float> now_, before_;  // the two newest time levels, with sponge and stencil halo
    std::vector<float> courant_;       // (c dt / dx)^2 / (1 + damping)
    std::vector<float> memory_;        // (1 - damping) / (1 + damping): 1 inside the model
};

}  // namespace stacking
