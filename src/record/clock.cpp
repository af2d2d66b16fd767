// SPDX-License-Identifier: BSD-3-Clause
// The rate of the time stamps: measured against the monotonic clock at the start, and again every second over all the
// time since then, so that the error shrinks as the run goes on.
#include "record/clock.hpp"

#include <time.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace laconic::record {
namespace {

/// The kernel lists both flags when the stamps of all cores count at one rate and never stop.
bool stamps_are_even() {
#if defined(__x86_64__)
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("flags", 0) != 0) continue;
        return line.find(" constant_tsc") != std::string::npos && line.find(" nonstop_tsc") != std::string::npos;
    }
#endif
    return false;
}

}  // namespace

std::uint64_t tick_clock::monotonic_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

void tick_clock::set_rate(std::uint64_t ticks, std::uint64_t ns) noexcept {
    const auto passed_ticks = static_cast<unsigned __int128>(std::max<std::uint64_t>(ticks - first_ticks_, 1));
    const auto passed_ns = static_cast<unsigned __int128>(ns - first_ns_);
    ns_per_tick_ = static_cast<std::uint64_t>((passed_ns << fraction_bits) / passed_ticks);
    window_ticks_ =
        static_cast<std::int64_t>(passed_ticks * 1'000'000'000U / std::max<unsigned __int128>(passed_ns, 1));
}

void tick_clock::start() noexcept {
    time_stamps_ = stamps_are_even();
    if (!time_stamps_) return;
    first_ns_ = monotonic_ns();
    first_ticks_ = ticks();
    std::uint64_t now_ns = first_ns_;
    while (now_ns < first_ns_ + 2'000'000) now_ns = monotonic_ns();
    const std::uint64_t now_ticks = ticks();
    set_rate(now_ticks, now_ns);
    base_ticks_ = now_ticks;
    base_ns_ = now_ns;
}

void tick_clock::adjust(std::uint64_t at) noexcept {
    const std::uint64_t now_ticks = ticks();
    const std::uint64_t now_ns = monotonic_ns();
    const auto elapsed = static_cast<unsigned __int128>(at - base_ticks_);
    const std::uint64_t shown = base_ns_ + static_cast<std::uint64_t>((elapsed * ns_per_tick_) >> fraction_bits);
    set_rate(now_ticks, now_ns);
    const auto ago = static_cast<unsigned __int128>(now_ticks - at);
    const std::uint64_t truth = now_ns - static_cast<std::uint64_t>((ago * ns_per_tick_) >> fraction_bits);
    base_ticks_ = at;
    base_ns_ = std::max(shown, truth);
}

}  // namespace laconic::record
