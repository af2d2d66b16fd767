// SPDX-License-Identifier: BSD-3-Clause
// Rows of the option table in, flags out; texts of flags in, resolved options out.
#include "cli/table_options.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {
namespace {

using base::option_id;

/// What stands for the value in --help; completion offers the words of "a|b" and files for FILE.
std::string placeholder(const base::option& row) {
    switch (row.type) {
        case base::option_type::bound: return row.id == option_id::rel ? "L" : "E";
        case base::option_type::number: return row.id == option_id::rate ? "BITS" : "X";
        case base::option_type::bytes: return "SIZE";
        case base::option_type::count: return "N";
        case base::option_type::choice: return std::string(row.choices);
        case base::option_type::path: return "FILE";
        case base::option_type::text: break;
    }
    return row.id == option_id::codec ? available_codecs("|") : "NAME";
}

}  // namespace

std::string available_codecs(std::string_view separator) {
    std::string names;
    for (const codec_description& row : codecs())
        if (row.available) names.append(names.empty() ? "" : separator).append(row.name);
    return names;
}

void declare_options(CLI::App& app, std::initializer_list<option_id> ids) {
    for (const option_id id : ids) {
        const base::option& row = base::describe(id);
        const std::string flag(row.flag);
        if (app.get_option_no_throw(flag) != nullptr) continue;
        const std::string help = row.default_value.empty()
                                     ? std::string(row.help)
                                     : fmt::format("{} (default {})", row.help, row.default_value);
        // The parser keeps the text, which resolve_options() asks it for.
        app.add_option_function<std::string>(
               flag, [](const std::string&) {}, help)
            ->type_name(placeholder(row));
    }
}

base::option_set resolve_options(const CLI::App& app, std::initializer_list<option_id> ids) {
    std::vector<option_id> wanted(ids);
    wanted.push_back(option_id::config);
    std::vector<base::flag_value> flags;
    for (const option_id id : wanted) {
        const CLI::Option* option = app.get_option_no_throw(std::string(base::describe(id).flag));
        if (option != nullptr && option->count() > 0) flags.push_back({id, option->results().back()});
    }
    auto resolved = base::option_set::resolve(flags, wanted);
    if (!resolved) fail_usage(resolved.error().context());
    return std::move(resolved).value();
}

unsigned codec_threads_of(const base::option_set& set) {
    constexpr unsigned most = 64;  // include/laconic/collective_options.hpp
    const unsigned threads = set.count(option_id::codec_threads);
    if (threads > most)
        fail_usage(fmt::format("{} is '{}'; give 0 to {}", set.origin(option_id::codec_threads), threads, most));
    return threads;
}

void declare_common_options(CLI::App& app) { declare_options(app, {option_id::force_isa, option_id::config}); }

void apply_common_options(const CLI::App& app) {
    const base::option_set set = resolve_options(app, {option_id::force_isa});
    if (!set.is_set(option_id::force_isa)) return;
    if (const status engine = use_engine(set.text(option_id::force_isa)); !engine.ok())
        fail_usage(set.origin(option_id::force_isa) + ": " + engine.context());
}

}  // namespace laconic::cli
