// SPDX-License-Identifier: BSD-3-Clause
// Reads TOML: a path or a text goes in, key/text pairs with their line numbers come out. The values stay text, so that
// files, variables and flags are checked by the same code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "laconic/status.hpp"

namespace laconic::base {

struct config_entry {
    std::string key;
    std::string text;
    unsigned line = 0;
};

/// The top-level keys of the file in the order of their names. Strings, numbers and booleans become text; "1.0e-3"
/// and 0.001 are the same bound.
/// returns io               the file cannot be opened or read
///         invalid_argument the file is no TOML, or a value is a table, an array or a date
[[nodiscard]] result<std::vector<config_entry>> read_config(const std::string& path);

/// All bytes of a file. `remedy` ends the sentence when it cannot be read: "check LACONIC_CONFIG or --config".
/// returns io
[[nodiscard]] result<std::string> read_text(const std::string& path, std::string_view remedy);

/// Every value of a TOML text with its path, tables before dots and places of arrays in brackets: "codec.fle.ratio[2]".
/// `name` stands for the text in messages. Tables and arrays without values leave no trace.
/// returns invalid_argument  no TOML, nested deeper than 16, or a value is a date or a time
[[nodiscard]] result<std::vector<config_entry>> parse_tables(std::string_view text, const std::string& name);

}  // namespace laconic::base
