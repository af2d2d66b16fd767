// SPDX-License-Identifier: BSD-3-Clause
// The rows of the option table as flags of a command: a parser and the rows it wants flow in, flags with the table's
// names and texts flow into the parser; once it has parsed, checked values flow out, each from the strongest source
// that gives it: flag, then environment, then TOML file, then default.
#pragma once

#include <CLI/App.hpp>
#include <initializer_list>

#include "base/options.hpp"

namespace laconic::cli {

/// Adds the flags of these rows; those that the parser has already stay as they are.
void declare_options(CLI::App& app, std::initializer_list<base::option_id> ids);

/// The values of these rows, read after parsing; --config is looked up by itself. Throws a usage failure that names
/// the source, the value and the remedy. A bad value of a row that is not asked for is no failure.
[[nodiscard]] base::option_set resolve_options(const CLI::App& app, std::initializer_list<base::option_id> ids);

/// codec_threads, or a usage failure that names the source where no rank has so many.
[[nodiscard]] unsigned codec_threads_of(const base::option_set& set);

/// Names of the codecs that this build has.
[[nodiscard]] std::string available_codecs(std::string_view separator);

/// The rows that every command has: --force-isa and --config.
void declare_common_options(CLI::App& app);
/// Switches to the codec engine that force_isa names, if it does.
void apply_common_options(const CLI::App& app);

}  // namespace laconic::cli
