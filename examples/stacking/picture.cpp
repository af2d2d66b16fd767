// SPDX-License-Identifier: BSD-3-Clause
// Colour maps, captions, composition and PNG encoding: a panel of values flows in, pixels and PNG files flow out.
#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <system_error>

#include "letters.hpp"

namespace stacking {
namespace {

constexpr std::size_t letter_width = 6, letter_height = 7;

// Stops at equal distances; lightness changes steadily along each map.
constexpr std::array<colour, 7> diverging{
    {{5, 48, 97}, {67, 147, 195}, {184, 216, 233}, {255, 255, 255}, {248, 196, 168}, {214, 96, 77}, {103, 0, 31}}};
constexpr std::array<colour, 6> sequential{
    {{43, 28, 90}, {52, 72, 137}, {42, 120, 142}, {42, 168, 129}, {122, 202, 80}, {240, 229, 60}}};

// Colours per map: as many as the eye tells apart, few enough that a figure with both maps fits a PNG palette.
constexpr double shades = 100;

template <std::size_t Stops>
colour blend(const std::array<colour, Stops>& map, double position) {
    if (!std::isfinite(position)) return {120, 120, 120};
    const double shade = std::round(std::clamp(position, 0.0, 1.0) * shades) / shades;
    const double scaled = shade * static_cast<double>(Stops - 1);
    const std::size_t low = std::min(static_cast<std::size_t>(scaled), Stops - 2);
    const double part = scaled - static_cast<double>(low);
    colour mixed{};
    for (std::size_t i = 0; i < mixed.size(); ++i) {
        mixed[i] = static_cast<std::uint8_t>(std::lround(map[low][i] * (1 - part) + map[low + 1][i] * part));
    }
    return mixed;
}

template <class Position>
picture paint(std::span<const double> values, std::size_t nx, Position position) {
    picture image(nx, values.size() / nx);
    std::transform(values.begin(), values.end(), image.pixels.begin(), position);
    return image;
}

constexpr std::size_t most_colours = 256;

struct indexed {
    std::vector<std::uint8_t> indices;
    std::vector<colour> palette;  // one colour more than most_colours: does not fit, indices are meaningless
};

indexed with_palette(const picture& image) {
    indexed found;
    std::map<colour, std::uint8_t> index_of;
    for (const colour& pixel : image.pixels) {
        const auto [entry, is_new] = index_of.try_emplace(pixel, static_cast<std::uint8_t>(found.palette.size()));
        if (is_new) found.palette.push_back(pixel);
        if (found.palette.size() > most_colours) break;
        found.indices.push_back(entry->second);
    }
    return found;
}

laconic::status refused(const std::filesystem::path& path, const std::string& why) {
    return {laconic::errc::io,
            "cannot write '" + path.string() + "': " + why + "; choose another directory with --out"};
}

}  // namespace

void picture::draw(const picture& other, std::size_t left, std::size_t top) {
    for (std::size_t y = 0; y < other.height && top + y < height; ++y) {
        for (std::size_t x = 0; x < other.width && left + x < width; ++x) {
            pixels[(top + y) * width + left + x] = other.pixels[y * other.width + x];
        }
    }
}

void picture::write(std::string_view text, std::size_t left, std::size_t top, std::size_t zoom) {
    for (const char character : text) {
        const auto& columns = letter_columns(character);
        picture dot(zoom, zoom, {40, 40, 40});
        for (std::size_t x = 0; x < columns.size(); ++x) {
            for (std::size_t y = 0; y < letter_height; ++y) {
                if ((columns[x] >> y & 1U) != 0) draw(dot, left + x * zoom, top + y * zoom);
            }
        }
        left += letter_width * zoom;
    }
}

double magnitude_quantile(std::span<const double> values, double rank) {
    std::vector<double> magnitudes;
    magnitudes.reserve(values.size());
    for (const double value : values) {
        if (std::isfinite(value)) magnitudes.push_back(std::abs(value));
    }
    if (magnitudes.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(rank * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), magnitudes.begin() + at, magnitudes.end());
    return magnitudes[static_cast<std::size_t>(at)];
}

picture paint_amplitudes(std::span<const double> values, std::size_t nx, double clip) {
    const double scale = clip > 0 ? 0.5 / clip : 0;
    return paint(values, nx, [scale](double value) { return blend(diverging, 0.5 + value * scale); });
}

picture paint_like(std::span<const double> model, std::span<const double> values, std::size_t nx) {
    // The outermost percent does not decide the colours of the rest.
    std::vector<double> sorted;
    std::copy_if(model.begin(), model.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
    std::sort(sorted.begin(), sorted.end());
    const auto quantile = [&](std::size_t percent) {
        return sorted.empty() ? 0 : sorted[(sorted.size() - 1) * percent / 100];
    };
    if (quantile(1) >= 0 && quantile(25) > 0) return paint_quantity(values, nx, quantile(1), quantile(99));
    return paint_amplitudes(values, nx, magnitude_quantile(model, 0.99));
}

picture paint_quantity(std::span<const double> values, std::size_t nx, double low, double high) {
    const double scale = high > low ? 1 / (high - low) : 0;
    return paint(values, nx, [=](double value) { return blend(sequential, (value - low) * scale); });
}

picture figure(std::span<const captioned> parts, std::size_t columns) {
    constexpr std::size_t gap = 12;
    const std::size_t width = parts[0].image.width, height = parts[0].image.height;
    std::size_t longest = 1;
    for (const captioned& part : parts) longest = std::max(longest, part.caption.size());
    const std::size_t zoom = width >= 2 * letter_width * longest ? 2 : 1;
    const std::size_t caption_height = letter_height * zoom + 10;
    const std::size_t cell_width = std::max(width + 2, letter_width * longest) + gap;
    const std::size_t cell_height = caption_height + height + 2 + gap;
    picture page(gap + columns * cell_width, gap + (parts.size() + columns - 1) / columns * cell_height);
    const picture frame(width + 2, height + 2, {90, 90, 90});
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t left = gap + i % columns * cell_width, top = gap + i / columns * cell_height;
        page.write(parts[i].caption, left, top, zoom);
        page.draw(frame, left, top + caption_height);
        page.draw(parts[i].image, left + 1, top + caption_height + 1);
    }
    return page;
}

laconic::status write_png(const std::filesystem::path& path, const picture& image) {
    const std::filesystem::path part = path.string() + ".part";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(part.c_str(), "wb"), std::fclose);
    if (!file) return refused(path, std::strerror(errno));
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    const auto [indices, palette] = with_palette(image);
    const bool small = palette.size() <= most_colours;
    header.format = small ? PNG_FORMAT_RGB_COLORMAP : PNG_FORMAT_RGB;
    header.colormap_entries = small ? static_cast<png_uint_32>(palette.size()) : 0;
    const void* const pixels = small ? static_cast<const void*>(indices.data()) : image.pixels.data();
    const bool encoded = png_image_write_to_stdio(&header, file.get(), 0, pixels, 0, palette.data()) != 0;
    const bool closed = std::fclose(file.release()) == 0;
    std::error_code failure;
    if (encoded && closed) std::filesystem::rename(part, path, failure);
    if (encoded && closed && !failure) return {};
    const std::string why = !encoded ? header.message : !closed ? std::strerror(errno) : failure.message();
    std::filesystem::remove(part, failure);
    return refused(path, why);
}

}  // namespace stacking
