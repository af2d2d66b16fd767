// SPDX-License-Identifier: BSD-3-Clause
// The buffer protocol: an object goes in, its memory with shape and element type comes out. numpy arrays, array.array,
// memoryview, bytes, mmap and ctypes arrays all come this way.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "strided.hpp"

namespace laconic::python {

/// Holds an object's buffer; the exporter keeps the memory where it is until this is destroyed (with the GIL held).
class buffer {
public:
    /// Empty when the object has no buffer of that kind (`flags` as for PyObject_GetBuffer); no Python error is left.
    [[nodiscard]] static std::optional<buffer> of(pybind11::handle object, int flags);

    [[nodiscard]] const Py_buffer& view() const noexcept { return *view_; }
    /// The elements, or InvalidType with `name` and what it is. bits_are_bf16: 16-bit integers are the bits of
    /// bfloat16, for which the struct module has no letter. Precondition: flags had STRIDES, FORMAT.
    [[nodiscard]] strided_view elements(const std::string& name, bool bits_are_bf16 = false) const;
    /// numpy's name of the element type, e.g. "int64".
    [[nodiscard]] std::string dtype() const;
    /// Whether elements have the other byte order.
    [[nodiscard]] bool swapped() const noexcept;

private:
    struct release {
        void operator()(Py_buffer* view) const noexcept {
            PyBuffer_Release(view);
            delete view;
        }
    };
    // On the heap: exporters let it point into itself, so it must not move.
    std::unique_ptr<Py_buffer, release> view_{new Py_buffer{}};
};

}  // namespace laconic::python
