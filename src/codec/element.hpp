// SPDX-License-Identifier: BSD-3-Clause
// Element types: a number flows in, and its name, or what is done with its C++ type, flows out; the limits of a type.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "laconic/codec.hpp"

namespace laconic::codec {

/// What std::numeric_limits says of float and double.
template <class T>
struct element_limits {
    static constexpr int digits = std::numeric_limits<T>::digits;
    static constexpr int min_exponent = std::numeric_limits<T>::min_exponent;
    static constexpr int max_exponent = std::numeric_limits<T>::max_exponent;
    static constexpr double max = std::numeric_limits<T>::max();
};
template <>
struct element_limits<half> {
    static constexpr int digits = 11, min_exponent = -13, max_exponent = 16;
    static constexpr double max = 65504;
};
template <>
struct element_limits<bfloat16> {
    static constexpr int digits = 8, min_exponent = -125, max_exponent = 128;
    static constexpr double max = 0x1.FEp127;
};

/// The exponent of a unit in the last place of a T that is as large as this; that of the least T for 0 and for what is
/// not finite.
template <class T>
[[nodiscard]] int ulp_exponent(double value) noexcept {
    constexpr int least = element_limits<T>::min_exponent - element_limits<T>::digits;
    if (value == 0 || !std::isfinite(value)) return least;
    return std::max(std::ilogb(value) - element_limits<T>::digits + 1, least);
}

/// "f32" and so on, as on the command line and in what programs print.
[[nodiscard]] constexpr std::string_view name_of(element_type type) noexcept {
    switch (type) {
        case element_type::f32: return "f32";
        case element_type::f64: return "f64";
        case element_type::f16: return "f16";
        case element_type::bf16: break;
    }
    return "bf16";
}

/// The one that name_of() calls so.
[[nodiscard]] constexpr std::optional<element_type> element_named(std::string_view name) noexcept {
    for (const element_type each : {element_type::f32, element_type::f64, element_type::f16, element_type::bf16})
        if (name == name_of(each)) return each;
    return std::nullopt;
}

/// Calls body(T{}) for the element type that `type` names.
template <class Body>
auto with_element(element_type type, Body&& body) {
    switch (type) {
        case element_type::f64: return body(double{});
        case element_type::f16: return body(half{});
        case element_type::bf16: return body(bfloat16{});
        default: return body(float{});
    }
}

}  // namespace laconic::codec
