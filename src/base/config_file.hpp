// SPDX-License-Identifier: BSD-3-Clause
// Reads a TOML file of options: a path goes in, key/text pairs with their line numbers come out. The values stay
// text, so that files, variables and flags are checked by the same code.
#pragma once

#include <string>
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

}  // namespace laconic::base
