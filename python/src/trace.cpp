// SPDX-License-Identifier: BSD-3-Clause
// Values become Python's; what reads many calls at once does so without the GIL.
#include "trace.hpp"

#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "errors.hpp"
#include "laconic/trace_arguments.hpp"
#include "laconic/trace_columns.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

trace_file opened(const std::string& path) {
    auto made = [&] {
        const py::gil_scoped_release unlocked;
        return trace_file::open(path);
    }();
    // What the system refuses names the path already.
    if (!made && made.error().code() == errc::io) raise(made.error());
    if (!made) raise({made.error().code(), "'" + path + "': " + made.error().context()});
    return std::move(*made);
}

/// Texts of the program may be in any encoding.
py::str text_of(const std::string& text) {
    PyObject* const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(made);
}

py::object object_of(const trace_value& value) {
    return std::visit(
        [](const auto& is) -> py::object {
            using kind = std::decay_t<decltype(is)>;
            if constexpr (std::is_same_v<kind, std::monostate>) {
                return py::none();
            } else if constexpr (std::is_same_v<kind, std::string>) {
                return text_of(is);
            } else if constexpr (std::is_same_v<kind, trace_value::list>) {
                py::list all(is.size());
                for (std::size_t i = 0; i < is.size(); ++i) all[i] = object_of(is[i]);
                return all;
            } else if constexpr (std::is_same_v<kind, trace_value::fields>) {
                py::dict all;
                for (const trace_field& each : is) all[text_of(each.name)] = object_of(each.value);
                return all;
            } else {
                return py::cast(is);
            }
        },
        value.is);
}

template <class T>
py::object memory_of(const std::vector<T>& numbers) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(numbers));
    return py::bytearray(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

py::object durations_of(const call_durations& of) {
    if (of.count == 0) return py::none();
    py::list histogram;
    for (const std::uint64_t each : of.histogram) histogram.append(each);
    py::dict made;
    made["count"] = of.count;
    made["mean_ns"] = static_cast<double>(of.sum_ns) / static_cast<double>(of.count);
    made["min_ns"] = of.min_ns;
    made["max_ns"] = of.max_ns;
    made["histogram"] = histogram;
    return made;
}

}  // namespace

py::tuple trace_iterator::next() {
    if (calls_.at_end()) throw py::stop_iteration();
    const auto call = calls_.next();
    if (!call) raise(call.error());
    const trace_arguments about = arguments_of(call->signature);
    py::dict arguments;
    for (const trace_field& each : about.arguments) arguments[text_of(each.name)] = object_of(each.value);
    const auto time = [&](std::uint64_t ns) -> py::object { return call->timed ? py::cast(ns) : py::none(); };
    return py::make_tuple(text_of(about.function), arguments, about.thread, time(call->start_ns),
                          time(call->start_ns + call->duration_ns), text_of(about.status));
}

trace_reader::trace_reader(const std::string& path) : file_(opened(path)) {}

py::tuple trace_reader::ranks() const {
    const std::vector<std::uint32_t> there = file_.ranks();
    py::tuple all(there.size());
    for (std::size_t i = 0; i < there.size(); ++i) all[i] = there[i];
    return all;
}

py::dict trace_reader::functions() const {
    py::dict all;
    for (const function_summary& each : file_.functions())
        all[py::cast(each.function)] = text_of(trace_function_name(each.function));
    return all;
}

py::dict trace_reader::stat() const {
    const trace_facts& facts = file_.facts();
    py::dict made;
    made["ranks"] = facts.ranks;
    made["ranks_there"] = facts.ranks_there;
    made["calls"] = facts.calls;
    made["signatures"] = facts.signatures;
    made["grammars"] = facts.grammars;
    made["rules"] = facts.rules;
    made["expressions"] = facts.expressions;
    made["file_bytes"] = facts.file_bytes;
    made["core_bytes"] = facts.core_bytes;
    made["timing_bytes"] = facts.timing_bytes;
    made["timing"] = text_of(facts.timing);
    made["timing_method"] = text_of(facts.timing_method);
    made["complete"] = facts.complete;
    py::dict texts;
    for (const auto& [key, value] : facts.texts) texts[text_of(key)] = text_of(value);
    made["texts"] = texts;
    py::list functions;
    for (const function_summary& each : file_.functions()) {
        py::dict row;
        row["function"] = text_of(trace_function_name(each.function));
        row["number"] = each.function;
        row["calls"] = each.calls;
        row["signatures"] = each.signatures;
        row["durations"] = durations_of(each.durations);
        functions.append(row);
    }
    made["functions"] = functions;
    return made;
}

trace_iterator trace_reader::calls_of(std::uint32_t rank) const {
    auto calls = file_.calls_of(rank);
    require(calls ? status() : calls.error());
    return trace_iterator(std::move(*calls));
}

std::uint64_t trace_reader::count_of(std::uint32_t rank) const {
    const auto calls = file_.calls_of(rank);
    require(calls ? status() : calls.error());
    return calls->count();
}

py::tuple trace_reader::columns_of(std::uint32_t rank) const {
    const auto made = [&] {
        const py::gil_scoped_release unlocked;
        return laconic::columns_of(file_, rank);
    }();
    require(made ? status() : made.error());
    const bool timed = made->start_ns.size() == made->function.size();
    const auto time = [&](const std::vector<std::uint64_t>& of) { return timed ? memory_of(of) : py::none(); };
    return py::make_tuple(memory_of(made->function), memory_of(made->thread), time(made->start_ns),
                          time(made->duration_ns), memory_of(made->sent_bytes), memory_of(made->received_bytes));
}

py::tuple trace_reader::matrix() const {
    const auto made = [&] {
        const py::gil_scoped_release unlocked;
        return communication_matrix_of(file_);
    }();
    require(made ? status() : made.error());
    return py::make_tuple(memory_of(made->messages), memory_of(made->bytes), made->messages_elsewhere);
}

}  // namespace laconic::python
