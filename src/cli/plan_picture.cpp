// SPDX-License-Identifier: BSD-3-Clause
// Arrays become rectangles of a picture, plans become colours.
#include "cli/plan_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/canvas.hpp"

namespace laconic::cli {
namespace {

constexpr colour ink{40, 40, 40}, grid_line{90, 90, 90};
constexpr int margin = 24;

/// Neighbouring numbers get hues far apart; the multiplier is the golden ratio's.
colour colour_of(rank_number rank) {
    const double hue = 6 * std::fmod(0.08 + 0.6180339887498949 * rank, 1.0);
    const double lightness = rank / 8 % 2 ? 0.62 : 0.78;
    colour mixed{};
    for (int part = 0; part < 3; ++part) {
        const double distance = std::fabs(std::fmod(hue + 2.0 * part, 6.0) - 3);
        const double strength = std::clamp(distance - 1, 0.0, 1.0);
        mixed[static_cast<std::size_t>(part)] =
            static_cast<std::uint8_t>(std::lround(255 * (lightness - 0.22 + 0.44 * strength * (1 - lightness / 3))));
    }
    return mixed;
}

/// Dimension 0 runs down, dimension 1 to the right.
struct panel {
    int left, top;
    double scale;
    [[nodiscard]] int x(std::int64_t element) const {
        return left + static_cast<int>(std::lround(static_cast<double>(element) * scale));
    }
    [[nodiscard]] int y(std::int64_t element) const {
        return top + static_cast<int>(std::lround(static_cast<double>(element) * scale));
    }
};

void draw_patches(canvas& picture, const panel& where, const patch_grid& to) {
    const box& domain = to.domain();
    const double narrow = static_cast<double>(std::min(to.patch(0).extent(0), to.patch(0).extent(1))) * where.scale;
    if (narrow >= 4) {
        for (const std::int64_t cut : to.cuts(0))
            picture.line(where.x(0), where.y(cut), where.x(domain.upper[1]), where.y(cut), grid_line);
        for (const std::int64_t cut : to.cuts(1))
            picture.line(where.x(cut), where.y(0), where.x(cut), where.y(domain.upper[0]), grid_line);
    }
    const std::string last = std::to_string(to.patches() - 1);
    if (narrow < canvas::width_of(last, 2) + 8) return;
    for (patch_number patch = 0; patch < to.patches(); ++patch) {
        const box region = to.patch(patch);
        picture.write(std::to_string(patch), where.x(region.lower[1]) + 5, where.y(region.lower[0]) + 5, 2, ink);
    }
}

void stripe(canvas& picture, const panel& where, const box& region, colour paint) {
    for (int y = where.y(region.lower[0]); y < where.y(region.upper[0]); ++y)
        for (int x = where.x(region.lower[1]); x < where.x(region.upper[1]); ++x)
            if ((x + y) % 8 < 3) picture.dot(x, y, paint);
}

}  // namespace

void draw_plan(const plan& what, const std::string& path) {
    const box& domain = what.to().domain();
    constexpr double largest = 720;
    const double scale = largest / static_cast<double>(std::max(domain.upper[0], domain.upper[1]));
    const int width = static_cast<int>(std::lround(static_cast<double>(domain.upper[1]) * scale));
    const int height = static_cast<int>(std::lround(static_cast<double>(domain.upper[0]) * scale));
    canvas picture(2 * width + 3 * margin, height + 2 * margin);
    const panel before{margin, margin, scale}, after{2 * margin + width, margin, scale};
    const auto fill = [&](const panel& where, const box& region, colour paint) {
        picture.fill(where.x(region.lower[1]), where.y(region.lower[0]), where.x(region.upper[1]),
                     where.y(region.upper[0]), paint);
    };
    for (rank_number rank = 0; rank < what.from().ranks(); ++rank)
        for (const box& mine : what.from().boxes_of(rank)) fill(before, mine, colour_of(rank));
    for (patch_number patch = 0; patch < what.to().patches(); ++patch)
        fill(after, what.to().patch(patch), colour_of(what.owners()[static_cast<std::size_t>(patch)]));
    for (rank_number rank = 0; rank < what.from().ranks(); ++rank)
        for (const transfer& sent : what.of_rank(rank).sends) stripe(picture, after, sent.region, colour_of(rank));
    for (const panel& where : {before, after}) {
        draw_patches(picture, where, what.to());
        picture.frame(where.x(0), where.y(0), where.x(domain.upper[1]), where.y(domain.upper[0]), ink);
    }
    picture.write("before", before.left, 6, 2, ink);
    picture.write("after. striped  moved from", after.left, 6, 2, ink);
    picture.save(path);
}

void draw_pareto(std::span<const plan_outcome> rows, const plan_question& question, const std::string& path) {
    const double ranks = question.from.ranks();
    const auto x_of = [&](const plan_outcome& row) { return imbalance_of(row.figures, question.how.load) * ranks; };
    const auto y_of = [](const plan_outcome& row) {
        return 100 * static_cast<double>(row.figures.moved_elements) / static_cast<double>(row.figures.elements);
    };
    double widest = 1, most = 0, least = 100;
    for (const plan_outcome& row : rows) {
        widest = std::max(widest, x_of(row));
        most = std::max(most, y_of(row));
        least = std::min(least, y_of(row));
    }
    const double room = std::max(1.0, (most - least) * 0.15);
    least = std::max(0.0, least - room);
    most += room;
    constexpr int left = 90, top = 40, right = 780, bottom = 520;
    canvas picture(820, 600);
    const double x_scale = (right - left) / std::max(0.1, (widest - 1) * 1.08);
    const auto x_at = [&](double x) { return left + static_cast<int>(std::lround((x - 1) * x_scale)); };
    const auto y_at = [&](double y) {
        return bottom - static_cast<int>(std::lround((y - least) / (most - least) * (bottom - top)));
    };
    picture.frame(left, top, right, bottom, ink);
    constexpr int ticks = 5;
    constexpr colour faint{225, 225, 225}, blue{30, 90, 170}, red{190, 50, 40}, green{20, 130, 70};
    for (int i = 0; i <= ticks; ++i) {
        const double y = least + (most - least) * i / ticks;
        if (i > 0 && i < ticks) picture.line(left + 1, y_at(y), right - 1, y_at(y), faint);
        picture.write(fmt::format("{:.1f}%", y), 20, y_at(y) - 5, 2, ink);
        const double x = 1 + (right - left) / x_scale * i / ticks;
        if (i > 0 && i < ticks) picture.line(x_at(x), top + 1, x_at(x), bottom - 1, faint);
        picture.write(fmt::format("{:.2f}", x), x_at(x) - 16, bottom + 10, 2, ink);
    }
    picture.write("bytes moved", 20, 14, 2, ink);
    picture.write("greatest load over the mean", 300, 560, 2, ink);
    std::vector<std::pair<int, int>> curve;
    for (const plan_outcome& row : rows) {
        const int x = x_at(x_of(row)), y = y_at(y_of(row));
        if (row.name == "greedy") {
            for (int d = -1; d <= 1; ++d) {
                picture.line(x - 6 + d, y - 6, x + 6 + d, y + 6, red);
                picture.line(x - 6 + d, y + 6, x + 6 + d, y - 6, red);
            }
            picture.write("greedy", x - 60, y - 14, 2, red);
        } else if (row.name == "balanced") {
            picture.fill(x - 5, y - 5, x + 6, y + 6, green);
            picture.write("balanced", x + 12, y - 5, 2, green);
        } else {
            curve.emplace_back(x, y);
        }
    }
    std::sort(curve.begin(), curve.end());
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const auto [x, y] = curve[i];
        picture.fill(x - 3, y - 3, x + 4, y + 4, blue);
        if (i > 0) {
            picture.line(curve[i - 1].first, curve[i - 1].second, x, y, blue);
            picture.line(curve[i - 1].first, curve[i - 1].second + 1, x, y + 1, blue);
        }
    }
    if (!curve.empty()) picture.write("optimal", curve[0].first + 12, curve[0].second - 4, 2, blue);
    picture.save(path);
}

}  // namespace laconic::cli
