// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on frames and the integers behind them, for python/laconic/_arithmetic.py. The GIL is released while the
// library works.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

namespace laconic::python {

/// The frame of the sum of two frames, or of an array and a frame in either order.
[[nodiscard]] pybind11::bytes add_operands(pybind11::handle a, pybind11::handle b, unsigned threads,
                                           pybind11::object progress);
/// operation: "subtract", "minimum" or "maximum".
[[nodiscard]] pybind11::bytes combine_frames(const std::string& operation, pybind11::handle a, pybind11::handle b,
                                             unsigned threads, pybind11::object progress);
[[nodiscard]] pybind11::bytes scale_frame(pybind11::handle frame, std::int32_t factor, unsigned threads,
                                          pybind11::object progress);

/// Arrays as integers: the fields of quantised_array are (type by numpy's name, step, bound, magnitude, row length,
/// contributions);
/// integers are buffers of 32-bit integers in C order.

/// (bytearray of the integers of `values`, fields); `asked` as for settings::of().
[[nodiscard]] pybind11::tuple quantise_array(pybind11::handle values, const pybind11::tuple& asked);
[[nodiscard]] pybind11::bytes encode_integers(const pybind11::tuple& fields, pybind11::handle integers);
[[nodiscard]] pybind11::bytes add_integers(const pybind11::tuple& fields, pybind11::handle integers,
                                           pybind11::handle frame);
/// (bytearray of the integers of `frame`, fields).
[[nodiscard]] pybind11::tuple extract_integers(pybind11::handle frame);

}  // namespace laconic::python
