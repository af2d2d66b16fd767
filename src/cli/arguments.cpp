// SPDX-License-Identifier: BSD-3-Clause
// Texts of --type, --abs, --rel and --lossless in; an element type and a bound, or a usage failure, out.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/table_options.hpp"

namespace laconic::cli {

using base::option_id;

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
    app_ = &app;
    declare_options(app, {option_id::abs, option_id::rel});
    if (offer_lossless) app.add_flag("--lossless", lossless_, "no error at all: every value comes back bit for bit");
}

double positive_number(std::string_view option, const std::string& text, std::string_view remedy) {
    const result<double> value = base::parse_bound(text);
    if (!value || !(*value > 0))
        fail_usage(fmt::format("{} is '{}'; give a finite number > 0{}", option, text, remedy));
    return *value;
}

bound bound_argument::value() const {
    const std::string_view choices = offers_lossless_ ? "--abs E, --rel L or --lossless" : "--abs E or --rel L";
    const std::string_view remedy = offers_lossless_ ? ", or --lossless for no error at all" : "";
    int given = lossless_ ? 1 : 0;
    for (const option_id id : {option_id::abs, option_id::rel}) {
        const std::string flag(base::describe(id).flag);
        if (app_->count(flag) == 0) continue;
        ++given;
        static_cast<void>(positive_number(flag, app_->get_option(flag)->results().back(), remedy));
    }
    if (given > 1) fail_usage(fmt::format("more than one error bound; give only one of {}", choices));
    if (lossless_) return bound::lossless();
    const base::option_set set = resolve_options(*app_, {option_id::abs, option_id::rel});
    for (const option_id id : {option_id::abs, option_id::rel})
        if (set.is_set(id)) static_cast<void>(positive_number(set.origin(id), set.text(id), remedy));
    const bound limit = set.limit();
    if (!(limit.value > 0)) fail_usage(fmt::format("no error bound; give {}", choices));
    return limit;
}

std::string_view name_of(element_type type) noexcept { return type == element_type::f32 ? "f32" : "f64"; }

}  // namespace laconic::cli
