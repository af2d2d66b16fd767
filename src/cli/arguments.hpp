// SPDX-License-Identifier: BSD-3-Clause
// The options that several subcommands share: the texts given for --type, --abs, --rel and --lossless flow in, an
// element type and a bound flow out, or a usage failure that names the value.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {

/// --type f32|f64
class type_argument {
public:
    void declare(CLI::App& app);
    [[nodiscard]] element_type value() const;

private:
    std::string text_;
};

/// --abs E | --rel L | --lossless, at most one of them; without any, the environment or the TOML file says abs or rel.
class bound_argument {
public:
    /// offer_lossless false leaves that flag out.
    void declare(CLI::App& app, bool offer_lossless);
    [[nodiscard]] bound value() const;

private:
    const CLI::App* app_ = nullptr;  ///< the parser, which outlives every command
    bool lossless_ = false;
    bool offers_lossless_ = false;
};

/// A finite number > 0, or a usage failure that names `option`, the text and `remedy`.
[[nodiscard]] double positive_number(std::string_view option, const std::string& text, std::string_view remedy);

[[nodiscard]] std::string_view name_of(element_type type) noexcept;

/// Calls body(T{}) with T = float or double.
template <class Body>
auto with_type(element_type type, Body&& body) {
    return type == element_type::f32 ? body(float{}) : body(double{});
}

}  // namespace laconic::cli
