// SPDX-License-Identifier: BSD-3-Clause
// What the extension module _laconic offers to python/laconic/_api.py, which has the signatures that users see. Errors
// are the exceptions of python/laconic/_errors.py. The GIL is released while the codec works.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace laconic::python {

/// The frame of `values`. kind: 0 absolute, 1 relative (laconic.h). max_abs < 0: not known.
[[nodiscard]] pybind11::bytes compress_array(pybind11::handle values, int kind, double bound, bool checksum,
                                             double max_abs);
/// Writes the elements of `frame` to `out`, which has their type and number.
void decompress_frame(pybind11::handle frame, pybind11::handle out);
/// The fields of frame_info in their order; the type by numpy's name.
[[nodiscard]] pybind11::tuple inspect_frame(pybind11::handle frame);
/// The frame of the sum of two frames, or of an array and a frame in either order.
[[nodiscard]] pybind11::bytes add_operands(pybind11::handle a, pybind11::handle b);
/// The fields of comparison in their order.
[[nodiscard]] pybind11::tuple compare_arrays(pybind11::handle original, pybind11::handle decoded);

/// The engines that this machine can run, slowest first; the one in use; its choice.
[[nodiscard]] pybind11::tuple engine_names();
[[nodiscard]] std::string engine_in_use();
void choose_engine(const std::string& name);
/// Throws when LACONIC_FORCE_ISA names an engine that cannot run here.
void verify_engine();

}  // namespace laconic::python
