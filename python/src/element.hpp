// SPDX-License-Identifier: BSD-3-Clause
// The element types as Python sees them: names, and the one switch from a type known at run time to a template.
#pragma once

#include <string>

#include "errors.hpp"
#include "laconic/codec.hpp"

namespace laconic::python {

/// numpy's name of a type; that of ml_dtypes for bf16.
[[nodiscard]] inline const char* dtype_name(element_type type) noexcept {
    switch (type) {
        case element_type::f64: return "float64";
        case element_type::f16: return "float16";
        case element_type::bf16: return "bfloat16";
        default: return "float32";
    }
}

/// Calls work.template operator()<T>() with the C++ type of `type`.
template <class Work>
auto with_type(element_type type, Work&& work) {
    switch (type) {
        case element_type::f64: return work.template operator()<double>();
        case element_type::f16: return work.template operator()<half>();
        case element_type::bf16: return work.template operator()<bfloat16>();
        default: return work.template operator()<float>();
    }
}

/// What to say about elements that are not among the supported types.
[[nodiscard]] inline std::string refuse_dtype(const std::string& argument, const std::string& dtype) {
    return argument + " is " + dtype +
           ", which is not supported; give float16, bfloat16, float32 or float64, in numpy: a.astype('float32')";
}

/// The type of that name, or InvalidType.
[[nodiscard]] inline element_type type_named(const std::string& dtype) {
    for (const element_type type : {element_type::f32, element_type::f64, element_type::f16, element_type::bf16})
        if (dtype == dtype_name(type)) return type;
    raise_type(refuse_dtype("dtype", dtype));
}

}  // namespace laconic::python
