// SPDX-License-Identifier: BSD-3-Clause
// Bytes objects that the library writes frames into.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "errors.hpp"
#include "run.hpp"

namespace laconic::python {

/// A bytes object that `fill` writes into: it gets room for `capacity` bytes and returns how many it wrote, or why not.
/// The surplus goes back untouched, so a generous capacity costs address space only.
template <class Fill>
pybind11::bytes make_bytes(std::size_t capacity, run_control& run, Fill&& fill) {
    namespace py = pybind11;
    if (capacity > static_cast<std::size_t>(std::numeric_limits<Py_ssize_t>::max()))
        raise({errc::out_of_memory, "the frame may need " + std::to_string(capacity) + " bytes"});
    PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(capacity));
    if (made == nullptr) throw py::error_already_set();
    auto held = py::reinterpret_steal<py::object>(made);
    const std::span<std::byte> room(reinterpret_cast<std::byte*>(PyBytes_AS_STRING(made)), capacity);
    // Nobody else knows the object yet, so its bytes may be written, and without the GIL.
    const result<std::size_t> written = unlocked([&] { return fill(room); });
    run.require(written.error());
    made = held.release().ptr();
    if (_PyBytes_Resize(&made, static_cast<Py_ssize_t>(*written)) != 0) throw py::error_already_set();
    return py::reinterpret_steal<py::bytes>(made);
}

}  // namespace laconic::python
