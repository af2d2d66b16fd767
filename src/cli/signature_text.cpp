// SPDX-License-Identifier: BSD-3-Clause
// Signatures taken apart by the table of MPI functions, where the build has one.
#include "cli/signature_text.hpp"

#include <fmt/format.h>

#include "laconic/trace.hpp"
#include "mpi/function_table.hpp"
#include "trace/wire.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;
using trace::wire_reader;

json numbers_of(std::span<const std::byte> signature) {
    wire_reader in(signature);
    in.varint();
    json numbers = json::array();
    while (in.left() > 0) {
        const std::uint64_t number = in.varint();
        if (!in.failed()) numbers.push_back(number);
    }
    return {{"numbers", numbers}};
}

constexpr std::uint32_t large_count_offset = 1024;

std::string member(const mpi::constant_list& list, std::uint64_t at) {
    if (at < list.members.size()) return std::string(list.members[static_cast<std::size_t>(at)]);
    return fmt::format("{} {}", list.name, at);
}

/// One reader per form of a value; in.fail() where the bytes make no sense.
class value_reader {
public:
    explicit value_reader(wire_reader& in) : in_(in) {}

    json parameter(const mpi::parameter_info& of) {
        if (of.conditional && in_.below(2) == 0) return nullptr;
        if (!of.array) return value(of.form, of.list);
        const std::uint64_t code = in_.varint();
        if (code == 0) return nullptr;
        json all = json::array();
        const std::uint64_t count = code - 1;
        const std::uint64_t packed = of.form == mpi::form::integer && count > 0 ? in_.below(3) : 0;
        if (packed != 0) {
            // Few bytes may stand for many values; past a point nobody reads them one by one.
            const std::int64_t first = in_.signed_varint();
            const std::int64_t step = packed == 2 ? in_.signed_varint() : 0;
            if (count > most_listed) return {{"count", count}, {"first", first}, {"step", step}};
            for (std::uint64_t i = 0; i < count; ++i) all.push_back(first + static_cast<std::int64_t>(i) * step);
            return all;
        }
        for (std::uint64_t i = 0; i < count && !in_.failed(); ++i) all.push_back(value(of.form, of.list));
        return all;
    }

    json value(mpi::form form, std::int16_t list) {
        switch (form) {
            case mpi::form::none: return nullptr;
            case mpi::form::integer: return in_.signed_varint();
            case mpi::form::rank: return rank();
            case mpi::form::handle: return handle(list);
            case mpi::form::request: return request();
            case mpi::form::buffer: return buffer(false);
            case mpi::form::address: return buffer(true);
            case mpi::form::status: return status();
            case mpi::form::string: return string();
            case mpi::form::named: {
                const std::uint64_t code = in_.varint();
                return code == 0 ? json(in_.signed_varint()) : json(member(mpi::constants(list), code - 1));
            }
            case mpi::form::flags: {
                json set = json::array();
                const std::uint64_t bits = in_.varint();
                for (unsigned bit = 0; bit < 64; ++bit)
                    if ((bits >> bit & 1) != 0) set.push_back(member(mpi::constants(list), bit));
                return set;
            }
            case mpi::form::pointer: {
                const std::uint64_t code = in_.varint();
                return code == 0 ? json("NULL") : json(fmt::format("pointer {}", code - 1));
            }
            case mpi::form::error: return error(in_.varint());
        }
        return nullptr;
    }

    static json error(std::uint64_t code) {
        if (code == 0) return "MPI_SUCCESS";
        if (code == 1) return "not returned";
        if (code >= 1026) return trace::unzigzag(code - 1026);
        for (std::int16_t list = 0; !mpi::constants(list).name.empty(); ++list)
            if (mpi::constants(list).name == "error_class") return member(mpi::constants(list), code - 2);
        return code;
    }

private:
    static constexpr std::uint64_t most_listed = 4096;

    json rank() {
        constexpr const char* special[] = {"MPI_PROC_NULL", "MPI_ANY_SOURCE", "MPI_ROOT", "MPI_UNDEFINED"};
        const std::uint64_t code = in_.varint();
        if (code < 4) return special[code];
        if (code == 4) return in_.signed_varint();
        in_.signed_varint();  // relative to the caller: the same in another form
        return code - 5;
    }
    json handle(std::int16_t list) {
        const std::uint64_t code = in_.varint();
        if (code == 0) return "NULL";
        if (code % 2 == 1) return member(mpi::constants(list), (code - 1) / 2);
        return fmt::format("#{}", code / 2 - 1);
    }
    json request() {
        const std::uint64_t pool = in_.varint();
        if (pool == 0) return "MPI_REQUEST_NULL";
        return fmt::format("{}.{}", pool - 1, in_.varint());
    }
    json buffer(bool plain) {
        constexpr const char* spaces[] = {"NULL",  "MPI_BOTTOM", "MPI_IN_PLACE", "heap",
                                          "stack", "device",     "mpi",          "static"};
        const std::uint64_t space = in_.below(8);
        if (space == 0 && plain) return in_.signed_varint();
        if (space < 3) return spaces[space];
        const std::uint64_t segment = in_.varint();
        return fmt::format("{} {}{:+}", spaces[space], segment, in_.signed_varint());
    }
    json status() {
        const std::uint64_t flags = in_.varint();
        json made = json::object();
        if ((flags & 1) != 0) {
            made["source"] = rank();
            made["tag"] = in_.signed_varint();
        }
        if ((flags & 2) != 0) made["bytes"] = in_.varint();
        if ((flags & 4) != 0) made["cancelled"] = true;
        if ((flags & 8) != 0) made["error"] = error(in_.varint());
        if ((flags & 16) != 0) made["ignored"] = true;
        return made;
    }
    json string() {
        const std::uint64_t code = in_.varint();
        if (code == 0) return nullptr;
        const auto bytes = in_.take(static_cast<std::size_t>(code - 1));
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

    wire_reader& in_;
};

const mpi::function_info* row_of(std::uint32_t number) {
    if (const auto* row = mpi::find_function(number)) return row;
    return number >= large_count_offset ? mpi::find_function(number - large_count_offset) : nullptr;
}

/// False: the bytes do not match the row.
bool describe(described_call& call, std::span<const std::byte> signature) {
    wire_reader in(signature);
    const std::uint64_t head = in.varint();
    const mpi::function_info* const row = row_of(static_cast<std::uint32_t>(head >> 1));
    if (in.failed() || row == nullptr) return false;
    if (head % 2 == 1) call.thread = in.varint();
    value_reader read(in);
    const auto add = [&](const mpi::parameter_info& of) {
        if (of.form != mpi::form::none) call.arguments[std::string(of.name)] = read.parameter(of);
    };
    for (const mpi::parameter_info& each : row->parameters)
        if (each.before) add(each);
    if (row->has_result) {
        const std::uint64_t result = in.varint();
        if (result != 0) call.arguments["result"] = value_reader::error(result);
    }
    // What failed has no outputs, except where the error is in the statuses.
    if (in.left() > 0)
        for (const mpi::parameter_info& each : row->parameters)
            if (!each.before) add(each);
    if (in.left() > 0 && row->returns != mpi::form::none)
        call.arguments["value"] = read.value(row->returns, row->returns_list);
    return in.complete();
}

std::string value_text(const json& value) {
    if (value.is_null()) return "-";
    // Names of constants and things are strings without quotes; texts of the program have them.
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array() || value.is_object()) {
        std::string all;
        for (const auto& [key, inner] : value.items()) {
            if (!all.empty()) all += ", ";
            if (value.is_object()) all += key + "=";
            all += value_text(inner);
        }
        return (value.is_array() ? "[" : "{") + all + (value.is_array() ? "]" : "}");
    }
    return value.dump();
}

}  // namespace

std::string function_name(std::uint32_t number) {
    if (const auto* row = row_of(number)) return std::string(row->name) + (row->number != number ? "_c" : "");
    return fmt::format("function {}", number);
}

described_call described(std::span<const std::byte> signature) {
    described_call call;
    call.function = function_name(function_of(signature));
    if (describe(call, signature)) return call;
    call.thread = 0;
    call.arguments = numbers_of(signature);
    return call;
}

std::string text_of(const described_call& call) {
    std::string all;
    for (const auto& [name, value] : call.arguments.items()) {
        if (!all.empty()) all += ", ";
        all += name + "=" + value_text(value);
    }
    const std::string thread = call.thread == 0 ? "" : fmt::format(" [thread {}]", call.thread);
    return fmt::format("{}({}){}", call.function, all, thread);
}

}  // namespace laconic::cli
