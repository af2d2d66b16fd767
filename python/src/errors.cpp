// SPDX-License-Identifier: BSD-3-Clause
// Raises the exceptions of python/laconic/_errors.py; they are looked up only when something fails.
#include "errors.hpp"

#include <pybind11/pybind11.h>

namespace laconic::python {
namespace {

namespace py = pybind11;

[[noreturn]] void throw_python(const py::object& exception) {
    PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
    throw py::error_already_set();
}

py::module_ errors() { return py::module_::import("laconic._errors"); }

}  // namespace

void raise(const status& why) {
    throw_python(
        errors().attr("error_of")(static_cast<int>(why.code()), std::string(name_of(why.code())), why.context()));
}

void raise_type(const std::string& message) { throw_python(errors().attr("InvalidType")(message)); }

void raise_argument(const std::string& message) { raise({errc::invalid_argument, message}); }

}  // namespace laconic::python
