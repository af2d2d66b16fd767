// SPDX-License-Identifier: BSD-3-Clause
// Reads what a buffer says about its elements: the format strings of Python's struct module, as numpy uses them.
#include "buffer.hpp"

#include <bit>
#include <string_view>

#include "element.hpp"
#include "errors.hpp"

namespace laconic::python {
namespace {

struct element_format {
    std::string_view code;  ///< without the byte order
    bool swapped = false;
};

element_format parse(const char* format) {
    element_format parsed{format == nullptr ? "B" : format};
    if (parsed.code.empty()) return parsed;
    const char order = parsed.code.front();
    const bool little = std::endian::native == std::endian::little;
    if (order == '<' || order == '>' || order == '!') parsed.swapped = (order == '<') != little;
    if (std::string_view("@=<>!").find(order) != std::string_view::npos) parsed.code.remove_prefix(1);
    return parsed;
}

}  // namespace

std::optional<buffer> buffer::of(pybind11::handle object, int flags) {
    if (PyObject_CheckBuffer(object.ptr()) == 0) return std::nullopt;
    buffer held;
    if (PyObject_GetBuffer(object.ptr(), held.view_.get(), flags) != 0) {
        PyErr_Clear();
        return std::nullopt;
    }
    return held;
}

std::string buffer::dtype() const {
    const std::string_view code = parse(view_->format).code;
    const std::string bits = std::to_string(8 * view_->itemsize);
    if (code == "f" || code == "d" || code == "e") return "float" + bits;
    if (code == "Zf" || code == "Zd") return "complex" + bits;
    if (code == "g") return "longdouble";
    if (code == "?") return "bool";
    if (code == "O") return "object";
    if (code.size() == 1 && std::string_view("bhilqn").find(code.front()) != std::string_view::npos)
        return "int" + bits;
    if (code.size() == 1 && std::string_view("BHILQN").find(code.front()) != std::string_view::npos)
        return "uint" + bits;
    return "element format '" + std::string(code) + "'";
}

bool buffer::swapped() const noexcept { return parse(view_->format).swapped; }

strided_view buffer::elements(const std::string& name, bool bits_are_bf16) const {
    const element_format format = parse(view_->format);
    strided_view elements;
    if (format.code == "f" && view_->itemsize == 4)
        elements.type = element_type::f32;
    else if (format.code == "d" && view_->itemsize == 8)
        elements.type = element_type::f64;
    else if (format.code == "e" && view_->itemsize == 2)
        elements.type = element_type::f16;
    else if ((format.code == "H" || format.code == "h") && view_->itemsize == 2 && bits_are_bf16)
        elements.type = element_type::bf16;
    else
        raise_type(refuse_dtype(name, dtype()));
    elements.data = static_cast<const std::byte*>(view_->buf);
    elements.swapped = format.swapped;
    if (view_->ndim > 0) {
        elements.shape.assign(view_->shape, view_->shape + view_->ndim);
        // ctypes leaves the strides out although they were asked for.
        if (view_->strides != nullptr)
            elements.strides.assign(view_->strides, view_->strides + view_->ndim);
        else
            elements.assume_c_order();
    }
    return elements;
}

}  // namespace laconic::python
