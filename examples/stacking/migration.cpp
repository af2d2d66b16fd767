// SPDX-License-Identifier: BSD-3-Clause
// Reverse-time migration of one shot: (1) record the shot in the true and in the smooth earth; the difference is what
// reflectors sent back; (2) send the difference back down, last sample first; (3) where the downgoing and the returning
// field meet at the same time there was a reflector: correlate them, shifted apart by the offset of each panel.
#include "migration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "earth_model.hpp"

namespace stacking {
namespace {

constexpr std::size_t source_depth = 2;  // rows below the top
constexpr std::size_t receiver_depth = 2;
constexpr std::size_t smoothing_radius = 12;
constexpr std::size_t imaging_stride = 6;  // time steps between two imaging times
constexpr std::size_t batch = 16;          // imaging times correlated together while a row of panels is in cache
constexpr float recording_s_per_m = 1.0F / 1050.0F;
constexpr std::size_t muted_rows = 18;  // near the sources the correlation shows the sources themselves
constexpr std::size_t taper_rows = 24;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void multiply_add(const float* a, const float* b, float* __restrict sum, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sum[i] += a[i] * b[i];
}

std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

float image_time_step(const field& earth, float spacing_m) {
    return std::floor(stable_time_step(earth, spacing_m) * 1e5F) / 1e5F;
}

}  // namespace

migration::migration(const survey& plan)
    : plan_(plan),
      earth_(layered_earth(plan.nx, plan.nz)),
      smooth_(smoothed(earth_, smoothing_radius)),
      time_step_s_(image_time_step(earth_, plan.spacing_m)),
      steps_(static_cast<std::size_t>(
          (static_cast<float>(plan.nz) * plan.spacing_m * recording_s_per_m + 2.5F / plan.peak_frequency_hz) /
          time_step_s_)),
      true_solver_(earth_, plan.spacing_m, time_step_s_),
      smooth_solver_(smooth_, plan.spacing_m, time_step_s_) {}

std::size_t migration::shot_x(std::size_t shot) const { return (2 * shot + 1) * plan_.nx / (2 * plan_.shots); }

float migration::wavelet(std::size_t step) const {
    const float delay_s = 1.2F / plan_.peak_frequency_hz;
    const float phase =
        std::numbers::pi_v<float> * plan_.peak_frequency_hz * (static_cast<float>(step) * time_step_s_ - delay_s);
    return (1.0F - 2.0F * phase * phase) * std::exp(-phase * phase);
}

// One shot in one earth: what the receivers hear and, when history is given, the field at every imaging time.
migration::traces migration::record(wave_solver& solver, std::size_t source_x, std::vector<float>* history) const {
    const std::size_t snapshot = plan_.nx * plan_.nz;
    traces heard(steps_ * plan_.nx);
    if (history != nullptr) history->resize((steps_ / imaging_stride + 1) * snapshot);
    solver.reset();
    for (std::size_t t = 0; t < steps_; ++t) {
        solver.step();
        solver.inject(source_x, source_depth, wavelet(t));
        for (std::size_t x = 0; x < plan_.nx; ++x) heard[t * plan_.nx + x] = solver.pressure(x, receiver_depth);
        if (history != nullptr && t % imaging_stride == 0) {
            solver.copy_field(std::span(*history).subspan(t / imaging_stride * snapshot, snapshot));
        }
    }
    return heard;
}

// panels[h](x, z) += sum over the imaging times of source(x - h, z) * receiver(x + h, z).
void migration::correlate(std::span<const float> source, std::span<const float> receiver,
                          std::span<float> panels) const {
    const std::size_t nx = plan_.nx, snapshot = nx * plan_.nz, half = plan_.half_offsets;
    for (std::size_t z = 0; z < plan_.nz; ++z) {
        for (std::size_t panel = 0; panel < plan_.panels(); ++panel) {
            const std::size_t shift = distance(panel, half);
            if (2 * shift >= nx) continue;
            // The field from the left of x starts at 0, the one from its right at 2 * shift.
            const std::size_t source_x = panel < half ? 2 * shift : 0, receiver_x = panel < half ? 0 : 2 * shift;
            float* row = &panels[panel * snapshot + z * nx + shift];
            for (std::size_t t = 0; t < source.size() / snapshot; ++t) {
                const std::size_t line = t * snapshot + z * nx;
                multiply_add(&source[line + source_x], &receiver[line + receiver_x], row, nx - 2 * shift);
            }
        }
    }
}

void migration::add_shot(std::size_t shot, std::span<float> panels) {
    const std::size_t nx = plan_.nx, snapshot = nx * plan_.nz;
    traces reflected = record(true_solver_, shot_x(shot), nullptr);
    const traces direct = record(smooth_solver_, shot_x(shot), &history_);
    std::transform(reflected.begin(), reflected.end(), direct.begin(), reflected.begin(), std::minus<>());

    std::vector<float> illumination(snapshot), image(plan_.image_values());
    for (std::size_t first = 0; first < history_.size(); first += snapshot) {
        multiply_add(&history_[first], &history_[first], illumination.data(), snapshot);
    }
    // Imaging times come last one first here; `returning_` fills from its end so that it lines up with `history_`.
    returning_.resize(batch * snapshot);
    std::size_t held = 0;
    smooth_solver_.reset();
    for (std::size_t t = steps_; t-- > 0;) {
        smooth_solver_.step();
        for (std::size_t x = 0; x < nx; ++x) smooth_solver_.inject(x, receiver_depth, reflected[t * nx + x]);
        if (t % imaging_stride != 0) continue;
        ++held;
        smooth_solver_.copy_field(std::span(returning_).subspan((batch - held) * snapshot, snapshot));
        if (held < batch && t != 0) continue;
        correlate(std::span(history_).subspan(t / imaging_stride * snapshot, held * snapshot),
                  std::span(returning_).subspan((batch - held) * snapshot), image);
        held = 0;
    }
    finish(illumination, image, panels);
}

// Per shot: equal light everywhere (divide by the source's energy), then a Laplacian, which removes the smooth
// haze that the correlation leaves along the ray paths, then a gain that grows with depth (deep echoes reach fewer
// receivers) and a mute of the rows next to the sources.
void migration::finish(const std::vector<float>& illumination, const std::vector<float>& raw,
                       std::span<float> panels) const {
    const std::size_t nx = plan_.nx, nz = plan_.nz, snapshot = nx * nz;
    const float brightest = *std::max_element(illumination.begin(), illumination.end());
    std::vector<float> gain(snapshot), lit(snapshot);
    const float floor = 1e-4F * brightest;
    for (std::size_t i = 0; i < snapshot; ++i) gain[i] = 1.0F / (illumination[i] + floor);
    for (std::size_t panel = 0; panel < plan_.panels(); ++panel) {
        const std::size_t shift = distance(panel, plan_.half_offsets);
        for (std::size_t i = 0; i < snapshot; ++i) lit[i] = raw[panel * snapshot + i] * gain[i];
        for (std::size_t z = 1; z + 1 < nz; ++z) {
            const float row = static_cast<float>(z);
            const float weight = std::clamp((row - muted_rows) / taper_rows, 0.0F, 1.0F) * row / static_cast<float>(nz);
            for (std::size_t x = shift + 1; x + shift + 1 < nx; ++x) {
                const std::size_t i = z * nx + x;
                const float laplacian = lit[i - 1] + lit[i + 1] + lit[i - nx] + lit[i + nx] - 4.0F * lit[i];
                panels[panel * snapshot + i] += weight * laplacian;
            }
        }
    }
}

}  // namespace stacking
