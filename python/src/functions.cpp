// SPDX-License-Identifier: BSD-3-Clause
// Between Python's objects and the public C++ functions: arguments are held, the GIL goes, the codec works, the GIL
// comes back, results become objects.
#include "functions.hpp"

#include <cstdint>
#include <limits>

#include "arrays.hpp"
#include "element.hpp"
#include "errors.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

/// Runs `work` without the GIL.
template <class Work>
auto unlocked(Work&& work) {
    const py::gil_scoped_release released;
    return work();
}

/// A bytes object that `fill` writes into: it gets room for `capacity` bytes and returns how many it wrote.
/// The surplus goes back untouched, so a generous capacity costs address space only.
template <class Fill>
py::bytes make_bytes(std::size_t capacity, Fill&& fill) {
    if (capacity > static_cast<std::size_t>(std::numeric_limits<Py_ssize_t>::max()))
        raise({errc::out_of_memory, "the frame may need " + std::to_string(capacity) + " bytes"});
    PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(capacity));
    if (made == nullptr) throw py::error_already_set();
    auto held = py::reinterpret_steal<py::object>(made);
    const std::span<std::byte> room(reinterpret_cast<std::byte*>(PyBytes_AS_STRING(made)), capacity);
    // Nobody else knows the object yet, so its bytes may be written, and without the GIL.
    const result<std::size_t> written = unlocked([&] { return fill(room); });
    require(written.error());
    made = held.release().ptr();
    if (_PyBytes_Resize(&made, static_cast<Py_ssize_t>(*written)) != 0) throw py::error_already_set();
    return py::reinterpret_steal<py::bytes>(made);
}

py::bytes add_array(py::handle values, const std::string& values_name, py::handle frame,
                    const std::string& frame_name) {
    const input_array array(values, values_name);
    const frame_argument sum(frame, frame_name);
    return make_bytes(sum_bound(array.type(), array.count()), [&](std::span<std::byte> out) {
        return with_type(array.type(), [&]<class T>() { return add(array.as<T>(), sum.bytes(), out); });
    });
}

py::bytes add_frames(py::handle a, py::handle b) {
    const frame_argument left(a, "a");
    const frame_argument right(b, "b");
    const auto about = unlocked([&] { return inspect(left.bytes()); });
    require(about.error());
    return make_bytes(sum_bound(about->type, static_cast<std::size_t>(about->count)),
                      [&](std::span<std::byte> out) { return add(left.bytes(), right.bytes(), out); });
}

}  // namespace

py::bytes compress_array(py::handle values, int kind, double bound, bool checksum, double max_abs) {
    const input_array array(values, "a");
    const laconic::bound limit{kind == 0 ? bound_kind::absolute : bound_kind::relative, bound};
    frame_options options;
    options.checksum = checksum;
    options.max_abs = max_abs;
    return make_bytes(compress_bound(array.type(), array.count()), [&](std::span<std::byte> out) {
        return with_type(array.type(), [&]<class T>() { return compress(array.as<T>(), limit, out, options); });
    });
}

void decompress_frame(py::handle frame, py::handle out) {
    const frame_argument source(frame, "frame");
    const output_array target(out);
    require(unlocked([&] {
        return with_type(target.type(), [&]<class T>() { return decompress(source.bytes(), target.as<T>()); });
    }));
}

py::tuple inspect_frame(py::handle frame) {
    const frame_argument source(frame, "frame");
    const auto about = unlocked([&] { return inspect(source.bytes()); });
    require(about.error());
    const frame_info& info = *about;
    return py::make_tuple(info.version, dtype_name(info.type), info.count, info.bound, info.step, info.contributions,
                          info.magnitude, info.frame_bytes, info.blocks, info.zero_blocks, info.raw_blocks,
                          info.exact_sums, info.checksummed);
}

py::bytes add_operands(py::handle a, py::handle b) {
    const bool array_a = is_array(a);
    const bool array_b = is_array(b);
    if (array_a && array_b) raise_argument("a and b are both arrays; compress one of them, or add them as arrays");
    if (array_a) return add_array(a, "a", b, "b");
    if (array_b) return add_array(b, "b", a, "a");
    return add_frames(a, b);
}

py::tuple compare_arrays(py::handle original, py::handle decoded) {
    const input_array x(original, "x");
    const input_array y(decoded, "y");
    if (x.type() != y.type())
        raise({errc::mismatch, std::string("x is ") + dtype_name(x.type()) + ", y is " + dtype_name(y.type()) +
                                   "; convert one of them"});
    const auto compared =
        unlocked([&] { return with_type(x.type(), [&]<class T>() { return compare(x.as<T>(), y.as<T>()); }); });
    require(compared.error());
    const comparison& c = *compared;
    return py::make_tuple(c.n, c.max_abs_error, c.mean_error, c.psnr, c.nrmse, c.range, c.nonfinite_mismatches);
}

py::tuple engine_names() {
    const auto names = available_engines();
    py::tuple all(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) all[i] = py::str(std::string(names[i]));
    return all;
}

std::string engine_in_use() { return std::string(engine_name()); }

void choose_engine(const std::string& name) { require(use_engine(name)); }

void verify_engine() { require(check_engine()); }

}  // namespace laconic::python
