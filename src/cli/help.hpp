// SPDX-License-Identifier: BSD-3-Clause
// The text of --help: a parser with its options and examples flows in, GNU-style text flows out (Usage, summary,
// commands, options, examples), which people read and help2man turns into man pages.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace laconic::cli {

class help_formatter : public CLI::Formatter {
public:
    [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// "laconic bench codec": the names from the root to this parser.
[[nodiscard]] std::string full_name(const CLI::App& app);

}  // namespace laconic::cli
