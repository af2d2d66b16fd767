// SPDX-License-Identifier: BSD-3-Clause
// The GIL is released while frames are made and taken for the sink; what the sink raises is raised by the call that
// brought it about.
#include "writer.hpp"

#include <utility>

#include "arrays.hpp"
#include "element.hpp"
#include "errors.hpp"
#include "settings.hpp"

namespace laconic::python {

namespace py = pybind11;

array_writer::array_writer(py::object sink, const std::string& dtype, const py::tuple& asked,
                           std::size_t segment_values, unsigned threads, py::object progress)
    : sink_(std::move(sink)), run_(threads, std::move(progress)), type_(type_named(dtype)) {
    with_type(type_, [&]<class T>() { begin<T>(asked, segment_values); });
}

template <class T>
void array_writer::begin(const py::tuple& asked, std::size_t segment_values) {
    const settings how = settings::of(asked);
    writer_.emplace<frame_writer<T>>(
        how.limit, [this](std::span<const std::byte> frame) { return hand_over(frame); },
        how.options_for(0, run_.options()), segment_values);
}

status array_writer::hand_over(std::span<const std::byte> frame) {
    const py::gil_scoped_acquire held;
    try {
        sink_(py::bytes(reinterpret_cast<const char*>(frame.data()), frame.size()));
        return {};
    } catch (py::error_already_set& raised) {
        run_.keep(raised);
    } catch (const std::exception& failure) {
        return {errc::out_of_memory, failure.what()};
    }
    return {errc::io, "the target of the writer did not take a frame"};
}

/// Runs `work` on the writer without the GIL, but never twice at a time.
template <class Work>
void array_writer::alone(Work&& work) {
    if (busy_) raise_argument("the writer is in a call already; use it from one thread at a time");
    struct turn {
        explicit turn(bool& flag) noexcept : busy(flag) { busy = true; }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() { busy = false; }
        bool& busy;
    };
    const turn mine(busy_);
    const status outcome = unlocked(
        [&] { return with_type(type_, [&]<class T>() { return work(*std::get_if<frame_writer<T>>(&writer_)); }); });
    run_.require(outcome);
}

void array_writer::push(py::handle values) {
    const input_array array(values, "a");
    if (array.type() != type_)
        raise({errc::mismatch, std::string("a is ") + dtype_name(array.type()) + ", the writer takes " +
                                   dtype_name(type_) + "; convert it"});
    alone([&]<class T>(frame_writer<T>& writer) { return writer.push(array.as<T>()); });
}

void array_writer::finish() {
    alone([](auto& writer) { return writer.finish(); });
}

std::uint64_t array_writer::values_in() const noexcept {
    return with_type(type_, [&]<class T>() { return std::get_if<frame_writer<T>>(&writer_)->values_in(); });
}

std::uint64_t array_writer::bytes_out() const noexcept {
    return with_type(type_, [&]<class T>() { return std::get_if<frame_writer<T>>(&writer_)->bytes_out(); });
}

}  // namespace laconic::python
