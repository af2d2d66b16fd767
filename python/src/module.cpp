// SPDX-License-Identifier: BSD-3-Clause
// The extension module laconic._laconic: names, parameters, and nothing else.
#include <pybind11/pybind11.h>

#include "functions.hpp"
#include "laconic/laconic.h"

PYBIND11_MODULE(_laconic, module) {
    namespace py = pybind11;
    using namespace laconic::python;
    module.doc() = "The codec; laconic/_api.py has the functions to call.";
    module.def("compress", &compress_array, py::arg("values"), py::arg("kind"), py::arg("bound"), py::arg("checksum"),
               py::arg("max_abs"));
    module.def("decompress", &decompress_frame, py::arg("frame"), py::arg("out"));
    module.def("inspect", &inspect_frame, py::arg("frame"));
    module.def("add", &add_operands, py::arg("a"), py::arg("b"));
    module.def("compare", &compare_arrays, py::arg("original"), py::arg("decoded"));
    module.def("engines", &engine_names);
    module.def("engine", &engine_in_use);
    module.def("use_engine", &choose_engine, py::arg("name"));
    module.def("check_engine", &verify_engine);
    module.def("version", &laconic_version);
}
