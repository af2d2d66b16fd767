// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands in, a parser with all of them declared out.
#include <memory>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/table_options.hpp"

namespace laconic::cli {
namespace {

/// --help and --version work at every level: help2man asks each subcommand for both.
void dress(CLI::App& app) {
    app.formatter(std::make_shared<help_formatter>());
    app.set_help_flag("-h,--help", "show this text and exit");
    app.set_version_flag("--version", "laconic " LACONIC_VERSION, "show the version and exit");
}

/// "bench codec" hangs below "bench", which is created when its first subcommand appears.
CLI::App& parent_of(CLI::App& root, std::string_view& name) {
    const auto space = name.find(' ');
    if (space == std::string_view::npos) return root;
    const std::string group(name.substr(0, space));
    name.remove_prefix(space + 1);
    const auto known = root.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == group; });
    if (!known.empty()) return *known.front();
    CLI::App& app = *root.add_subcommand(group, "Measure speed, ratio and error");
    dress(app);
    // Not the root's, which CLI11 hands down: the examples of its subcommands follow.
    app.footer("");
    app.require_subcommand(1);
    return app;
}

}  // namespace

void declare_all(CLI::App& root, action& chosen) {
    root.name("laconic");
    root.description("Compress arrays within an error bound, add them while compressed, and measure both");
    root.footer(std::string(program_examples()));
    dress(root);
    root.require_subcommand(1);
    for (const command& row : commands()) {
        std::string_view name = row.name;
        CLI::App& parent = parent_of(root, name);
        CLI::App& app = *parent.add_subcommand(std::string(name), std::string(row.summary));
        dress(app);
        app.footer(std::string(row.examples));
        if (&parent != &root) parent.footer(parent.get_footer() + std::string(row.examples));
        app.callback([&chosen, run = row.declare(app)] { chosen = run; });
        if (!app.get_prefix_command()) declare_common_options(app);
    }
}

const CLI::App& addressed(const CLI::App& root, std::span<char* const> words, std::string& unknown) {
    if (words.empty() || words.front()[0] == '-' || root.get_subcommands({}).empty()) return root;
    const auto named = root.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == words.front(); });
    if (!named.empty()) return addressed(*named.front(), words.subspan(1), unknown);
    unknown = words.front();
    return root;
}

}  // namespace laconic::cli
