// SPDX-License-Identifier: BSD-3-Clause
// What users ask of a frame, on its way from Python's keywords to the library's options.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>

#include "laconic/codec.hpp"

namespace laconic::python {

struct settings {
    bound limit;
    frame_options options;
    bool row_is_last_dimension = false;  ///< row_length is that of the array at hand

    /// Of the tuple (kind, bound, codec's name, rate, row length or -1 for the last dimension, checksum, max_abs) that
    /// settings_of() in python/laconic/_settings.py makes. Throws InvalidArgument for a codec that there is not.
    [[nodiscard]] static settings of(const pybind11::tuple& given);
    /// The options for an array whose last dimension has `row` elements.
    [[nodiscard]] frame_options options_for(std::uint64_t row, const run_options& run) const;
};

}  // namespace laconic::python
