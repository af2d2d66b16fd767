// SPDX-License-Identifier: BSD-3-Clause
// The element types as Python sees them: names, sizes, and the one switch from a type known at run time to a template.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "laconic/codec.hpp"

namespace laconic::python {

/// numpy's name of a type.
[[nodiscard]] inline const char* dtype_name(element_type type) noexcept {
    return type == element_type::f32 ? "float32" : "float64";
}

/// Calls work.template operator()<T>() with the C++ type of `type`.
template <class Work>
auto with_type(element_type type, Work&& work) {
    return type == element_type::f32 ? work.template operator()<float>() : work.template operator()<double>();
}

/// What to say about elements that are not among the supported types.
[[nodiscard]] inline std::string refuse_dtype(const std::string& argument, const std::string& dtype) {
    return argument + " is " + dtype +
           ", which is not supported; give float32 or float64, in numpy: a.astype('float32')";
}

}  // namespace laconic::python
