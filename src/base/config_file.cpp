// SPDX-License-Identifier: BSD-3-Clause
// The only file that sees toml++: a TOML document goes in, key/text pairs come out.
#include "base/config_file.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/units.hpp"

namespace laconic::base {
namespace {

std::string place(const std::string& path, toml::source_index line) { return path + ":" + std::to_string(line); }

bool scalar_text(const toml::node& node, std::string& text) {
    if (const auto* string = node.as_string()) {
        text = string->get();
    } else if (const auto* integer = node.as_integer()) {
        text = std::to_string(integer->get());
    } else if (const auto* real = node.as_floating_point()) {
        text = format_real(real->get());
    } else if (const auto* boolean = node.as_boolean()) {
        text = boolean->get() ? "true" : "false";
    } else {
        return false;
    }
    return true;
}

}  // namespace

result<std::vector<config_entry>> read_config(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    // An empty file sets failbit on `content` without being an error; a directory opens but cannot be read.
    if (file) content << file.rdbuf();
    if (!file.is_open() || file.bad() || (!content && errno != 0)) {
        const std::string why = errno != 0 ? std::generic_category().message(errno) : "read error";
        return status{errc::io, "cannot read '" + path + "' (" + why + "); check LACONIC_CONFIG or --config"};
    }
    const toml::parse_result parsed = toml::parse(content.str(), path);
    if (!parsed) {
        const toml::parse_error& error = parsed.error();
        return status{errc::invalid_argument,
                      place(path, error.source().begin.line) + ": not valid TOML: " + std::string(error.description())};
    }
    std::vector<config_entry> entries;
    for (const auto& [key, node] : parsed.table()) {
        config_entry entry{std::string(key.str()), {}, static_cast<unsigned>(node.source().begin.line)};
        if (!scalar_text(node, entry.text))
            return status{errc::invalid_argument, place(path, node.source().begin.line) + ": '" + entry.key +
                                                      "' must be a string, a number or a boolean"};
        entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace laconic::base
