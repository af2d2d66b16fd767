// SPDX-License-Identifier: BSD-3-Clause
// laconic info: what this build knows about itself (version, engines, codecs, options, algorithms, MPI programs)
// flows out as aligned text or one JSON object. Options, algorithms and engines come from the tables that the library
// itself works from.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/options.hpp"
#include "cli/command.hpp"
#include "cli/siblings.hpp"
#include "cli/terminal.hpp"
#include "codec/spans.hpp"
#include "collective/registry.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

struct info_request {
    bool json = false, options = false, algorithms = false, isa = false, codecs = false;
    [[nodiscard]] bool any_section() const noexcept { return options || algorithms || isa || codecs; }
};

#if defined(__clang__)
constexpr std::string_view compiler = "clang " __clang_version__;
#else
constexpr std::string_view compiler = "g++ " __VERSION__;
#endif

/// The flag of the commands that take the option; "" where none does.
std::string flag_of(const base::option& row) {
    using base::option_id;
    switch (row.id) {
        case option_id::audit: return {};
        case option_id::trace: return "trace --output";
        case option_id::trace_timing: return "trace --timing";
        case option_id::trace_error: return "trace --error";
        case option_id::trace_method: return "trace --method";
        case option_id::trace_memory: return "trace --memory";
        default: return std::string(row.flag);
    }
}

json options_json() {
    json rows = json::array();
    for (const base::option& row : base::options())
        rows.push_back({{"key", row.key},
                        {"environment", row.environment},
                        {"flag", flag_of(row)},
                        {"type", base::name_of(row.type)},
                        {"default", row.default_value},
                        {"choices", row.choices},
                        {"help", row.help}});
    return rows;
}

json algorithms_json() {
    json rows = json::array();
    for (const collective::algorithm& row : collective::algorithms()) {
        const bool chosen = row.what.schedule == collective::schedule_kind::chosen;
        rows.push_back(
            {{"operation", collective::name_of(row.op)},
             {"name", row.name},
             {"schedule", collective::name_of(row.what.schedule)},
             {"payload", chosen ? "-" : collective::name_of(row.what.payload)},
             {"codec", chosen || !collective::compresses(row.what) ? "-" : collective::name_of(row.what.codec)},
             {"published_as", row.published_as},
             {"description", row.description}});
    }
    return rows;
}

json isa_json() {
    json available = json::array();
    for (const std::string_view name : available_engines()) available.push_back(name);
    return {{"available", available}, {"chosen", engine_name()}};
}

json codecs_json() {
    json rows = json::array();
    for (const codec_description& row : codecs())
        rows.push_back({{"name", row.name},
                        {"description", row.summary},
                        {"keeps_bound", row.keeps_bound},
                        {"adds", row.adds},
                        {"available", row.available}});
    return rows;
}

/// How many threads work on a long array when as many as possible are asked for, and whether there can be several.
json threads_json() {
    constexpr std::size_t long_array = std::size_t{1} << 40;
    run_options two, all;
    two.threads = 2;
    all.threads = 0;
    return {{"openmp", codec::usable_threads(two, long_array) > 1},
            {"available", codec::usable_threads(all, long_array)}};
}

json build_json() {
    json flavours = json::array();
    for (const std::string_view flavour : present_flavours()) flavours.push_back(flavour);
    return {{"version", LACONIC_VERSION},
            {"compiler", compiler},
            {"build_type", LACONIC_BUILD_TYPE},
            {"mpi", flavours},
            {"threads", threads_json()}};
}

void print_json(const info_request& request) {
    const bool all = !request.any_section();
    json object = build_json();
    if (all || request.isa) object["isa"] = isa_json();
    if (all || request.codecs) object["codecs"] = codecs_json();
    if (all || request.algorithms) object["algorithms"] = algorithms_json();
    if (all || request.options) object["options"] = options_json();
    fmt::print("{}\n", object.dump(2));
}

std::string joined(const json& names) {
    std::string text;
    for (const json& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
    return text.empty() ? "none" : text;
}

void print_rows(const json& rows, const std::vector<std::string>& keys) {
    std::vector<std::vector<std::string>> table{keys};
    for (const json& row : rows) {
        std::vector<std::string> cells;
        for (const std::string& key : keys) {
            const json& cell = row.at(key);
            const std::string text = cell.is_boolean() ? (cell.get<bool>() ? "yes" : "no") : cell.get<std::string>();
            cells.push_back(text.empty() ? "-" : text);
        }
        table.push_back(std::move(cells));
    }
    for (std::string& title : table.front()) std::replace(title.begin(), title.end(), '_', ' ');
    print_table(table, keys.size());
}

void print_text(const info_request& request) {
    const json isa = isa_json();
    if (!request.any_section()) {
        const json build = build_json();
        const json& threads = build["threads"];
        print_pairs({{"version", build["version"]},
                     {"compiler", fmt::format("{} ({})", compiler, LACONIC_BUILD_TYPE)},
                     {"engine", fmt::format("{} (available: {})", engine_name(), joined(isa["available"]))},
                     {"threads", threads["openmp"].get<bool>()
                                     ? fmt::format("{} (OpenMP)", threads["available"].get<unsigned>())
                                     : "1 (built without OpenMP)"},
                     {"MPI programs", joined(build["mpi"])}});
        fmt::print("\nMore: --isa, --codecs, --algorithms, --options, --json\n");
        return;
    }
    std::string_view gap;
    const auto head = [&](std::string_view title) {
        // Titles only where there are several tables to tell apart.
        if (request.options + request.algorithms + request.isa + request.codecs > 1)
            fmt::print("{}{}\n", gap, bold(title));
        gap = "\n";
    };
    if (request.isa) {
        head("Engines");
        for (const std::string_view name : available_engines())
            fmt::print("{}{}\n", name, name == engine_name() ? "  (chosen)" : "");
    }
    if (request.codecs) {
        head("Codecs");
        print_rows(codecs_json(), {"name", "keeps_bound", "adds", "available", "description"});
    }
    if (request.algorithms) {
        head("Algorithms");
        print_rows(algorithms_json(),
                   {"operation", "name", "schedule", "payload", "codec", "published_as", "description"});
    }
    if (request.options) {
        head("Options");
        print_rows(options_json(), {"environment", "key", "flag", "type", "default", "choices", "help"});
    }
}

}  // namespace

action declare_info(CLI::App& app) {
    auto request = std::make_shared<info_request>();
    app.add_flag("--isa", request->isa, "the codec's engines that run on this machine, and the chosen one");
    app.add_flag("--codecs", request->codecs, "the codecs: what they keep, and which this build has");
    app.add_flag("--algorithms", request->algorithms, "the collective algorithms: schedule x payload");
    app.add_flag("--options", request->options, "every option: environment variable, TOML key, flag");
    app.add_flag("--json", request->json, "print one JSON object, with the chosen sections or all of them");
    return [request] {
        request->json ? print_json(*request) : print_text(*request);
        return exit_ok;
    };
}

}  // namespace laconic::cli
