// SPDX-License-Identifier: BSD-3-Clause
// Looks for the buffer protocol first, then for DLPack, and refuses what has neither with what would help.
#include "arrays.hpp"

#include <bit>

#include "element.hpp"
#include "errors.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

std::string type_of(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

/// The same elements as numpy.uint16 when `object` is a numpy array of ml_dtypes.bfloat16, which has no buffer of its
/// own; else none.
py::object bf16_bits(py::handle object) {
    const py::object dtype = py::getattr(object, "dtype", py::none());
    if (!py::hasattr(dtype, "isnative") || !py::hasattr(object, "view")) return py::none();
    const py::object name = py::getattr(dtype, "name", py::none());
    if (!py::isinstance<py::str>(name) || name.cast<std::string>() != "bfloat16") return py::none();
    if (dtype.attr("itemsize").cast<int>() != 2) return py::none();
    // Another byte order is part of the type, which the view forgets.
    const char* bits =
        dtype.attr("isnative").cast<bool>() ? "=u2" : (std::endian::native == std::endian::little ? ">u2" : "<u2");
    return object.attr("view")(bits);
}

}  // namespace

input_array::input_array(py::handle object, const std::string& name) {
    strided_view view;
    if (const py::object bits = bf16_bits(object); !bits.is_none()) {
        buffer_ = buffer::of(bits, PyBUF_STRIDES | PyBUF_FORMAT);
        if (!buffer_) raise_type(name + " is " + type_of(object) + " of bfloat16 without memory of its own");
        view = buffer_->elements(name, true);
    } else if ((buffer_ = buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT))) {
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
                   "; give an array of float16, float32 or float64, e.g. numpy.asarray(..., 'float32')");
    }
    type_ = view.type;
    count_ = view.count();
    row_ = view.shape.size() < 2 ? 0 : static_cast<std::size_t>(view.shape.back());
    data_ = view.data;
    if (view.swapped || !view.contiguous()) {
        const py::gil_scoped_release released;
        copy_ = view.copy();
        data_ = copy_.get();
    }
}

output_array::output_array(py::handle object) {
    const py::object bits = bf16_bits(object);
    if (!bits.is_none()) object = bits;
    buffer_ = buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE);
    if (!buffer_) {
        if (buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT))
            raise_argument("out is read-only; give an array that can be written");
        raise_type("out is " + type_of(object) +
                   "; give a writable buffer of float16, float32 or float64, e.g. numpy.empty(count, 'float32')");
    }
    const strided_view view = buffer_->elements("out", true);
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

integer_argument::integer_argument(py::handle object) {
    buffer_ = buffer::of(object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT);
    if (buffer_ && buffer_->dtype() == "int32" && !buffer_->swapped() &&
        reinterpret_cast<std::uintptr_t>(buffer_->view().buf) % alignof(std::int32_t) == 0)
        return;
    raise_type("integers are " + (buffer_ ? buffer_->dtype() : type_of(object)) +
               "; give aligned numpy.int32 in C order and this machine's byte order");
}

bool is_array(py::handle object) {
    if (const auto held = buffer::of(object, PyBUF_STRIDES | PyBUF_FORMAT)) return held->view().itemsize != 1;
    return dlpack_tensor::offered_by(object);
}

}  // namespace laconic::python
