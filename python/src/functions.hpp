// SPDX-License-Identifier: BSD-3-Clause
// What the extension module _laconic offers to python/laconic/_api.py, which has the signatures that users see. Errors
// are the exceptions of python/laconic/_errors.py. The GIL is released while the library works; `progress` is None or a
// callable (run.hpp).
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

namespace laconic::python {

/// The frame of `values`; `asked` as for settings::of().
[[nodiscard]] pybind11::bytes compress_array(pybind11::handle values, const pybind11::tuple& asked, unsigned threads,
                                             pybind11::object progress);
/// Writes the elements of a frame, or of several one after the other, to `out`, which has their type and number.
void decompress_frames(pybind11::handle frames, pybind11::handle out, unsigned threads, pybind11::object progress);
/// (type by numpy's name, elements in all) of a frame, or of several one after the other, all of them verified.
[[nodiscard]] pybind11::tuple survey_frames(pybind11::handle frames);
/// The fields of frame_info in their order; the type by numpy's name, the codec by its own.
[[nodiscard]] pybind11::tuple inspect_frame(pybind11::handle frame);
/// Bytes of the frame that begins with these.
[[nodiscard]] std::uint64_t size_of_frame(pybind11::handle beginning);
/// The type of an array's elements by numpy's name.
[[nodiscard]] std::string dtype_of(pybind11::handle values);
/// The fields of comparison in their order.
[[nodiscard]] pybind11::tuple compare_arrays(pybind11::handle original, pybind11::handle decoded);
/// The fields of codec_description in their order, for each codec; the id as a number.
[[nodiscard]] pybind11::tuple codec_table();

/// The engines that this machine can run, slowest first; the one in use; its choice.
[[nodiscard]] pybind11::tuple engine_names();
[[nodiscard]] std::string engine_in_use();
void choose_engine(const std::string& name);
/// Throws when LACONIC_FORCE_ISA names an engine that cannot run here.
void verify_engine();

}  // namespace laconic::python
