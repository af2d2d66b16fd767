// SPDX-License-Identifier: BSD-3-Clause
// The tuple's items were checked in Python; only the codec's name is looked up here.
#include "settings.hpp"

#include <string>

#include "errors.hpp"

namespace laconic::python {

namespace py = pybind11;

settings settings::of(const py::tuple& given) {
    settings asked;
    asked.limit.kind = given[0].cast<int>() == 0 ? bound_kind::absolute : bound_kind::relative;
    asked.limit.value = given[1].cast<double>();
    const auto codec = codec_named(given[2].cast<std::string>());
    require(codec.error());
    asked.options.codec = *codec;
    asked.options.rate = given[3].cast<double>();
    const auto row = given[4].cast<std::int64_t>();
    asked.row_is_last_dimension = row < 0;
    asked.options.row_length = row < 0 ? 0 : static_cast<std::uint64_t>(row);
    asked.options.checksum = given[5].cast<bool>();
    asked.options.max_abs = given[6].cast<double>();
    return asked;
}

frame_options settings::options_for(std::uint64_t row, const run_options& run) const {
    frame_options all = options;
    if (row_is_last_dimension) all.row_length = row;
    all.run = run;
    return all;
}

}  // namespace laconic::python
