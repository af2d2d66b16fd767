// SPDX-License-Identifier: BSD-3-Clause
// The only file that sees toml++: a TOML document goes in, key/text pairs come out.
#include "base/config_file.hpp"

// Some malformed files trip assertions of toml++ 3.3 (or, as assumptions, license the compiler to anything) in places
// where it reports an error on the next lines: neither is wanted, in any build.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
// Want of memory comes as an exception in any case, and must get out.
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
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

result<toml::table> parsed(std::string_view text, const std::string& path) {
    try {
        return toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        return status{errc::invalid_argument,
                      place(path, error.source().begin.line) + ": not valid TOML: " + std::string(error.description())};
    }
}

/// Appends what lies below `node`, whose path is `path`.
class table_walk {
public:
    explicit table_walk(const std::string& name) : name_(name) {}

    [[nodiscard]] status below(const toml::node& node, const std::string& path, int depth) {
        if (depth > deepest)
            return {errc::invalid_argument, place(name_, node.source().begin.line) + ": '" + path +
                                                "' is nested too deeply; no setting lies there, remove it"};
        if (const auto* table = node.as_table()) {
            for (const auto& [key, value] : *table) {
                std::string inner = path.empty() ? path : path + '.';
                inner += key.str();
                if (status done = below(value, inner, depth + 1); !done.ok()) return done;
            }
            return {};
        }
        if (const auto* array = node.as_array()) {
            for (std::size_t i = 0; i < array->size(); ++i)
                if (status done = below((*array)[i], path + "[" + std::to_string(i) + "]", depth + 1); !done.ok())
                    return done;
            return {};
        }
        config_entry entry{path, {}, static_cast<unsigned>(node.source().begin.line)};
        if (!scalar_text(node, entry.text))
            return {errc::invalid_argument,
                    place(name_, entry.line) + ": '" + path + "' must be a string, a number or a boolean"};
        entries.push_back(std::move(entry));
        return {};
    }

    std::vector<config_entry> entries;

private:
    static constexpr int deepest = 16;
    const std::string& name_;
};

}  // namespace

// Streams take want of memory for the end of the file.
result<std::string> read_text(const std::string& path, std::string_view remedy) {
    const auto failed = [&] {
        const std::string why = std::generic_category().message(errno);
        return status{errc::io, "cannot read '" + path + "' (" + why + "); " + std::string(remedy)};
    };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (file == nullptr) return failed();
    std::string text;
    std::array<char, 4096> piece;
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), file.get()))
        text.append(piece.data(), size);
    if (std::ferror(file.get()) != 0) return failed();
    return text;
}

result<std::vector<config_entry>> read_config(const std::string& path) {
    const result<std::string> text = read_text(path, "check LACONIC_CONFIG or --config");
    if (!text) return text.error();
    const result<toml::table> all = parsed(*text, path);
    if (!all) return all.error();
    std::vector<config_entry> entries;
    for (const auto& [key, node] : *all) {
        config_entry entry{std::string(key.str()), {}, static_cast<unsigned>(node.source().begin.line)};
        if (!scalar_text(node, entry.text))
            return status{errc::invalid_argument, place(path, node.source().begin.line) + ": '" + entry.key +
                                                      "' must be a string, a number or a boolean"};
        entries.push_back(std::move(entry));
    }
    return entries;
}

result<std::vector<config_entry>> parse_tables(std::string_view text, const std::string& name) {
    const result<toml::table> all = parsed(text, name);
    if (!all) return all.error();
    table_walk walk(name);
    if (status done = walk.below(*all, {}, 0); !done.ok()) return done;
    return std::move(walk.entries);
}

}  // namespace laconic::base
