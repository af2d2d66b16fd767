// SPDX-License-Identifier: BSD-3-Clause
// laconic compare: two raw arrays flow in; largest error, PSNR and NRMSE of the second against the first flow out.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"

namespace laconic::cli {
namespace {

struct compare_request {
    std::string a, b;
    type_argument type;
    bool json = false;
};

/// JSON has no infinity and no NaN: both become null (the PSNR of identical data, the NRMSE of a constant field).
nlohmann::ordered_json number(double value) { return std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr; }

void print_json(const comparison& measured) {
    const nlohmann::ordered_json object{{"n", measured.n},
                                        {"max_abs_error", number(measured.max_abs_error)},
                                        {"psnr", number(measured.psnr)},
                                        {"nrmse", number(measured.nrmse)},
                                        {"range", number(measured.range)},
                                        {"nonfinite_mismatches", measured.nonfinite_mismatches}};
    fmt::print("{}\n", object.dump(2));
}

void print_text(const comparison& measured) {
    print_pairs({
        {"values", fmt::format("{}", measured.n)},
        {"max abs error", fmt::format("{}", measured.max_abs_error)},
        {"mean error", fmt::format("{:g}", measured.mean_error)},
        {"PSNR", std::isinf(measured.psnr) && measured.psnr > 0 ? "infinite (identical)"
                                                                : fmt::format("{:.2f} dB", measured.psnr)},
        {"NRMSE", fmt::format("{:g}", measured.nrmse)},
        {"range", fmt::format("{}", measured.range)},
        {"non-finite mismatches", fmt::format("{}", measured.nonfinite_mismatches)},
    });
}

int run(const compare_request& request) {
    if (request.a == "-" && request.b == "-") fail_usage("both A and B are -; only one can be standard input");
    const element_type type = request.type.value();
    buffer a = read_array(request.a, type);
    buffer b = read_array(request.b, type);
    if (a.size() != b.size())
        fail_data(fmt::format("'{}' has {} bytes and '{}' has {}; compare arrays of equal size", request.a, a.size(),
                              request.b, b.size()));
    const result<comparison> measured = codec::with_element(type, [&](auto zero) {
        using T = decltype(zero);
        return laconic::compare(std::span<const T>(a.as<T>()), std::span<const T>(b.as<T>()));
    });
    if (!measured) fail_data(measured.error().message());
    request.json ? print_json(*measured) : print_text(*measured);
    return exit_ok;
}

}  // namespace

action declare_compare(CLI::App& app) {
    auto request = std::make_shared<compare_request>();
    app.add_option("A", request->a, "the original: raw little-endian array, or -")->type_name("FILE")->required();
    app.add_option("B", request->b, "the array to measure, or -")->type_name("FILE")->required();
    request->type.declare(app, true);
    app.add_flag("--json", request->json, "print one JSON object; infinite values are null");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
