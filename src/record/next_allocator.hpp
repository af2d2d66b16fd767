// SPDX-License-Identifier: BSD-3-Clause
// The allocator behind the preload library's own malloc: what the recorder uses where it must not meet its own hooks.
// Without hooks (in tests) it is the C library's.
#pragma once

#include <cstddef>

namespace laconic::record::next_allocator {

/// realloc and free of the next allocator.
[[nodiscard]] void* resize(void* old, std::size_t bytes) noexcept;
void give_back(void* memory) noexcept;

}  // namespace laconic::record::next_allocator
