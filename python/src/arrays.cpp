// SPDX-License-Identifier: BSD-3-Clause
// Looks for the buffer protocol first, then for DLPack, and refuses what has neither with what would help.
#include "arrays.hpp"

#include "element.hpp"
#include "errors.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

std::string type_of(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

}  // namespace

input_array::input_array(py::handle object, const std::string& name) {
    strided_view view;
    if ((buffer_ = buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT))) {
        view = buffer_->elements(name);
    } else if (dlpack_tensor::offered_by(object)) {
        try {
            view = tensor_.emplace(object, name).elements();
        } catch (py::error_already_set& error) {
            // The exporter's own refusal of a type that DLPack has no words for, say.
            if (!error.matches(PyExc_BufferError)) throw;
            raise_type(name + " cannot be exported: " + py::str(error.value()).cast<std::string>() +
                       "; give float32 or float64 in memory of the CPU");
        }
    } else {
        raise_type(name + " is " + type_of(object) +
                   "; give an array of float32 or float64, e.g. numpy.asarray(..., 'float32')");
    }
    type_ = view.type;
    count_ = view.count();
    data_ = view.data;
    if (view.swapped || !view.contiguous()) {
        const py::gil_scoped_release released;
        copy_ = view.copy();
        data_ = copy_.get();
    }
}

output_array::output_array(py::handle object) {
    buffer_ = buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE);
    if (!buffer_) {
        if (buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT))
            raise_argument("out is read-only; give an array that can be written");
        raise_type("out is " + type_of(object) +
                   "; give a writable buffer of float32 or float64, e.g. numpy.empty(count, 'float32')");
    }
    const strided_view view = buffer_->elements("out");
    if (view.swapped) raise_argument("out has the other byte order; give an array in this machine's");
    if (!view.contiguous()) raise_argument("out has gaps or is not in C order; give a C-contiguous array");
    type_ = view.type;
    count_ = view.count();
}

frame_argument::frame_argument(py::handle object, const std::string& name) {
    buffer_ = buffer::of(object, PyBUF_SIMPLE);
    if (buffer_) return;
    if (PyObject_CheckBuffer(object.ptr()) != 0)
        raise_argument(name + " is not one piece of memory; give bytes(" + name + ")");
    raise_type(name + " is " + type_of(object) + "; a frame is bytes or another object with the buffer protocol");
}

bool is_array(py::handle object) {
    if (const auto held = buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT)) return held->view().itemsize != 1;
    return dlpack_tensor::offered_by(object);
}

}  // namespace laconic::python
