// SPDX-License-Identifier: BSD-3-Clause
// laconic bench codec: a field and a bound flow in; speed next to memcpy, ratio next to published codecs and the exact
// error of every engine flow out, as a table or a JSON array.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/bench_tools.hpp"
#include "cli/codec_bench.hpp"
#include "cli/codec_family_bench.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/table_options.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"
#include "codec/fle.hpp"

namespace laconic::cli {
namespace {

struct bench_request {
    std::string data;
    type_argument type;
    bound_argument limit;
    unsigned megabytes = 64;
    unsigned repetitions = 15;
    std::vector<std::string> engines;
    threads_argument threads;
    std::string row_length = "0";
    std::vector<std::string> codecs;
    bool json = false;
};

buffer read_field(const std::string& path, element_type type) {
    buffer raw = read_array(path, type);
    if (raw.size() == 0) fail_data(fmt::format("'{}' is empty; give a field with at least one value", path));
    return raw;
}

/// The scan for the range belongs to none of the operations: all are measured with an absolute bound.
template <class T>
double absolute(bound limit, std::span<const T> field) {
    const value_range<T> range = range_of(field);
    return codec::resolve_bound(limit, static_cast<double>(range.min), static_cast<double>(range.max));
}

std::vector<std::string> chosen_engines(const CLI::App& app, const std::vector<std::string>& wanted) {
    const auto available = available_engines();
    // A forced engine is in use already, and then the only one that is asked for.
    if (wanted.empty() && resolve_options(app, {base::option_id::force_isa}).is_set(base::option_id::force_isa))
        return {std::string(engine_name())};
    if (wanted.empty()) return {available.begin(), available.end()};
    for (const std::string& name : wanted)
        if (std::find(available.begin(), available.end(), name) == available.end())
            fail_usage(fmt::format("--engines names '{}'; this machine has {}", name, fmt::join(available, ", ")));
    return wanted;
}

void print_json(const std::vector<codec_measurement>& rows) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const codec_measurement& row : rows) {
        nlohmann::ordered_json object{{"engine", row.engine},
                                      {"memcpy_gbps", row.memcpy_gbps},
                                      {"compress_gbps", row.compress_gbps},
                                      {"decompress_gbps", row.decompress_gbps},
                                      {"add_gbps", row.add_gbps},
                                      {"fused_gbps", row.fused_gbps},
                                      {"ratio", row.ratio},
                                      {"max_error", row.max_error},
                                      {"bound", row.bound},
                                      {"reference_ratio", nullptr},
                                      {"scan_gbps", row.scan_gbps},
                                      {"violations", row.violations},
                                      {"raw_blocks", row.raw_blocks},
                                      {"values", row.values},
                                      {"frame_bytes", row.frame_bytes},
                                      {"sum_frame_bytes", row.sum_frame_bytes},
                                      {"reference_bytes", row.reference_bytes},
                                      {"fz_light_bytes", row.fz_light_bytes},
                                      {"fz_light_ratio", nullptr},
                                      {"mean_error_over_bound", nullptr}};
        if (row.reference_bytes > 0) object["reference_ratio"] = row.reference_ratio;
        if (row.fz_light_bytes > 0) object["fz_light_ratio"] = row.fz_light_ratio;
        if (row.bound > 0) object["mean_error_over_bound"] = row.mean_error_over_bound;
        array.push_back(std::move(object));
    }
    fmt::print("{}\n", array.dump(2));
}

void print_text(const bench_request& request, const std::vector<codec_measurement>& rows) {
    const codec_measurement& first = rows.front();
    const auto versus = [](const codec_measurement& row, double gbps) {
        return fmt::format("{:.2f} ({:.2f}x)", gbps, row.memcpy_gbps > 0 ? gbps / row.memcpy_gbps : 0);
    };
    std::vector<std::vector<std::string>> table{{"engine", "memcpy", "compress", "decompress", "add", "fused", "scan"}};
    for (const codec_measurement& row : rows)
        table.push_back({row.engine, fmt::format("{:.2f}", row.memcpy_gbps), versus(row, row.compress_gbps),
                         versus(row, row.decompress_gbps), versus(row, row.add_gbps), versus(row, row.fused_gbps),
                         versus(row, row.scan_gbps)});
    print_table(table, 1);
    fmt::print("{}\n\n", dim(fmt::format("GB/s of original data (and ratio to memcpy), median of {}, {} values x {}",
                                         request.repetitions, first.values, codec::name_of(request.type.value()))));
    std::vector<std::pair<std::string, std::string>> pairs{
        {"ratio", fmt::format("{:.3f}", first.ratio)},
        {"cuSZp plain", first.reference_bytes > 0 ? fmt::format("{:.3f}", first.reference_ratio) : "-"},
        {"fZ-light", first.fz_light_bytes > 0 ? fmt::format("{:.3f}", first.fz_light_ratio) : "-"},
        {"bound", fmt::format("{}", first.bound)},
        {"raw blocks", fmt::format("{}", first.raw_blocks)}};
    for (const codec_measurement& row : rows)
        pairs.emplace_back("max error, " + row.engine,
                           fmt::format("{} ({} violations)", row.max_error, row.violations));
    if (first.bound > 0) pairs.emplace_back("mean error / bound", fmt::format("{:.3g}", first.mean_error_over_bound));
    print_pairs(pairs);
}

/// Names of --codecs that this build has; "all" stands for all that the other options allow.
std::vector<std::string> chosen_codecs(const std::vector<std::string>& wanted, std::uint64_t row_length) {
    std::vector<std::string> names = family_names();
    if (wanted == std::vector<std::string>{"all"}) {
        if (row_length == 0) std::erase(names, "fle-rows");
        return names;
    }
    for (const std::string& name : wanted) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail_usage(fmt::format("--codecs names '{}'; this build has {}", name, fmt::join(names, ", ")));
        if (name == "fle-rows" && row_length == 0) fail_usage("--codecs names 'fle-rows'; give --row-length, too");
    }
    return wanted;
}

/// Codecs next to each other, on one engine.
int run_family(const CLI::App& app, const bench_request& request, element_type type, bound limit, double rate) {
    family_settings settings;
    settings.row_length = whole_number("--row-length", request.row_length);
    settings.codecs = chosen_codecs(request.codecs, settings.row_length);
    if (request.engines.size() > 1)
        fail_usage(fmt::format("--engines names {}; with --codecs give one", request.engines.size()));
    if (!request.engines.empty())
        need(use_engine(chosen_engines(app, request.engines).front()), "switching the engine");
    settings.bytes = std::size_t{request.megabytes} << 20;
    settings.repetitions = request.repetitions;
    settings.run = request.threads.value();
    settings.rate = rate;
    buffer raw = read_field(request.data, type);
    const auto rows = with_real_type(type, [&](auto zero) {
        const std::span<const decltype(zero)> field = raw.as<decltype(zero)>();
        settings.bound = absolute(limit, field);
        return measure_family(field, settings);
    });
    print_family(rows, request.json);
    return exit_ok;
}

int run(const CLI::App& app, const bench_request& request) {
    const element_type type = request.type.value();
    const bound limit = request.limit.value();
    const double rate = resolve_options(app, {base::option_id::rate}).real(base::option_id::rate);
    if (!request.codecs.empty()) return run_family(app, request, type, limit, rate);
    codec_bench_settings settings;
    settings.engines = chosen_engines(app, request.engines);
    settings.bytes = std::size_t{request.megabytes} << 20;
    settings.repetitions = request.repetitions;
    settings.run = request.threads.value();
    settings.row_length = whole_number("--row-length", request.row_length);
    buffer raw = read_field(request.data, type);
    const auto rows = with_real_type(type, [&](auto zero) {
        using T = decltype(zero);
        const std::span<const T> field = raw.as<T>();
        settings.bound = absolute(limit, field);
        return measure_codec(field, settings);
    });
    request.json ? print_json(rows) : print_text(request, rows);
    return exit_ok;
}

}  // namespace

action declare_bench_codec(CLI::App& app) {
    auto request = std::make_shared<bench_request>();
    app.add_option("--data", request->data, "field to measure on: raw little-endian array, or -")
        ->type_name("FILE")
        ->required();
    request->type.declare(app);
    request->limit.declare(app, false);
    declare_count(app, "--megabytes", request->megabytes, "tile the field to this size, in 2^20 bytes (default 64)");
    declare_count(app, "--repetitions", request->repetitions, "measured rounds; medians are reported (default 15)");
    app.add_option("--engines", request->engines, "engines to measure (default: the forced one, or all that run here)")
        ->type_name("A,B");
    request->threads.declare(app);
    app.add_option("--row-length", request->row_length, "length of the field's fastest dimension, 32 to 2047")
        ->type_name("N");
    app.add_option("--codecs", request->codecs,
                   fmt::format("compare codecs instead of engines: all, or {}", fmt::join(family_names(), ", ")))
        ->type_name("A,B");
    declare_options(app, {base::option_id::rate});
    app.add_flag("--json", request->json, "print a JSON array with one object per engine, or per codec");
    return [request, &app] {
        request->engines = listed("--engines", request->engines);
        request->codecs = listed("--codecs", request->codecs);
        return run(app, *request);
    };
}

}  // namespace laconic::cli
