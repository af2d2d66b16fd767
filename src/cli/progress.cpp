// SPDX-License-Identifier: BSD-3-Clause
// Byte counts in; "reading  [#####.....]  52 %  1.20 GiB  410 MiB/s  3 s left" on standard error out.
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/units.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

constexpr auto delay = std::chrono::seconds(2);
constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr std::size_t bar_width = 24;

}  // namespace

progress::progress(std::string_view what, std::uint64_t total_bytes)
    : what_(what), total_bytes_(total_bytes), next_draw_(started_ + delay), on_terminal_(is_terminal(stderr)) {}

progress::~progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
}

void progress::reach(std::uint64_t done_bytes) {
    done_bytes_ = done_bytes;
    if (!on_terminal_) return;
    const auto now = clock::now();
    if (now < next_draw_) return;
    next_draw_ = now + redraw_interval;
    drawn_ = true;
    std::fputs(line(std::chrono::duration<double>(now - started_).count()).c_str(), stderr);
    std::fflush(stderr);
}

std::string progress::line(double elapsed_s) const {
    const double rate = static_cast<double>(done_bytes_) / elapsed_s;
    const std::string speed = base::human_bytes(static_cast<std::uint64_t>(rate)) + "/s";
    if (total_bytes_ == 0) return fmt::format("\r\033[K{}  {}  {}", what_, base::human_bytes(done_bytes_), speed);
    const double part = std::min(1.0, static_cast<double>(done_bytes_) / static_cast<double>(total_bytes_));
    const auto filled = static_cast<std::size_t>(part * bar_width);
    const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
    const double left_s = rate > 0 ? static_cast<double>(total_bytes_) * (1 - part) / rate : 0;
    return fmt::format("\r\033[K{}  [{}]  {:.0f} %  {}  {}  {:.0f} s left", what_, bar, part * 100,
                       base::human_bytes(done_bytes_), speed, left_s);
}

}  // namespace laconic::cli
