// SPDX-License-Identifier: BSD-3-Clause
// Pixels.
#include "cli/canvas.hpp"

#include <algorithm>
#include <cstdlib>

#include "cli/files.hpp"

namespace laconic::cli {
namespace {

/// Rows from the top, three bits each, the leftmost the highest.
using glyph = std::array<std::uint8_t, 5>;
constexpr std::array<glyph, 10> digits{{{7, 5, 5, 5, 7},
                                        {2, 6, 2, 2, 7},
                                        {7, 1, 7, 4, 7},
                                        {7, 1, 7, 1, 7},
                                        {5, 5, 7, 1, 1},
                                        {7, 4, 7, 1, 7},
                                        {7, 4, 7, 5, 7},
                                        {7, 1, 2, 2, 2},
                                        {7, 5, 7, 5, 7},
                                        {7, 5, 7, 1, 7}}};
constexpr std::array<glyph, 26> letters{
    {{2, 5, 7, 5, 5}, {6, 5, 6, 5, 6}, {3, 4, 4, 4, 3}, {6, 5, 5, 5, 6}, {7, 4, 6, 4, 7}, {7, 4, 6, 4, 4},
     {3, 4, 5, 5, 3}, {5, 5, 7, 5, 5}, {7, 2, 2, 2, 7}, {1, 1, 1, 5, 2}, {5, 5, 6, 5, 5}, {4, 4, 4, 4, 7},
     {5, 7, 7, 5, 5}, {6, 5, 5, 5, 5}, {2, 5, 5, 5, 2}, {6, 5, 6, 4, 4}, {2, 5, 5, 6, 3}, {6, 5, 6, 5, 5},
     {3, 4, 2, 1, 6}, {7, 2, 2, 2, 2}, {5, 5, 5, 5, 7}, {5, 5, 5, 5, 2}, {5, 5, 7, 7, 5}, {5, 5, 2, 5, 5},
     {5, 5, 2, 2, 2}, {7, 1, 2, 4, 7}}};

glyph glyph_of(char c) noexcept {
    if (c >= '0' && c <= '9') return digits[static_cast<std::size_t>(c - '0')];
    if (c >= 'a' && c <= 'z') return letters[static_cast<std::size_t>(c - 'a')];
    switch (c) {
        case '.': return {0, 0, 0, 0, 2};
        case ',': return {0, 0, 0, 2, 4};
        case '-': return {0, 0, 7, 0, 0};
        case '_': return {0, 0, 0, 0, 7};
        case '(': return {1, 2, 2, 2, 1};
        case ')': return {4, 2, 2, 2, 4};
        case '%': return {5, 1, 2, 4, 5};
        default: return {};
    }
}

}  // namespace

void canvas::fill(int left, int top, int right, int bottom, colour paint) noexcept {
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) dot(x, y, paint);
}

void canvas::frame(int left, int top, int right, int bottom, colour paint) noexcept {
    line(left, top, right, top, paint);
    line(left, bottom, right, bottom, paint);
    line(left, top, left, bottom, paint);
    line(right, top, right, bottom, paint);
}

void canvas::line(int x0, int y0, int x1, int y1, colour paint) noexcept {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, paint);
}

void canvas::write(std::string_view text, int left, int top, int zoom, colour paint) noexcept {
    for (const char c : text) {
        const glyph shape = glyph_of(c);
        for (int row = 0; row < 5; ++row)
            for (int column = 0; column < 3; ++column)
                if (shape[static_cast<std::size_t>(row)] >> (2 - column) & 1)
                    fill(left + column * zoom, top + row * zoom, left + (column + 1) * zoom, top + (row + 1) * zoom,
                         paint);
        left += 4 * zoom;
    }
}

void canvas::save(const std::string& path) const {
    output_file file(path, "--png");
    file.write(png());
    file.commit();
}

}  // namespace laconic::cli
