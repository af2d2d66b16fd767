// SPDX-License-Identifier: BSD-3-Clause
// How often the program has asked for memory.
#pragma once

#include <cstdint>

namespace laconic::test {

[[nodiscard]] std::uint64_t allocations() noexcept;

}  // namespace laconic::test
