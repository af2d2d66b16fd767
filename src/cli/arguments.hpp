// SPDX-License-Identifier: BSD-3-Clause
// The options that several subcommands share: the texts given for --type, --abs, --rel, --lossless, --codec and
// --threads flow in, an element type, a bound, a codec and run options flow out, or a usage failure that names the
// value.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {

/// --type f32|f64, or also f16|bf16
class type_argument {
public:
    void declare(CLI::App& app, bool offer_16_bit = false);
    [[nodiscard]] element_type value() const;

private:
    std::string text_;
    bool offers_16_bit_ = false;
};

/// --abs E | --rel L | --lossless, at most one of them; without any, the environment or the TOML file says abs or rel.
class bound_argument {
public:
    /// offer_lossless false leaves that flag out.
    void declare(CLI::App& app, bool offer_lossless);
    [[nodiscard]] bound value() const;
    /// value(), or nothing where no source names a bound.
    [[nodiscard]] std::optional<bound> if_given() const;
    /// The flag that names a bound; "" when none does.
    [[nodiscard]] std::string_view flag() const;

private:
    [[nodiscard]] std::string_view choices() const;

    const CLI::App* app_ = nullptr;  ///< the parser, which outlives every command
    bool lossless_ = false;
    bool offers_lossless_ = false;
};

/// --codec NAME; without it the environment, the TOML file or the default decides.
class codec_argument {
public:
    void declare(CLI::App& app);
    /// A codec that this build has.
    [[nodiscard]] const codec_description& value() const;

private:
    const CLI::App* app_ = nullptr;
};

/// --threads N; without it the environment, the TOML file or the default decides.
class threads_argument {
public:
    void declare(CLI::App& app);
    [[nodiscard]] run_options value() const;

private:
    const CLI::App* app_ = nullptr;
};

/// A finite number > 0, or a usage failure that names `option`, the text and `remedy`.
[[nodiscard]] double positive_number(std::string_view option, const std::string& text, std::string_view remedy);

/// A whole number >= 0, or a usage failure that names `option` and the text.
[[nodiscard]] std::uint64_t whole_number(std::string_view option, const std::string& text);

/// A flag for a whole number from 1 on. Another text is a usage failure that names the flag and the text.
void declare_count(CLI::App& app, const std::string& flag, unsigned& target, const std::string& help);

/// The names of "A,B" of every word. A usage failure that names `option` and the word where a name is empty.
[[nodiscard]] std::vector<std::string> listed(std::string_view option, const std::vector<std::string>& words);

/// Calls body(T{}) with T = float or double, for what knows no other types.
template <class Body>
auto with_real_type(element_type type, Body&& body) {
    return type == element_type::f32 ? body(float{}) : body(double{});
}

}  // namespace laconic::cli
