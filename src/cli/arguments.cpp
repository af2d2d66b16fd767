// SPDX-License-Identifier: BSD-3-Clause
// Texts of shared options in; an element type, a bound, a codec and run options, or a usage failure, out.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/table_options.hpp"
#include "codec/element.hpp"

namespace laconic::cli {

using base::option_id;

void type_argument::declare(CLI::App& app, bool offer_16_bit) {
    offers_16_bit_ = offer_16_bit;
    app.add_option("--type", text_, "element type of the raw array")
        ->type_name(offer_16_bit ? "f32|f64|f16|bf16" : "f32|f64")
        ->required();
}

element_type type_argument::value() const {
    if (const auto named = codec::element_named(text_); named && (offers_16_bit_ || size_of(*named) > 2)) return *named;
    fail_usage(fmt::format("--type is '{}'; use f32 (float){}", text_,
                           offers_16_bit_ ? ", f64 (double), f16 or bf16" : " or f64 (double)"));
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

std::uint64_t whole_number(std::string_view option, const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end)
        fail_usage(fmt::format("{} is '{}'; give a whole number >= 0", option, text));
    return number;
}

void declare_count(CLI::App& app, const std::string& flag, unsigned& target, const std::string& help) {
    const auto take = [flag, &target](const std::string& text) {
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        constexpr auto most = std::numeric_limits<unsigned>::max();
        if (error != std::errc{} || rest != end || number < 1 || number > most)
            fail_usage(fmt::format("{} is '{}'; give a whole number from 1 to {}", flag, text, most));
        target = static_cast<unsigned>(number);
    };
    app.add_option_function<std::string>(flag, take, help)->type_name("N");
}

std::vector<std::string> listed(std::string_view option, const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const std::string& word : words)
        for (std::size_t at = 0; at <= word.size(); at = std::min(word.find(',', at), word.size()) + 1) {
            names.push_back(word.substr(at, std::min(word.find(',', at), word.size()) - at));
            if (names.back().empty())
                fail_usage(fmt::format("{} is '{}'; give names with one comma between two", option, word));
        }
    return names;
}

std::string_view bound_argument::choices() const {
    return offers_lossless_ ? "--abs E, --rel L or --lossless" : "--abs E or --rel L";
}

std::string_view bound_argument::flag() const {
    for (const option_id id : {option_id::abs, option_id::rel})
        if (app_->count(std::string(base::describe(id).flag)) > 0) return base::describe(id).flag;
    return lossless_ ? "--lossless" : "";
}

std::optional<bound> bound_argument::if_given() const {
    const std::string_view remedy = offers_lossless_ ? ", or --lossless for no error at all" : "";
    int given = lossless_ ? 1 : 0;
    for (const option_id id : {option_id::abs, option_id::rel}) {
        const std::string flag(base::describe(id).flag);
        if (app_->count(flag) == 0) continue;
        ++given;
        static_cast<void>(positive_number(flag, app_->get_option(flag)->results().back(), remedy));
    }
    if (given > 1) fail_usage(fmt::format("more than one error bound; give only one of {}", choices()));
    if (lossless_) return bound::lossless();
    const base::option_set set = resolve_options(*app_, {option_id::abs, option_id::rel});
    for (const option_id id : {option_id::abs, option_id::rel})
        if (set.is_set(id)) static_cast<void>(positive_number(set.origin(id), set.text(id), remedy));
    const bound limit = set.limit();
    return limit.value > 0 ? std::optional(limit) : std::nullopt;
}

bound bound_argument::value() const {
    const std::optional<bound> limit = if_given();
    if (!limit) fail_usage(fmt::format("no error bound; give {}", choices()));
    return *limit;
}

void codec_argument::declare(CLI::App& app) {
    app_ = &app;
    declare_options(app, {option_id::codec});
}

const codec_description& codec_argument::value() const {
    const base::option_set set = resolve_options(*app_, {option_id::codec});
    const std::string& name = set.text(option_id::codec);
    const auto rows = codecs();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.name == name; });
    if (row == rows.end() || !row->available)
        fail_usage(fmt::format("{}: {} '{}'; use one of {}", set.origin(option_id::codec),
                               row == rows.end() ? "there is no codec" : "this build lacks the codec", name,
                               available_codecs(", ")));
    return *row;
}

void threads_argument::declare(CLI::App& app) {
    app_ = &app;
    declare_options(app, {option_id::threads});
}

run_options threads_argument::value() const {
    run_options run;
    run.threads = resolve_options(*app_, {option_id::threads}).count(option_id::threads);
    return run;
}

}  // namespace laconic::cli
