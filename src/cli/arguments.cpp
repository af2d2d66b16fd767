// SPDX-License-Identifier: BSD-3-Clause
// Texts of --type, --abs, --rel and --lossless in; an element type and a bound, or a usage failure, out.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/command.hpp"

namespace laconic::cli {

void type_argument::declare(CLI::App& app) {
    app.add_option("--type", text_, "element type of the raw array")->type_name("f32|f64")->required();
}

element_type type_argument::value() const {
    if (text_ == "f32") return element_type::f32;
    if (text_ == "f64") return element_type::f64;
    fail_usage(fmt::format("--type is '{}'; use f32 (float) or f64 (double)", text_));
}

void bound_argument::declare(CLI::App& app, bool offer_lossless) {
    offers_lossless_ = offer_lossless;
    app.add_option("--abs", abs_, "absolute error bound: every |x - y| <= E")->type_name("E");
    app.add_option("--rel", rel_, "bound relative to the value range: every |x - y| <= L * (max - min)")
        ->type_name("L");
    if (offer_lossless) app.add_flag("--lossless", lossless_, "no error at all: every value comes back bit for bit");
}

double positive_number(std::string_view option, const std::string& text, std::string_view remedy) {
    const result<double> value = base::parse_bound(text);
    if (!value || !(*value > 0))
        fail_usage(fmt::format("{} is '{}'; give a finite number > 0{}", option, text, remedy));
    return *value;
}

bound bound_argument::value() const {
    const int given = (abs_.empty() ? 0 : 1) + (rel_.empty() ? 0 : 1) + (lossless_ ? 1 : 0);
    const std::string_view choices = offers_lossless_ ? "--abs E, --rel L or --lossless" : "--abs E or --rel L";
    if (given == 0) fail_usage(fmt::format("no error bound; give {}", choices));
    if (given > 1) fail_usage(fmt::format("more than one error bound; give only one of {}", choices));
    const std::string_view remedy = offers_lossless_ ? ", or --lossless for no error at all" : "";
    if (!abs_.empty()) return bound::abs(positive_number("--abs", abs_, remedy));
    if (!rel_.empty()) return bound::rel(positive_number("--rel", rel_, remedy));
    return bound::lossless();
}

std::string_view name_of(element_type type) noexcept { return type == element_type::f32 ? "f32" : "f64"; }

}  // namespace laconic::cli
