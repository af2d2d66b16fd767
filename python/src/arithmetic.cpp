// SPDX-License-Identifier: BSD-3-Clause
// Between Python's objects and arithmetic.hpp.
#include "laconic/arithmetic.hpp"

#include <limits>
#include <span>
#include <utility>

#include "arithmetic.hpp"
#include "arrays.hpp"
#include "bytes.hpp"
#include "element.hpp"
#include "errors.hpp"
#include "run.hpp"
#include "settings.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

/// Room for what arithmetic makes of a frame. Throws for a frame that is none.
std::size_t room_for_result(const frame_argument& frame) {
    const auto about = unlocked([&] { return inspect(frame.bytes()); });
    require(about.error());
    return sum_bound(about->type, static_cast<std::size_t>(about->count));
}

py::bytes add_array(py::handle values, const std::string& values_name, py::handle frame, const std::string& frame_name,
                    run_control& run) {
    const input_array array(values, values_name);
    const frame_argument sum(frame, frame_name);
    return make_bytes(sum_bound(array.type(), array.count()), run, [&](std::span<std::byte> out) {
        return with_type(array.type(), [&]<class T>() { return add(array.as<T>(), sum.bytes(), out, run.options()); });
    });
}

/// Calls operation(a, b, out, options).
template <class Operation>
py::bytes combine(Operation&& operation, py::handle a, py::handle b, run_control& run) {
    const frame_argument left(a, "a");
    const frame_argument right(b, "b");
    return make_bytes(room_for_result(left), run, [&](std::span<std::byte> out) {
        return operation(left.bytes(), right.bytes(), out, run.options());
    });
}

quantised_array description_of(const py::tuple& fields) {
    quantised_array array;
    array.type = type_named(fields[0].cast<std::string>());
    array.step = fields[1].cast<double>();
    array.bound = fields[2].cast<double>();
    array.magnitude = fields[3].cast<std::uint64_t>();
    array.row_length = fields[4].cast<std::uint32_t>();
    array.contributions = fields[5].cast<std::uint32_t>();
    return array;
}

/// A bytearray with room for that many integers; arrays of numpy can share its memory.
class integer_memory {
public:
    explicit integer_memory(std::size_t count) : count_(count) {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Py_ssize_t>::max());
        if (count > most / sizeof(std::int32_t)) raise({errc::out_of_memory, "too many integers for this machine"});
        object_ = py::reinterpret_steal<py::object>(
            PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * sizeof(std::int32_t))));
        if (!object_) throw py::error_already_set();
    }
    [[nodiscard]] const py::object& object() const noexcept { return object_; }
    [[nodiscard]] std::span<std::int32_t> integers() const noexcept {
        return {reinterpret_cast<std::int32_t*>(PyByteArray_AS_STRING(object_.ptr())), count_};
    }

private:
    std::size_t count_;
    py::object object_;
};

py::tuple fields_of(const quantised_array& array) {
    return py::make_tuple(dtype_name(array.type), array.step, array.bound, array.magnitude, array.row_length,
                          array.contributions);
}

}  // namespace

py::bytes add_operands(py::handle a, py::handle b, unsigned threads, py::object progress) {
    run_control run(threads, std::move(progress));
    const bool array_a = is_array(a);
    const bool array_b = is_array(b);
    if (array_a && array_b) raise_argument("a and b are both arrays; compress one of them, or add them as arrays");
    if (array_a) return add_array(a, "a", b, "b", run);
    if (array_b) return add_array(b, "b", a, "a", run);
    return combine([](auto x, auto y, auto out, const auto& how) { return add(x, y, out, how); }, a, b, run);
}

py::bytes combine_frames(const std::string& operation, py::handle a, py::handle b, unsigned threads,
                         py::object progress) {
    run_control run(threads, std::move(progress));
    if (operation == "subtract") return combine(subtract, a, b, run);
    if (operation == "minimum") return combine(minimum, a, b, run);
    if (operation == "maximum") return combine(maximum, a, b, run);
    raise_argument("there is no operation " + operation);
}

py::bytes scale_frame(py::handle frame, std::int32_t factor, unsigned threads, py::object progress) {
    run_control run(threads, std::move(progress));
    const frame_argument source(frame, "frame");
    return make_bytes(room_for_result(source), run,
                      [&](std::span<std::byte> out) { return scale(source.bytes(), factor, out, run.options()); });
}

py::tuple quantise_array(py::handle values, const py::tuple& asked) {
    const settings how = settings::of(asked);
    const input_array array(values, "a");
    const integer_memory target(array.count());
    const frame_options options = how.options_for(array.row(), {});
    const std::span<std::int32_t> integers = target.integers();
    const auto made = unlocked([&] {
        return with_type(array.type(),
                         [&]<class T>() { return quantise(array.as<T>(), how.limit, integers, options); });
    });
    require(made.error());
    return py::make_tuple(target.object(), fields_of(*made));
}

py::bytes encode_integers(const py::tuple& fields, py::handle integers) {
    const quantised_array array = description_of(fields);
    const integer_argument source(integers);
    run_control run(1, py::none());
    return make_bytes(compress_bound(array.type, source.values().size()), run,
                      [&](std::span<std::byte> out) { return encode(array, source.values(), out); });
}

py::bytes add_integers(const py::tuple& fields, py::handle integers, py::handle frame) {
    const quantised_array array = description_of(fields);
    const integer_argument source(integers);
    const frame_argument sum(frame, "frame");
    run_control run(1, py::none());
    return make_bytes(sum_bound(array.type, source.values().size()), run,
                      [&](std::span<std::byte> out) { return add(array, source.values(), sum.bytes(), out); });
}

py::tuple extract_integers(py::handle frame) {
    const frame_argument source(frame, "frame");
    const auto about = unlocked([&] { return inspect(source.bytes()); });
    require(about.error());
    const integer_memory target(static_cast<std::size_t>(about->count));
    const std::span<std::int32_t> integers = target.integers();
    const auto made = unlocked([&] { return extract(source.bytes(), integers); });
    require(made.error());
    return py::make_tuple(target.object(), fields_of(*made));
}

}  // namespace laconic::python
