// SPDX-License-Identifier: BSD-3-Clause
// One channel of times as an array: values flow in, bytes by the method asked for flow out; and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "laconic/status.hpp"
#include "trace/timing.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

[[nodiscard]] inline status damaged_times() { return {errc::corrupt, "the times in a timing block are damaged"}; }

/// `ends`: where the values of each terminal end, for methods that take them terminal by terminal; else empty.
void write_channel(bytes& out, const std::vector<std::uint64_t>& all, std::span<const std::size_t> ends,
                   const timing_options& options);
/// Appends the values to `all`, which is empty.
/// returns corrupt, out_of_memory
[[nodiscard]] status read_channel(wire_reader& in, std::uint64_t calls, std::span<const std::size_t> ends,
                                  const timing_options& options, std::vector<std::uint64_t>& all);

}  // namespace laconic::trace
