// SPDX-License-Identifier: BSD-3-Clause
// The values of trace_arguments.hpp as JSON and as text.
#include "cli/signature_text.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "laconic/trace_arguments.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

json json_of(const trace_value& value) {
    return std::visit(
        [](const auto& is) -> json {
            using kind = std::decay_t<decltype(is)>;
            if constexpr (std::is_same_v<kind, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<kind, trace_value::list>) {
                json all = json::array();
                for (const trace_value& each : is) all.push_back(json_of(each));
                return all;
            } else if constexpr (std::is_same_v<kind, trace_value::fields>) {
                json all = json::object();
                for (const trace_field& each : is) all[each.name] = json_of(each.value);
                return all;
            } else {
                return is;
            }
        },
        value.is);
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

described_call described(std::span<const std::byte> signature) {
    const trace_arguments about = arguments_of(signature);
    described_call call;
    call.function = about.function;
    call.thread = about.thread;
    const auto result = [&] {
        if (about.status != "MPI_SUCCESS") call.arguments["result"] = about.status;
    };
    for (std::size_t i = 0; i < about.arguments.size(); ++i) {
        if (i == about.inputs) result();
        call.arguments[about.arguments[i].name] = json_of(about.arguments[i].value);
    }
    if (about.inputs >= about.arguments.size()) result();
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
