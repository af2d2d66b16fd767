// SPDX-License-Identifier: BSD-3-Clause
// Numbers to pictures: a panel of values flows in, coloured pixels, captions and PNG files flow out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laconic/status.hpp"

namespace stacking {

using colour = std::array<std::uint8_t, 3>;

struct picture {
    std::size_t width = 0, height = 0;
    std::vector<colour> pixels;

    picture() = default;
    picture(std::size_t w, std::size_t h, colour background = {255, 255, 255})
        : width(w), height(h), pixels(w * h, background) {}
    void draw(const picture& other, std::size_t left, std::size_t top);
    /// 5 x 7 letters, `zoom` pixels per dot.
    void write(std::string_view text, std::size_t left, std::size_t top, std::size_t zoom);
};

/// The magnitude that the fraction `rank` (0..1) of the finite values does not exceed; 0 for an empty span.
[[nodiscard]] double magnitude_quantile(std::span<const double> values, double rank);

/// Amplitudes around 0: -clip blue, 0 white, +clip red; what lies beyond is clipped.
[[nodiscard]] picture paint_amplitudes(std::span<const double> values, std::size_t nx, double clip);
/// Quantities of one sign between low and high: dark blue to yellow.
[[nodiscard]] picture paint_quantity(std::span<const double> values, std::size_t nx, double low, double high);

/// Either of the two with limits that suit `model`, so that several fields can be compared by eye.
[[nodiscard]] picture paint_like(std::span<const double> model, std::span<const double> values, std::size_t nx);

struct captioned {
    std::string caption;
    picture image;
};
/// All parts in a grid of `columns` columns, each with its caption above it. Precondition: images of one size.
[[nodiscard]] picture figure(std::span<const captioned> parts, std::size_t columns);

/// Writes a PNG file; it appears under its name only when it is complete.
[[nodiscard]] laconic::status write_png(const std::filesystem::path& path, const picture& image);

}  // namespace stacking
