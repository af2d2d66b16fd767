// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on arrays of any alignment: byte addresses flow in, sums and quotients flow out.
#pragma once

#include <cstddef>
#include <cstring>

namespace laconic::collective {

template <class T>
[[nodiscard]] inline T load(const void* from, std::size_t index) noexcept {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(from) + index * sizeof(T), sizeof value);
    return value;
}
template <class T>
inline void store(void* to, std::size_t index, T value) noexcept {
    std::memcpy(static_cast<std::byte*>(to) + index * sizeof(T), &value, sizeof value);
}

/// out[i] = a[i] + b[i]; out may be a or b.
template <class T>
inline void add_elements(void* out, const void* a, const void* b, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) store<T>(out, i, load<T>(a, i) + load<T>(b, i));
}
/// out[i] = (a[i] + b[i]) / divisor, rounded twice.
template <class T>
inline void add_and_divide(void* out, const void* a, const void* b, std::size_t count, T divisor) noexcept {
    for (std::size_t i = 0; i < count; ++i) store<T>(out, i, (load<T>(a, i) + load<T>(b, i)) / divisor);
}
template <class T>
inline void divide_elements(void* values, std::size_t count, T divisor) noexcept {
    for (std::size_t i = 0; i < count; ++i) store<T>(values, i, load<T>(values, i) / divisor);
}

}  // namespace laconic::collective
