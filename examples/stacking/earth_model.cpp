// SPDX-License-Identifier: BSD-3-Clause
// The layered velocity model and its smooth version: grid dimensions flow in, velocities flow out. Shapes are given
// as fractions of width and depth, so a small test grid shows the same geology as the large one.
#include "earth_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace stacking {
namespace {

constexpr std::array<float, 6> layer_velocity{1600.0F, 1900.0F, 2250.0F, 2600.0F, 3000.0F, 3500.0F};
constexpr float lens_velocity = 3100.0F;

// Depth of the bottom of layer i at distance x, both as fractions.
float interface_depth(std::size_t i, float x) {
    constexpr float pi = std::numbers::pi_v<float>;
    const float fold = (x - 0.56F) / 0.16F;
    switch (i) {
        case 0: return 0.19F + 0.018F * std::sin(5.0F * pi * x);
        case 1: return 0.28F + 0.09F * x;
        case 2: return 0.60F - 0.14F * std::exp(-fold * fold);
        case 3:
            return 0.72F - 0.09F * std::exp(-fold * fold) + (x > 0.74F ? 0.04F : 0.0F) + 0.015F * std::sin(3.0F * x);
        default: return 0.88F;
    }
}

float velocity_at(float x, float z) {
    std::size_t layer = 0;
    while (layer + 1 < layer_velocity.size() && z > interface_depth(layer, x)) ++layer;
    const float lens_x = (x - 0.25F) / 0.085F, lens_z = (z - 0.46F) / 0.05F;
    if (layer == 2 && lens_x * lens_x + lens_z * lens_z < 1.0F) return lens_velocity;
    return layer_velocity[layer];
}

// Moving average over 2 radius + 1 samples `step` apart; the border value continues outside.
void average_line(std::span<float> line, std::size_t count, std::size_t step, std::size_t radius,
                  std::vector<float>& scratch) {
    scratch.resize(count);
    const auto sample = [&](std::size_t padded) {
        return line[(std::clamp(padded, radius, radius + count - 1) - radius) * step];
    };
    double sum = 0;
    for (std::size_t i = 0; i < 2 * radius; ++i) sum += sample(i);
    for (std::size_t i = 0; i < count; ++i) {
        sum += sample(i + 2 * radius);
        scratch[i] = static_cast<float>(sum / static_cast<double>(2 * radius + 1));
        sum -= sample(i);
    }
    for (std::size_t i = 0; i < count; ++i) line[i * step] = scratch[i];
}

}  // namespace

field layered_earth(std::size_t nx, std::size_t nz) {
    field velocity(nx, nz);
    for (std::size_t z = 0; z < nz; ++z) {
        for (std::size_t x = 0; x < nx; ++x) {
            velocity.at(x, z) = velocity_at(static_cast<float>(x) / static_cast<float>(nx - 1),
                                            static_cast<float>(z) / static_cast<float>(nz - 1));
        }
    }
    return velocity;
}

field smoothed(const field& velocity, std::size_t radius) {
    field slowness = velocity;
    for (float& value : slowness.values) value = 1.0F / value;
    std::vector<float> scratch;
    // Three moving averages come close to a Gaussian.
    for (int pass = 0; pass < 3; ++pass) {
        for (std::size_t z = 0; z < slowness.nz; ++z) {
            average_line(std::span(slowness.values).subspan(z * slowness.nx), slowness.nx, 1, radius, scratch);
        }
        for (std::size_t x = 0; x < slowness.nx; ++x) {
            average_line(std::span(slowness.values).subspan(x), slowness.nz, slowness.nx, radius, scratch);
        }
    }
    for (float& value : slowness.values) value = 1.0F / value;
    return slowness;
}

}  // namespace stacking
