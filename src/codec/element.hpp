// SPDX-License-Identifier: BSD-3-Clause
// The number of an element type flows in; its name, or what is done with its C++ type, flows out.
#pragma once

#include <optional>
#include <string_view>

#include "laconic/codec.hpp"

namespace laconic::codec {

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
