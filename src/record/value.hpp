// SPDX-License-Identifier: BSD-3-Clause
// Small things that generated wrappers and the recorder share: what a pointer of the program holds, seen safely, and
// the bits of a handle, whatever type an MPI gave it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace laconic::record {

/// What the program's pointer points to; zero when it passed none (the tool interface allows that).
template <class T>
[[nodiscard]] inline T value_at(const T* where) noexcept {
    return where ? *where : T{};
}

/// A handle as a number: handles are integers in one MPI and pointers in the other.
template <class T>
[[nodiscard]] inline std::uint64_t reinterpret_bits(T handle) noexcept {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<std::uintptr_t>(handle);
    } else {
        return static_cast<std::uint64_t>(handle);
    }
}

}  // namespace laconic::record
