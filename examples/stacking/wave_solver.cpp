// SPDX-License-Identifier: BSD-3-Clause
// The wave equation u_tt + 2 s u_t = c^2 (u_xx + u_zz) in finite differences: velocities flow in through the
// constructor, pressure flows out. s, the damping, grows quadratically through the sponge and is 0 inside the model.
#include "wave_solver.hpp"

#include <algorithm>
#include <cmath>

// The stencil is compiled for several instruction sets and the loader picks one. Without contraction (see
// cmake/laconic_warnings.cmake) all of them round alike. Sanitizers do not get along with that kind of dispatch.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STACKING_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STACKING_CLONES
#endif

namespace stacking {
namespace {

constexpr std::size_t halo = 4;        // points the stencil reaches on each side
constexpr std::size_t sponge = 40;     // points of absorbing boundary on each side
constexpr float safe_courant = 0.45F;  // stability ends at 0.55

constexpr float centre = -205.0F / 72.0F, side_1 = 8.0F / 5.0F, side_2 = -1.0F / 5.0F, side_3 = 8.0F / 315.0F,
                side_4 = -1.0F / 560.0F;

// before[i] becomes the next time level of the points now[i], i in [0, count).
STACKING_CLONES void advance_row(const float* now, float* __restrict before, const float* courant, const float* memory,
                                 std::size_t count, std::size_t stride) {
    const float *n1 = now - stride, *n2 = n1 - stride, *n3 = n2 - stride, *n4 = n3 - stride;
    const float *s1 = now + stride, *s2 = s1 + stride, *s3 = s2 + stride, *s4 = s3 + stride;
    const float *w1 = now - 1, *w2 = now - 2, *w3 = now - 3, *w4 = now - 4;
    const float *e1 = now + 1, *e2 = now + 2, *e3 = now + 3, *e4 = now + 4;
    for (std::size_t i = 0; i < count; ++i) {
        const float laplacian = 2.0F * centre * now[i] + side_1 * (w1[i] + e1[i] + n1[i] + s1[i]) +
                                side_2 * (w2[i] + e2[i] + n2[i] + s2[i]) + side_3 * (w3[i] + e3[i] + n3[i] + s3[i]) +
                                side_4 * (w4[i] + e4[i] + n4[i] + s4[i]);
        before[i] = now[i] + memory[i] * (now[i] - before[i]) + courant[i] * laplacian;
    }
}

float damping_at(std::size_t i, std::size_t margin, std::size_t n, float strength) {
    const std::size_t outside = i < margin ? margin - i : i >= margin + n ? i - (margin + n) + 1 : 0;
    const float depth = static_cast<float>(outside) / static_cast<float>(sponge);
    return strength * depth * depth;
}

}  // namespace

float stable_time_step(const field& velocity, float spacing_m) {
    return safe_courant * spacing_m / *std::max_element(velocity.values.begin(), velocity.values.end());
}

wave_solver::wave_solver(const field& velocity, float spacing_m, float time_step_s)
    : nx_(velocity.nx),
      nz_(velocity.nz),
      margin_(sponge + halo),
      stride_(velocity.nx + 2 * margin_),
      rows_(velocity.nz + 2 * margin_),
      now_(stride_ * rows_),
      before_(stride_ * rows_),
      courant_(stride_ * rows_),
      memory_(stride_ * rows_) {
    for (std::size_t row = 0; row < rows_; ++row) {
        const std::size_t z = std::clamp(row, margin_, margin_ + nz_ - 1) - margin_;
        for (std::size_t column = 0; column < stride_; ++column) {
            const std::size_t x = std::clamp(column, margin_, margin_ + nx_ - 1) - margin_;
            const float courant = velocity.at(x, z) * time_step_s / spacing_m;
            // Strong enough that a wave crossing the sponge twice keeps about a thousandth of its amplitude.
            const float strength = 10.0F * courant / static_cast<float>(sponge);
            const float damping = damping_at(row, margin_, nz_, strength) + damping_at(column, margin_, nx_, strength);
            courant_[row * stride_ + column] = courant * courant / (1.0F + damping);
            memory_[row * stride_ + column] = (1.0F - damping) / (1.0F + damping);
        }
    }
}

void wave_solver::step() {
    for (std::size_t row = halo; row < rows_ - halo; ++row) {
        const std::size_t first = row * stride_ + halo;
        advance_row(&now_[first], &before_[first], &courant_[first], &memory_[first], stride_ - 2 * halo, stride_);
    }
    now_.swap(before_);
}

void wave_solver::inject(std::size_t x, std::size_t z, float amplitude) {
    now_[index(x, z)] += courant_[index(x, z)] * amplitude;
}

void wave_solver::copy_field(std::span<float> out) const {
    for (std::size_t z = 0; z < nz_; ++z) {
        std::copy_n(&now_[index(0, z)], nx_, &out[z * nx_]);
    }
}

void wave_solver::reset() {
    std::fill(now_.begin(), now_.end(), 0.0F);
    std::fill(before_.begin(), before_.end(), 0.0F);
}

}  // namespace stacking
