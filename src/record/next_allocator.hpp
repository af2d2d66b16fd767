// SPDX-License-Identifier: BSD-3-Clause
// The allocator behind the preload library's own malloc: what the recorder uses where it must not meet its own hooks.
// Without hooks (in tests) it is the C library's.
#pragma once

#include <cstddef>
#include <new>

namespace laconic::record::next_allocator {

/// realloc and free of the next allocator.
[[nodiscard]] void* resize(void* old, std::size_t bytes) noexcept;
void give_back(void* memory) noexcept;

/// For containers.
template <class T>
struct allocator {
    using value_type = T;

    [[nodiscard]] T* allocate(std::size_t count) {
        void* const memory = resize(nullptr, count * sizeof(T));
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept { give_back(memory); }

    friend bool operator==(const allocator&, const allocator&) = default;
};

}  // namespace laconic::record::next_allocator
