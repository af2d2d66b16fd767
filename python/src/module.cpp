// SPDX-License-Identifier: BSD-3-Clause
// The extension module laconic._laconic: names, parameters, and nothing else.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arithmetic.hpp"
#include "exchange.hpp"
#include "functions.hpp"
#include "laconic/laconic.h"
#include "plan.hpp"
#include "trace.hpp"
#include "writer.hpp"

PYBIND11_MODULE(_laconic, module) {
    namespace py = pybind11;
    using namespace laconic::python;
    module.doc() = "The library; laconic/__init__.pyi has the functions to call.";
    module.def("compress", &compress_array, py::arg("values"), py::arg("asked"), py::arg("threads"),
               py::arg("progress"));
    module.def("decompress", &decompress_frames, py::arg("frames"), py::arg("out"), py::arg("threads"),
               py::arg("progress"));
    module.def("survey", &survey_frames, py::arg("frames"));
    module.def("inspect", &inspect_frame, py::arg("frame"));
    module.def("frame_size", &size_of_frame, py::arg("beginning"));
    module.def("compare", &compare_arrays, py::arg("original"), py::arg("decoded"));
    module.def("codecs", &codec_table);
    module.def("dtype_of", &dtype_of, py::arg("values"));

    module.def("add", &add_operands, py::arg("a"), py::arg("b"), py::arg("threads"), py::arg("progress"));
    module.def("combine", &combine_frames, py::arg("operation"), py::arg("a"), py::arg("b"), py::arg("threads"),
               py::arg("progress"));
    module.def("scale", &scale_frame, py::arg("frame"), py::arg("factor"), py::arg("threads"), py::arg("progress"));
    module.def("quantise", &quantise_array, py::arg("values"), py::arg("asked"));
    module.def("encode", &encode_integers, py::arg("fields"), py::arg("integers"));
    module.def("add_integers", &add_integers, py::arg("fields"), py::arg("integers"), py::arg("frame"));
    module.def("extract", &extract_integers, py::arg("frame"));

    py::class_<array_writer>(module, "Writer")
        .def(py::init<py::object, const std::string&, const py::tuple&, std::size_t, unsigned, py::object>(),
             py::arg("sink"), py::arg("dtype"), py::arg("asked"), py::arg("segment_values"), py::arg("threads"),
             py::arg("progress"))
        .def("push", &array_writer::push, py::arg("values"))
        .def("finish", &array_writer::finish)
        .def_property_readonly("values_in", &array_writer::values_in)
        .def_property_readonly("bytes_out", &array_writer::bytes_out);
    module.attr("default_segment_values") = laconic::default_segment_values;

    module.def("plan", &plan_redistribution, py::arg("extents"), py::arg("patch"), py::arg("patches"), py::arg("ranks"),
               py::arg("blocks"), py::arg("boxes"), py::arg("placement"), py::arg("balance"), py::arg("owners"),
               py::arg("load"), py::arg("exact"), py::arg("node_of"), py::arg("between_nodes"));
    module.def("transfers_of_rank", &transfers_of_rank, py::arg("extents"), py::arg("patch"), py::arg("counts"),
               py::arg("ranks"), py::arg("boxes"), py::arg("owners"), py::arg("rank"));

    py::class_<exchange_request>(module, "ExchangeRequest")
        .def(py::init<extents_argument, std::int64_t, const py::tuple&, std::optional<extents_argument>,
                      extents_argument, const py::bytes&, std::size_t, int, const py::dict&>(),
             py::arg("extents"), py::arg("ranks"), py::arg("boxes"), py::arg("patch"), py::arg("counts"),
             py::arg("owners"), py::arg("element_bytes"), py::arg("type"), py::arg("options"));
    py::class_<moving_exchange>(module, "MovingExchange")
        .def("run", &moving_exchange::run, py::arg("inputs"), py::arg("outputs"), py::arg("on_patch"))
        .def("refuse", &moving_exchange::refuse, py::arg("code"), py::arg("why"))
        .def("report", &moving_exchange::report)
        .def("free", &moving_exchange::free)
        .def_property_readonly("engine", &moving_exchange::engine)
        .def_property_readonly("staging_bytes", &moving_exchange::staging_bytes)
        .def_property_readonly("settled", &moving_exchange::settled)
        .def("in_array", &moving_exchange::in_array, py::arg("field"));
    py::class_<exchange_library>(module, "ExchangeLibrary")
        .def(py::init<const std::string&>(), py::arg("file"))
        .def("shares", &exchange_library::shares, py::arg("file"), py::arg("symbol"))
        .def("make", &exchange_library::make, py::arg("comm"), py::arg("asked"))
        .def("refuse", &exchange_library::refuse, py::arg("comm"), py::arg("code"), py::arg("why"))
        .def_property_readonly("version", &exchange_library::version);

    module.attr("soversion") = LACONIC_SOVERSION;

    py::class_<trace_iterator>(module, "TraceCalls")
        .def("__iter__", [](py::object self) { return self; })
        .def("__next__", &trace_iterator::next);
    py::class_<trace_reader>(module, "TraceReader")
        .def(py::init<const std::string&>(), py::arg("path"))
        .def("ranks", &trace_reader::ranks)
        .def("functions", &trace_reader::functions)
        .def("stat", &trace_reader::stat)
        .def("calls_of", &trace_reader::calls_of, py::arg("rank"))
        .def("count_of", &trace_reader::count_of, py::arg("rank"))
        .def("columns_of", &trace_reader::columns_of, py::arg("rank"))
        .def("matrix", &trace_reader::matrix);

    module.def("engines", &engine_names);
    module.def("engine", &engine_in_use);
    module.def("use_engine", &choose_engine, py::arg("name"));
    module.def("check_engine", &verify_engine);
    module.def("version", &laconic_version);
}
