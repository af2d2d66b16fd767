// SPDX-License-Identifier: BSD-3-Clause
// Panels stand side by side while there is room, then in further lines; a rank takes as much room in all of them.
#include "cli/rank_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/canvas.hpp"

namespace laconic::cli {
namespace {

constexpr colour ink{40, 40, 40}, faint{225, 225, 225};
constexpr std::array<colour, 8> paints{{{120, 120, 120},
                                        {20, 130, 70},
                                        {215, 140, 0},
                                        {200, 85, 20},
                                        {30, 100, 180},
                                        {140, 70, 160},
                                        {70, 150, 200},
                                        {160, 110, 60}}};
constexpr int left = 70, right = 20, top = 84, panel_height = 320, gap = 16, zoom = 2;
constexpr int text_height = 5 * zoom, line_height = text_height + 6;
/// Of the boxes of a line, which is wider only where one panel is.
constexpr int wanted_width = 1300;
constexpr int least_step = 3, most_step = 40;
/// Shorter ones are beneath what clocks tell.
constexpr double least_ms = 1e-4;

double ms_of(double seconds) { return std::max(1e3 * seconds, least_ms); }

/// Round numbers, evenly spaced to the eye on a logarithmic axis: two or more, the first at most `low`, the last at
/// least `high`.
std::vector<double> ticks_between(double low, double high) {
    static constexpr std::array coarse{1.0, 2.0, 5.0};
    static constexpr std::array fine{1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0};
    const std::span<const double> digits =
        high / low > 6 ? std::span<const double>(coarse) : std::span<const double>(fine);
    std::vector<double> ticks;
    for (double decade = std::pow(10, std::floor(std::log10(low))); ticks.size() < 2 || ticks.back() < high;
         decade *= 10)
        for (const double digit : digits) {
            const double tick = digit * decade;
            if (tick <= low) ticks.clear();
            if (ticks.size() < 2 || ticks.back() < high) ticks.push_back(tick);
        }
    return ticks;
}

/// A name in lines of at most so many pixels, broken at blanks.
std::vector<std::string> lines_of(const std::string& name, int width) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find(' ', at), name.size());
        const std::string word = name.substr(at, end - at);
        if (!lines.empty() && canvas::width_of(lines.back() + " " + word, zoom) <= width)
            lines.back() += " " + word;
        else
            lines.push_back(word);
        at = end + 1;
    }
    return lines;
}

/// Pixels.
struct measures {
    int step = 0;  // from rank to rank
    int panel = 0, panels_per_line = 0;
    int names = 0;  // height of the longest name
    int lines = 0;  // of panels

    explicit measures(std::span<const ranks_of_row> rows) {
        const auto ranks = static_cast<int>(rows.front().ranks.size()), count = static_cast<int>(rows.size());
        // A panel has half a step around its ranks.
        step = std::clamp(2 * (wanted_width / count - gap) / (2 * ranks + 1), least_step, most_step);
        panel = ranks * step + step / 2;
        for (const ranks_of_row& row : rows)
            for (const std::string& word : lines_of(row.name, 0)) panel = std::max(panel, canvas::width_of(word, zoom));
        for (const ranks_of_row& row : rows)
            names = std::max(names, line_height * static_cast<int>(lines_of(row.name, panel).size()));
        panels_per_line = std::clamp(wanted_width / (panel + gap), 1, count);
        lines = (count + panels_per_line - 1) / panels_per_line;
    }
    /// Rank numbers, the word "rank", the name.
    [[nodiscard]] int line_of_panels() const { return panel_height + 2 * line_height + names + 2 * gap; }
    [[nodiscard]] int width() const { return left + panels_per_line * (panel + gap) + right; }
    [[nodiscard]] int height() const { return top + lines * line_of_panels(); }
};

class drawing {
public:
    drawing(std::span<const ranks_of_row> rows, const std::string& title)
        : rows_(rows),
          where_(rows),
          picture_(std::max({where_.width(), left + canvas::width_of(title, zoom) + right,
                             left + canvas::width_of(explanation, zoom) + right}),
                   where_.height()) {
        double low = ms_of(rows.front().ranks.front().min_s), high = low;
        for (const ranks_of_row& row : rows)
            for (const rank_times& each : row.ranks) {
                low = std::min(low, ms_of(each.min_s));
                high = std::max(high, ms_of(each.max_s));
            }
        ticks_ = ticks_between(low, high);
        picture_.write(title, left, 14, zoom, ink);
        picture_.write(explanation, left, 14 + line_height, zoom, ink);
    }

    canvas draw() {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const int at = static_cast<int>(i);
            const int line = at / where_.panels_per_line, column = at % where_.panels_per_line;
            top_ = top + line * where_.line_of_panels();
            left_ = left + column * (where_.panel + gap);
            draw_frame(column == 0);
            draw_ranks(rows_[i], paints[i % paints.size()]);
            draw_name(rows_[i].name);
        }
        return std::move(picture_);
    }

private:
    static constexpr std::string_view explanation = "box, quartiles. line in it, median. whiskers, least and greatest";

    [[nodiscard]] int y_of(double ms) const {
        const double share = std::log(ms / ticks_.front()) / std::log(ticks_.back() / ticks_.front());
        return top_ + panel_height - static_cast<int>(std::lround(share * panel_height));
    }

    void draw_frame(bool first) {
        const int end = left_ + where_.panel;
        for (const double tick : ticks_) {
            picture_.line(left_, y_of(tick), end, y_of(tick), faint);
            const std::string number = fmt::format("{:.6g}", tick);
            if (first) picture_.write(number, left_ - 6 - canvas::width_of(number, zoom), y_of(tick) - 5, zoom, ink);
        }
        picture_.frame(left_, top_, end, top_ + panel_height, ink);
        if (first) picture_.write("milliseconds, logarithmic", 8, top_ - 2 * line_height + 6, zoom, ink);
    }

    void draw_ranks(const ranks_of_row& row, colour paint) {
        const int below = top_ + panel_height + 6;
        const auto widest = canvas::width_of(std::to_string(row.ranks.size() - 1), zoom);
        const int every = (widest + zoom * 2) / where_.step + 1;
        for (std::size_t rank = 0; rank < row.ranks.size(); ++rank) {
            const int at = static_cast<int>(rank),
                      middle = left_ + where_.step / 4 + at * where_.step + where_.step / 2;
            draw_box(row.ranks[rank], middle, paint);
            const std::string number = std::to_string(rank);
            if (at % every == 0)
                picture_.write(number, middle - canvas::width_of(number, zoom) / 2 + 1, below, zoom, ink);
        }
        picture_.write("rank", left_ + (where_.panel - canvas::width_of("rank", zoom)) / 2, below + line_height, zoom,
                       ink);
    }

    void draw_box(const rank_times& each, int middle, colour paint) {
        const int half = std::max(where_.step * 3 / 10, 1);
        const int low = y_of(ms_of(each.min_s)), high = y_of(ms_of(each.max_s));
        const int lower = y_of(ms_of(each.lower_s)), upper = y_of(ms_of(each.upper_s));
        picture_.line(middle, high, middle, low, paint);
        for (const int end : {low, high}) picture_.line(middle - half / 2, end, middle + half / 2, end, paint);
        colour pale{};
        for (std::size_t i = 0; i < pale.size(); ++i) pale[i] = static_cast<std::uint8_t>((paint[i] + 2 * 255) / 3);
        picture_.fill(middle - half, upper, middle + half + 1, lower + 1, pale);
        picture_.frame(middle - half, upper, middle + half, lower, paint);
        const int median = y_of(ms_of(each.median_s));
        picture_.fill(middle - half, median - 1, middle + half + 1, median + 1, ink);
    }

    void draw_name(const std::string& name) {
        int at = top_ + panel_height + 2 * line_height + 8;
        for (const std::string& line : lines_of(name, where_.panel)) {
            picture_.write(line, left_ + (where_.panel - canvas::width_of(line, zoom)) / 2, at, zoom, ink);
            at += line_height;
        }
    }

    std::span<const ranks_of_row> rows_;
    measures where_;
    canvas picture_;
    std::vector<double> ticks_;
    int top_ = 0, left_ = 0;  // of the panel being drawn
};

}  // namespace

void draw_rank_times(std::span<const ranks_of_row> rows, const std::string& title, const std::string& path) {
    drawing(rows, title).draw().save(path);
}

}  // namespace laconic::cli
