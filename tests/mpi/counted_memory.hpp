// SPDX-License-Identifier: BSD-3-Clause
// How often the program has asked for memory, how much it has, and when it gets none.
#pragma once

#include <cstdint>

namespace laconic::test {

[[nodiscard]] std::uint64_t allocations() noexcept;
/// Those that were not given back yet.
[[nodiscard]] std::int64_t live_blocks() noexcept;
/// In all, and the most at a time since the last watch_peak().
[[nodiscard]] std::int64_t live_bytes() noexcept;
[[nodiscard]] std::int64_t peak_bytes() noexcept;
void watch_peak() noexcept;

/// From now on `granted` requests succeed, then one fails, or all that follow. Both until grant_all().
void fail_one_after(std::int64_t granted) noexcept;
void fail_all_after(std::int64_t granted) noexcept;
/// returns whether a request has failed
bool grant_all() noexcept;

}  // namespace laconic::test
