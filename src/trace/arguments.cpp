// SPDX-License-Identifier: BSD-3-Clause
// Codes become names: what a parsed call holds flows in, values for people and programs flow out.
#include "laconic/trace_arguments.hpp"

#include <array>

#include "laconic/trace.hpp"
#include "trace/parsed_call.hpp"

namespace laconic {
namespace {

using trace::wire_value;

trace_value text(std::string_view of) { return {std::string(of)}; }
trace_value integer(std::int64_t of) { return {of}; }
trace_value unsigned_integer(std::uint64_t of) { return {of}; }

std::string member(std::int16_t list, std::uint64_t at) {
    const mpi::constant_list constants = mpi::constants(list);
    if (at < constants.members.size()) return std::string(constants.members[static_cast<std::size_t>(at)]);
    return std::string(constants.name) + " " + std::to_string(at);
}

std::int16_t error_classes() {
    static const std::int16_t list = [] {
        for (std::int16_t i = 0; !mpi::constants(i).name.empty(); ++i)
            if (mpi::constants(i).name == "error_class") return i;
        return std::int16_t{-1};
    }();
    return list;
}

constexpr std::uint64_t first_unlisted_class = 1026;

trace_value error_value(std::uint64_t code) {
    if (code == 0) return text("MPI_SUCCESS");
    if (code == 1) return text("not returned");
    if (code >= first_unlisted_class) return integer(trace::unzigzag(code - first_unlisted_class));
    return text(member(error_classes(), code - 2));
}

std::string error_text(std::uint64_t code) {
    const trace_value value = error_value(code);
    if (const auto* name = std::get_if<std::string>(&value.is)) return *name;
    return "error class " + std::to_string(std::get<std::int64_t>(value.is));
}

trace_value rank_value(std::uint64_t code, std::int64_t number) {
    constexpr std::array special{"MPI_PROC_NULL", "MPI_ANY_SOURCE", "MPI_ROOT", "MPI_UNDEFINED"};
    if (code < special.size()) return text(special[static_cast<std::size_t>(code)]);
    return code == 4 ? integer(number) : unsigned_integer(code - 5);
}

trace_value buffer_value(const wire_value& of, bool plain) {
    constexpr std::array spaces{"NULL",   "MPI_BOTTOM", "MPI_IN_PLACE", "heap",    "stack",
                                "device", "mpi",        "static",       "managed", "pinned"};
    constexpr std::uint64_t on_device = 5;
    if (of.code == 0 && plain) return integer(of.number);
    const char* const space = spaces[static_cast<std::size_t>(of.code)];
    if (of.code < 3) return text(space);
    const std::string device = of.code == on_device ? std::to_string(of.bytes) : std::string();
    return text(space + device + " " + std::to_string(of.extra) + (of.number < 0 ? "" : "+") +
                std::to_string(of.number));
}

trace_value status_value(const wire_value& of) {
    trace_value::fields made;
    if ((of.code & 1) != 0) {
        made.push_back({"source", rank_value(of.extra, of.source)});
        made.push_back({"tag", integer(of.number)});
    }
    if ((of.code & 2) != 0) made.push_back({"bytes", unsigned_integer(of.bytes)});
    if ((of.code & 4) != 0) made.push_back({"cancelled", {true}});
    if ((of.code & 8) != 0) made.push_back({"error", error_value(of.error)});
    if ((of.code & 16) != 0) made.push_back({"ignored", {true}});
    return {std::move(made)};
}

trace_value named_value(mpi::form form, std::int16_t list, const wire_value& of) {
    switch (form) {
        case mpi::form::none: break;
        case mpi::form::integer: return integer(of.number);
        case mpi::form::rank: return rank_value(of.code, of.number);
        case mpi::form::handle:
            if (of.code == 0) return text("NULL");
            if (of.code % 2 == 1) return text(member(list, of.code / 2));
            return text("#" + std::to_string(of.code / 2 - 1));
        case mpi::form::request:
            if (of.code == 0) return text("MPI_REQUEST_NULL");
            return text(std::to_string(of.code - 1) + "." + std::to_string(of.extra));
        case mpi::form::buffer: return buffer_value(of, false);
        case mpi::form::address: return buffer_value(of, true);
        case mpi::form::status: return status_value(of);
        case mpi::form::string: return of.code == 0 ? trace_value{} : text(of.text);
        case mpi::form::named: return of.code == 0 ? integer(of.number) : text(member(list, of.code - 1));
        case mpi::form::flags: {
            trace_value::list set;
            for (unsigned bit = 0; bit < 64; ++bit)
                if ((of.code >> bit & 1) != 0) set.push_back(text(member(list, bit)));
            return {std::move(set)};
        }
        case mpi::form::pointer: return of.code == 0 ? text("NULL") : text("pointer " + std::to_string(of.code - 1));
        case mpi::form::error: return error_value(of.code);
    }
    return {};
}

trace_value argument_value(const trace::parsed_call& call, const trace::parsed_argument& of) {
    // Past a point nobody reads the values of an array one by one.
    constexpr std::uint64_t most_listed = 4096;
    if (!of.present) return {};
    const auto one = [&](std::uint64_t i) { return named_value(of.of->form, of.of->list, call.value(of, i)); };
    if (!of.of->array) return one(0);
    if (of.packed && of.count > most_listed) {
        trace_value::fields made;
        made.push_back({"count", unsigned_integer(of.count)});
        made.push_back({"first", one(0)});
        made.push_back({"step", integer(of.step)});
        return {std::move(made)};
    }
    trace_value::list all;
    for (std::uint64_t i = 0; i < of.count; ++i) all.push_back(one(i));
    return {std::move(all)};
}

trace_value numbers_of(trace::view signature) {
    trace::wire_reader in(signature);
    in.varint();
    trace_value::list numbers;
    while (in.left() > 0) {
        const std::uint64_t number = in.varint();
        if (!in.failed()) numbers.push_back(unsigned_integer(number));
    }
    return {std::move(numbers)};
}

}  // namespace

std::string trace_function_name(std::uint32_t function) {
    if (const auto* row = trace::row_of(function))
        return std::string(row->name) + (row->number != function ? "_c" : "");
    return "function " + std::to_string(function);
}

trace_arguments arguments_of(std::span<const std::byte> signature) {
    trace_arguments made;
    trace::parsed_call call;
    const bool understood = call.parse(signature);
    made.function = trace_function_name(function_of(signature));
    if (!understood) {
        made.status = error_text(0);
        made.arguments.push_back({"numbers", numbers_of(signature)});
        made.inputs = 1;
        return made;
    }
    made.thread = call.thread();
    made.status = error_text(call.result());
    made.inputs = call.inputs();
    for (const trace::parsed_argument& each : call.arguments()) {
        std::string name(each.of->name);
        if (each.after && each.of->before) name += "_after";
        made.arguments.push_back({std::move(name), argument_value(call, each)});
    }
    if (const wire_value* const value = call.returned())
        made.arguments.push_back({"value", named_value(call.row()->returns, call.row()->returns_list, *value)});
    return made;
}

}  // namespace laconic
