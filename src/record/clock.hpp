// SPDX-License-Identifier: BSD-3-Clause
// Time at the price of one instruction: the processor's time stamps flow out where they count evenly on all cores, the
// monotonic clock elsewhere; to_ns() turns either into nanoseconds of the monotonic clock.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace laconic::record {

class tick_clock {
public:
    /// Finds out what the processor offers and measures its rate: takes about 2 ms.
    void start() noexcept;

    [[nodiscard]] std::uint64_t ticks() const noexcept {
#if defined(__x86_64__)
        if (time_stamps_) [[likely]]
            return __rdtsc();
#endif
        return monotonic_ns();
    }

    /// Never runs backwards. Not to be called by two threads at once.
    [[nodiscard]] std::uint64_t to_ns(std::uint64_t ticks) noexcept {
        if (!time_stamps_) return ticks;
        if (static_cast<std::int64_t>(ticks - base_ticks_) > window_ticks_) [[unlikely]]
            adjust(ticks);
        const auto elapsed = static_cast<std::int64_t>(ticks - base_ticks_);
        return base_ns_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                              (static_cast<__int128>(elapsed) * static_cast<__int128>(ns_per_tick_)) >> fraction_bits));
    }

    [[nodiscard]] static std::uint64_t monotonic_ns() noexcept;

private:
    static constexpr int fraction_bits = 40;
    void adjust(std::uint64_t ticks) noexcept;
    void set_rate(std::uint64_t ticks, std::uint64_t ns) noexcept;

    bool time_stamps_ = false;
    std::uint64_t first_ticks_ = 0, first_ns_ = 0;
    std::uint64_t base_ticks_ = 0, base_ns_ = 0;
    std::uint64_t ns_per_tick_ = 0;  ///< fixed point
    std::int64_t window_ticks_ = 0;  ///< how long a rate is trusted
};

}  // namespace laconic::record
