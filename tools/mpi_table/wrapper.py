# SPDX-License-Identifier: BSD-3-Clause
"""One PMPI wrapper: a function of the table flows in, C++ that records its call through record::call comes out.

The body has three phases: inputs are written before the call, outputs and the fate of handles and requests after it.
"""
import re

from . import declare

# What else happens around a call: C++ placed before the call and after it.
AROUND = {
    "MPI_Init": ("", "call_.initialised();"),
    "MPI_Init_thread": ("", "call_.initialised();"),
    "MPI_Session_init": ("", "call_.initialised();"),
    "MPI_Finalize": ("call_.finalising();", ""),
    "MPI_Abort": ("call_.aborting();", ""),
    "MPI_Pcontrol": ("", "call_.control(level);"),
    "MPI_Info_set": ("", "call_.control(key, value);"),
    "MPI_Free_mem": ("", "call_.released(base);"),
}
COMMUNICATOR_KINDS = {"comm": "comm", "far_comm": "far", "late_comm": "late"}


def condition_text(parameter):
    """The C++ truth of the parameter's conditions."""
    parts = []
    for condition in parameter.conditions:
        given = re.fullmatch(r"given\((\w+)\)", condition)
        if condition == "root":
            parts.append("here_.is_root(root)")
        elif given:
            parts.append(f"given_{given[1]}_")
        elif condition.endswith("buf"):
            parts.append(f"{condition} != MPI_IN_PLACE")
        else:
            parts.append(f"record::value_at({condition}) != 0")
    return " && ".join(parts)


def length_text(expression):
    """The length as C++: functions of src/record/lengths.hpp, names of parameters as they are."""
    text = re.sub(r"\b([a-z_]\w*)\(", r"record::lengths::\1(", expression)
    text = re.sub(r"lengths::(size|peers)\(comm\)", r"lengths::\1(here_)", text)
    return f"record::lengths::of({text})"


def is_receive(function):
    return any(p.name == "source" or p.kind.name == "message" for p in function.parameters)


def wildcard_text(function):
    names = {p.name for p in function.parameters}
    if "source" not in names:
        return "false"
    tag = "recvtag" if "recvtag" in names else "tag"
    return f"source == MPI_ANY_SOURCE || {tag} == MPI_ANY_TAG"


def flow_text(function):
    """What a request made by this function carries: decides which fields of a status mean something."""
    if is_receive(function):
        return f"record::flow::receive, {wildcard_text(function)}"
    if any(p.kind.name == "file" for p in function.parameters):
        return "record::flow::file, false"
    if function.name.startswith("MPI_Grequest") or function.name.startswith("MPIX_Grequest"):
        return "record::flow::file, false"
    return "record::flow::other, false"


def place_text(function):
    """The communicator, window or file whose ranks this call speaks of; None when it has none."""
    for kind, method in (("comm", "communicator"), ("win", "window"), ("file", "file")):
        for parameter in function.parameters:
            if parameter.kind.name == kind and parameter.direction == "in":
                return f"call_.{method}({parameter.name})"
    return None


class Wrapper:
    def __init__(self, function, table):
        self.function, self.table, self.lines = function, table, []
        self.place = place_text(function)
        self.here = "here_" if self.place else "call_.world()"
        self.watched = {}

    def emit(self, line, depth=1):
        self.lines.append("    " * depth + line)

    # -- one value -------------------------------------------------------------------------------------------------
    def rank_place(self, parameter):
        return f"call_.communicator({parameter.of})" if parameter.of else self.here

    def scalar(self, parameter):
        """C++ that writes one value of a parameter, an input or an output."""
        kind, name = parameter.kind, parameter.name
        is_output = parameter.direction != "in"
        value = f"record::value_at({name})" if is_output else name
        form, c_type = kind.form, kind.c_type
        if kind.name == "comm" and self.place == f"call_.communicator({name})":
            return "call_.code(here_);"
        if form == "integer":
            return f"call_.integer(static_cast<std::int64_t>({value}));"
        if form == "rank":
            return f"call_.rank({value}, {self.rank_place(parameter)});"
        if form in ("named", "flags"):
            return f"call_.{form}(record::constants::{kind.list_name}, {value});"
        if form == "error":
            return f"call_.error({value}, {'true' if kind.name == 'error_class' else 'false'});"
        if form == "address":
            return f"call_.address(static_cast<std::int64_t>({value}));"
        if form == "string":
            return f"call_.text({name});"
        if form == "buffer":
            return f"call_.buffer(*static_cast<void **>({name}));" if c_type == "base" else f"call_.buffer({name});"
        if form == "pointer":
            if c_type == "attribute":
                return f"call_.pointer(*static_cast<void *const *>({name}));"
            return f"call_.pointer(reinterpret_cast<const void *>({name}));"
        if form == "handle":
            return f"call_.handle<record::object::{kind.list_name}>({value});"
        if form == "request":
            return f"call_.request({value});"
        if form == "status":
            return f"call_.given_status({name});"
        raise ValueError(f"{self.function.name}: {name}: no encoder for form {form}")

    def array(self, parameter):
        """C++ that writes an array."""
        kind, name, form = parameter.kind, parameter.name, parameter.kind.form
        length = length_text(parameter.length)
        if kind.name == "triple":
            return f"call_.integers({name} ? &{name}[0][0] : nullptr, 3 * {length});"
        if kind.name == "weight":
            return f"call_.weights({name}, {length});"
        if form == "integer":
            return f"call_.integers({name}, {length});"
        if form == "rank":
            return f"call_.ranks({name}, {length}, {self.rank_place(parameter)});"
        if form == "handle":
            return f"call_.handles<record::object::{kind.list_name}>({name}, {length});"
        if form == "named":
            return f"call_.named_array(record::constants::{kind.list_name}, {name}, {length});"
        if form == "error":
            return f"call_.errors({name}, {length});"
        if form == "address":
            return f"call_.addresses({name}, {length});"
        if kind.name in ("text", "texts"):
            return f"call_.{kind.name}({name}, {length});"
        raise ValueError(f"{self.function.name}: {name}: no encoder for arrays of {kind.name}")

    # -- before the call -------------------------------------------------------------------------------------------
    def input(self, parameter):
        kind, name = parameter.kind, parameter.name
        if kind.form == "none":
            return None
        if kind.form == "request" and parameter.direction == "inout":
            count = length_text(parameter.length) if parameter.length else None
            return f"call_.completing({name}, {count});" if count else f"call_.completing({name});"
        if kind.form == "handle" and parameter.direction == "inout":
            return f"call_.giving_up<record::object::{kind.list_name}>({name});"
        return self.array(parameter) if parameter.length else self.scalar(parameter)

    def conditional(self, parameter, text, depth):
        if parameter.conditions:
            self.emit(f"if (call_.present({condition_text(parameter)})) {text}", depth)
        else:
            self.emit(text, depth)

    def inputs(self):
        for parameter in self.function.parameters:
            if parameter.recorded_before:
                text = self.input(parameter)
                if text:
                    self.conditional(parameter, text, 1)

    def saved(self):
        """Numbers whose value before the call decides what an output means."""
        for name in sorted({given for p in self.function.parameters for c in p.conditions
                            for given in re.findall(r"given\((\w+)\)", c)}):
            self.emit(f"const bool given_{name}_ = record::value_at({name}) > 0;")

    def watch_statuses(self):
        """Statuses that the program ignores and the record needs are received in memory of the recorder."""
        for parameter in self.function.parameters:
            if parameter.kind.form != "status" or parameter.direction != "out":
                continue
            if any(p.kind.name in ("file", "f08_status", "fints") for p in self.function.parameters):
                continue
            name = parameter.name
            if parameter.length:
                count = next(p.length for p in self.function.parameters if p.kind.form == "request")
                text = f"call_.watch_all({name}, {length_text(count)})"
            elif parameter.of:
                text = f"call_.watch({name})"
            else:
                text = f"call_.watch({name}, {wildcard_text(self.function)})"
            self.emit(f"MPI_Status *const {name}_ = {text};")
            self.watched[name] = name + "_"

    # -- after the call --------------------------------------------------------------------------------------------
    def output(self, parameter):
        function, kind, name = self.function, parameter.kind, parameter.name
        if kind.form == "none":
            return None
        if kind.form == "status":
            return self.status(parameter)
        if kind.form == "request":
            return f"call_.new_request({name}, {flow_text(function)}, {self.here});"
        if kind.form == "handle":
            return self.new_handle(parameter)
        if kind.c_type == "base" and any(p.name == "size" and p.direction == "in" for p in function.parameters):
            return f"call_.allocated({name}, static_cast<std::size_t>(size));"
        return self.array(parameter) if parameter.length else self.scalar(parameter)

    def new_handle(self, parameter):
        kind, name = parameter.kind, parameter.name
        if parameter.length:
            return f"call_.made_all<record::object::{kind.list_name}>({name}, {length_text(parameter.length)});"
        if kind.name in COMMUNICATOR_KINDS:
            return f"call_.made_communicator({name});"
        if kind.name == "message":
            return f"call_.made_message({name}, {self.here});"
        if kind.name in ("win", "file"):
            return f"call_.made_place<record::object::{kind.name}>({name}, {self.here});"
        return f"call_.made<record::object::{kind.list_name}>({name});"

    def status(self, parameter):
        name = parameter.name
        shown = self.watched.get(name, name)
        match = re.fullmatch(r"(\w+)(?:\[(\w+)\])?", parameter.of) if parameter.of else None
        if not match:
            if any(p.kind.name == "file" for p in self.function.parameters):
                return f"call_.file_status({name});"
            if name not in self.watched:
                return f"call_.given_status({name});"
            return f"call_.receive_status({name}, {shown}, {self.here});"
        if parameter.length:
            indices = f", {match[2]}" if match[2] else ""
            return f"call_.statuses({name}, {shown}, {length_text(parameter.length)}{indices});"
        index = f"record::value_at({match[2]})" if match[2] else "0"
        return f"call_.status({name}, {shown}, {index});"

    def outputs(self):
        for parameter in self.function.parameters:
            if parameter.recorded_after:
                text = self.output(parameter)
                if text:
                    self.conditional(parameter, text, 2)

    def fates(self):
        """Handles and requests that the call may have used up."""
        for parameter in self.function.parameters:
            if parameter.direction != "inout":
                continue
            if parameter.kind.form == "request":
                self.emit(f"call_.completed({parameter.name});")
            elif parameter.kind.form == "handle":
                self.emit(f"call_.given_up<record::object::{parameter.kind.list_name}>({parameter.name});")

    def result(self):
        """The value of a function that returns no error code."""
        kind = self.function.returns
        if kind is None or kind.form == "none":
            return
        value = {"integer": "call_.integer(static_cast<std::int64_t>(result_));",
                 "address": "call_.address(static_cast<std::int64_t>(result_));",
                 "handle": f"call_.handle<record::object::{kind.list_name}>(result_);",
                 "request": "call_.request(result_);"}[kind.form]
        self.emit(value, 2)

    # -- the whole -------------------------------------------------------------------------------------------------
    def text(self):
        function = self.function
        before, after = AROUND.get(function.name.removesuffix("_c") if function.large else function.name, ("", ""))
        next_call = f"LACONIC_NEXT({function.name})"
        self.lines.append(f"{declare.result_type(function)} {function.name}({declare.parameter_list(function)}) {{")
        self.emit(f"record::call call_({function.number});")
        self.emit(f"if (!call_.recording()) [[unlikely]] return {next_call}({declare.argument_list(function)});")
        if self.place:
            self.emit(f"[[maybe_unused]] const record::place here_ = {self.place};")
        self.saved()
        self.inputs()
        self.watch_statuses()
        if before:
            self.emit(before)
        self.emit("call_.begin();")
        self.emit(f"const auto result_ = {next_call}({declare.argument_list(function, self.watched)});")
        self.emit("call_.stop();" if function.returns else "call_.stop(result_);")
        for parameter in function.parameters:
            if parameter.direction == "out" and parameter.kind.name in COMMUNICATOR_KINDS:
                parent = f", {self.parent()}" if self.parent() else ""
                self.emit(f"call_.agree_{COMMUNICATOR_KINDS[parameter.kind.name]}({parameter.name}{parent});")
        self.emit("if (call_.end()) {")
        self.outputs()
        self.result()
        self.emit("}")
        self.fates()
        if after:
            self.emit(after)
        self.emit("call_.finish();")
        self.emit("return result_;")
        self.lines.append("}")
        return "\n".join(self.lines)

    def parent(self):
        return next((p.name for p in self.function.parameters if p.kind.name == "comm" and p.direction == "in"), "")


def assertion(function):
    """The compiler's check that mpi.h declares what the table says."""
    c_type = f"{declare.result_type(function)}({declare.parameter_list(function)})"
    return (f'static_assert(std::is_same_v<decltype({function.name}), {c_type}>,\n'
            f'              "the table and mpi.h disagree about {function.name}");')
