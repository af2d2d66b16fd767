// SPDX-License-Identifier: BSD-3-Clause
// A parser in, the GNU-style text of its --help out.
#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace laconic::cli {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t widest_left = 28;

using entry = std::pair<std::string, std::string>;

/// "-o, --output FILE"; help2man needs the comma, the space and two spaces before the description.
std::string spelled(const CLI::Option& option) {
    if (option.get_positional()) return option.get_name();
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    // Without a short name, long names line up with those that have one.
    if (option.get_snames().empty()) text.insert(0, "    ");
    if (option.get_type_size() > 0) text += " " + option.get_type_name();
    return text;
}

std::string wrapped(std::string_view text, std::size_t indent) {
    std::string out;
    std::size_t column = indent;
    while (!text.empty()) {
        const auto space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        if (column > indent && column + 1 + word.size() > page_width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    }
    return out;
}

std::string section(std::string_view title, const std::vector<entry>& entries) {
    if (entries.empty()) return {};
    std::size_t left = 0;
    for (const auto& [name, description] : entries)
        if (name.size() <= widest_left) left = std::max(left, name.size());
    const std::size_t indent = 2 + left + 2;
    std::string out = fmt::format("\n{}:\n", title);
    for (const auto& [name, description] : entries) {
        out += "  " + name;
        out += name.size() <= left ? std::string(indent - 2 - name.size(), ' ') : "\n" + std::string(indent, ' ');
        out += wrapped(description, indent) + "\n";
    }
    return out;
}

std::string usage(const CLI::App& app) {
    std::string line = "Usage: " + full_name(app);
    if (!app.get_subcommands({}).empty()) line += " COMMAND";
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) line += " " + option->get_name();
        // Required options are part of the sentence; the others hide in [OPTION]...
        else if (option->get_required())
            line += fmt::format(" {} {}", option->get_name(), option->get_type_name());
    }
    return line + " [OPTION]...\n";
}

}  // namespace

std::string full_name(const CLI::App& app) {
    return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string help_formatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
    std::vector<entry> subcommands, positionals, options;
    for (const CLI::App* sub : app->get_subcommands({}))
        subcommands.emplace_back(sub->get_name(), sub->get_description());
    for (const CLI::Option* option : app->get_options())
        (option->get_positional() ? positionals : options).emplace_back(spelled(*option), option->get_description());
    std::string out = usage(*app) + app->get_description() + ".\n";
    out += section("Commands", subcommands) + section("Arguments", positionals) + section("Options", options);
    if (!app->get_footer().empty()) out += "\nExamples:\n" + app->get_footer();
    return out;
}

}  // namespace laconic::cli
