// SPDX-License-Identifier: BSD-3-Clause
// A picture in memory: rectangles, lines and texts flow in, the bytes of a PNG file, or the file, flow out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::cli {

/// A usage failure where this build has no libpng and cannot write pictures.
void need_pictures();

using colour = std::array<std::uint8_t, 3>;

class canvas {
public:
    canvas(int width, int height) : width_(width), height_(height) {
        pixels_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), {255, 255, 255});
    }
    [[nodiscard]] int width() const noexcept { return width_; }
    [[nodiscard]] int height() const noexcept { return height_; }
    /// What lies outside is not drawn.
    void dot(int x, int y, colour paint) noexcept {
        if (x >= 0 && y >= 0 && x < width_ && y < height_)
            pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] =
                paint;
    }
    void fill(int left, int top, int right, int bottom, colour paint) noexcept;
    void frame(int left, int top, int right, int bottom, colour paint) noexcept;
    void line(int x0, int y0, int x1, int y1, colour paint) noexcept;
    /// Digits, letters a to z, blanks and . , - _ ( ) %, 3 x 5 dots of `zoom` pixels each, the first dot at the upper
    /// left. Other characters leave a blank.
    void write(std::string_view text, int left, int top, int zoom, colour paint) noexcept;
    /// The width of such a text in pixels.
    [[nodiscard]] static int width_of(std::string_view text, int zoom) noexcept {
        return static_cast<int>(text.size()) * 4 * zoom;
    }
    /// Throws a data failure when there is no memory for it. Precondition: need_pictures() did not fail.
    [[nodiscard]] std::vector<std::byte> png() const;
    /// Failures as output_file, and as png().
    void save(const std::string& path) const;

private:
    int width_, height_;
    std::vector<colour> pixels_;
};

}  // namespace laconic::cli
