// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on arrays of any alignment: byte addresses flow in, sums, extremes and quotients flow out, rounded to
// nearest and with denormals whatever the caller's floating-point environment is. 16-bit types are computed with in
// float.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#include "codec/float_environment.hpp"
#include "laconic/codec.hpp"
#include "laconic/collective.hpp"

namespace laconic::collective {

template <class T>
[[nodiscard]] inline real_type<T> load(const void* from, std::size_t index) noexcept {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(from) + index * sizeof(T), sizeof value);
    return static_cast<real_type<T>>(value);
}
template <class T>
inline void store(void* to, std::size_t index, real_type<T> value) noexcept {
    const T element(value);
    std::memcpy(static_cast<std::byte*>(to) + index * sizeof(T), &element, sizeof element);
}

/// The smaller or larger of two: NaN if one is NaN, and -0.0 is below +0.0, so that the order of operands is all one.
template <class Real>
[[nodiscard]] inline Real lesser(Real a, Real b) noexcept {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    return b < a || (a == b && std::signbit(b)) ? b : a;
}
template <class Real>
[[nodiscard]] inline Real greater(Real a, Real b) noexcept {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    return a < b || (a == b && std::signbit(a)) ? b : a;
}

/// out[i] = a[i] op b[i]; out may be a or b. avg adds: the division comes once, at the end. Precondition: not custom.
template <class T>
inline void combine_elements(reduction op, void* out, const void* a, const void* b, std::size_t count) noexcept {
    const codec::float_environment standard;
    switch (op) {
        case reduction::sum:
        case reduction::avg:
            for (std::size_t i = 0; i < count; ++i) store<T>(out, i, load<T>(a, i) + load<T>(b, i));
            return;
        case reduction::prod:
            for (std::size_t i = 0; i < count; ++i) store<T>(out, i, load<T>(a, i) * load<T>(b, i));
            return;
        case reduction::min:
            for (std::size_t i = 0; i < count; ++i) store<T>(out, i, lesser(load<T>(a, i), load<T>(b, i)));
            return;
        case reduction::max:
            for (std::size_t i = 0; i < count; ++i) store<T>(out, i, greater(load<T>(a, i), load<T>(b, i)));
            return;
        case reduction::custom: return;
    }
}
template <class T>
inline void divide_elements(void* values, std::size_t count, unsigned divisor) noexcept {
    const codec::float_environment standard;
    const auto by = static_cast<real_type<T>>(divisor);
    for (std::size_t i = 0; i < count; ++i) store<T>(values, i, load<T>(values, i) / by);
}

}  // namespace laconic::collective
