// SPDX-License-Identifier: BSD-3-Clause
// A frame_writer that Python feeds: arrays flow in, and bytes objects flow to a callable, which is called with the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "laconic/streaming.hpp"
#include "run.hpp"

namespace laconic::python {

/// Python's threads may share one as long as their calls do not overlap: a call during another one is an error.
class array_writer {
public:
    /// sink(bytes) gets every frame whole; `asked` as for settings::of().
    array_writer(pybind11::object sink, const std::string& dtype, const pybind11::tuple& asked,
                 std::size_t segment_values, unsigned threads, pybind11::object progress);

    void push(pybind11::handle values);
    void finish();
    [[nodiscard]] std::uint64_t values_in() const noexcept;
    [[nodiscard]] std::uint64_t bytes_out() const noexcept;

private:
    template <class T>
    void begin(const pybind11::tuple& asked, std::size_t segment_values);
    status hand_over(std::span<const std::byte> frame);
    template <class Work>
    void alone(Work&& work);

    pybind11::object sink_;
    run_control run_;
    element_type type_;
    std::variant<std::monostate, frame_writer<float>, frame_writer<double>, frame_writer<half>, frame_writer<bfloat16>>
        writer_;
    bool busy_ = false;
};

}  // namespace laconic::python
