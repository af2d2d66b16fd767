// SPDX-License-Identifier: BSD-3-Clause
// The option table: every option laconic knows stands in it once, and from that row follow its environment variable,
// its TOML key, its command-line flag and its line in `laconic info --options`. option_set resolves the sources
// (flag, then environment, then the TOML file, then default) into checked values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "laconic/bound.hpp"
#include "laconic/status.hpp"

namespace laconic::base {

enum class option_id : std::uint8_t {
    abs,
    rel,
    scope,
    confidence,
    algorithm,
    segment_bytes,
    check,
    audit,
    ranks_per_node,
    shared_memory,
    codec_threads,
    rate,
    codec,
    threads,
    force_isa,
    machine,
    trace,
    trace_timing,
    trace_error,
    trace_method,
    trace_memory,
    config
};
inline constexpr std::size_t option_count = 22;

enum class option_type : std::uint8_t {
    bound,   ///< finite real >= 0, an error
    number,  ///< finite real >= 0
    bytes,   ///< positive byte size, as parse_bytes() reads it
    count,   ///< whole number from 0 to most_count
    choice,  ///< one of option::choices
    text,    ///< any text; whoever uses it checks it
    path,    ///< a file name
};
inline constexpr std::uint64_t most_count = 65535;
/// "bound", "number", "bytes", "count", "choice", "text", "path".
[[nodiscard]] std::string_view name_of(option_type type) noexcept;

struct option {
    option_id id;
    std::string_view key;          ///< TOML key and name in messages
    std::string_view environment;  ///< LACONIC_<KEY>
    std::string_view flag;         ///< --<key>
    option_type type;
    std::string_view default_value;  ///< "" when unset by default
    std::string_view choices;        ///< "a|b|c" for type choice, else ""
    std::string_view help;           ///< one line, no full stop
};

/// The whole table, in the order of option_id.
[[nodiscard]] std::span<const option> options() noexcept;
[[nodiscard]] const option& describe(option_id id) noexcept;
/// nullptr when no option has this key.
[[nodiscard]] const option* find_option(std::string_view key) noexcept;

/// Where a value came from, weakest first.
enum class option_source : std::uint8_t { default_value, file, environment, flag };

/// A flag that was given on a command line, with its text.
struct flag_value {
    option_id id;
    std::string text;
};

/// All options with their values, each checked against its type.
class option_set {
public:
    /// Every option at its default; reads nothing.
    option_set();

    /// Resolves flags > environment > TOML file > defaults. The file is the one named by --config or LACONIC_CONFIG;
    /// without either no file is read. An environment variable set to "" counts as unset.
    ///
    /// abs and rel exclude each other: both from the same source is an error, and one from a stronger source
    /// silences the other from a weaker one (so --rel overrides LACONIC_ABS).
    ///
    /// `wanted` names the options that the caller uses, none for all: the others keep their defaults, and a bad value
    /// of theirs in the environment or the file is left to the programs that use them.
    ///
    /// returns the set, or a status whose text names the source (variable, flag, or file and line), the value and
    ///         the remedy:
    ///         invalid_bound      a bound that is no finite number >= 0
    ///         invalid_argument   any other bad value, an unknown key in the file, a file that is no TOML, abs with rel
    ///         io                 the file cannot be read
    [[nodiscard]] static result<option_set> resolve(std::span<const flag_value> flags = {},
                                                    std::span<const option_id> wanted = {});

    /// The error bound that abs or rel asks for; lossless when neither is set.
    [[nodiscard]] bound limit() const noexcept;
    [[nodiscard]] laconic::scope bound_scope() const noexcept;

    /// The value as text, in the spelling its source used; "" when unset.
    [[nodiscard]] const std::string& text(option_id id) const noexcept { return at(id).text; }
    /// Precondition: the option is of type bound. Unset: 0.
    [[nodiscard]] double real(option_id id) const noexcept { return at(id).real; }
    /// Precondition: the option is of type bytes. Unset: 0.
    [[nodiscard]] std::uint64_t bytes(option_id id) const noexcept { return at(id).whole; }
    /// Precondition: the option is of type count. Unset: 0.
    [[nodiscard]] unsigned count(option_id id) const noexcept { return static_cast<unsigned>(at(id).whole); }

    [[nodiscard]] bool is_set(option_id id) const noexcept { return at(id).source != option_source::default_value; }
    /// What to call the source in a message: "--abs", "LACONIC_ABS", "laconic.toml:3: abs" or "default".
    [[nodiscard]] const std::string& origin(option_id id) const noexcept { return at(id).origin; }

private:
    struct value {
        std::string text;
        std::string origin = "default";
        double real = 0;
        std::uint64_t whole = 0;
        option_source source = option_source::default_value;
    };

    [[nodiscard]] const value& at(option_id id) const noexcept { return values_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] status set(option_id id, std::string text, option_source source, std::string origin);
    [[nodiscard]] status read_file(const std::string& path, std::span<const option_id> wanted);
    [[nodiscard]] status settle_bound();

    std::array<value, option_count> values_;
};

}  // namespace laconic::base
