// SPDX-License-Identifier: BSD-3-Clause
// laconic-<flavour> bench collective: a field and a list of algorithms flow in on every rank of an mpiexec; rank 0
// prints a table, or JSON, of time, bytes sent and error next to stock MPI.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "cli/collective_bench_mpi.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/table_options.hpp"
#include "cli/terminal.hpp"
#include "collective/options.hpp"

namespace laconic::cli {
namespace {

using base::option_id;

struct bench_request {
    const CLI::App* app = nullptr;  ///< knows the flags of the option table
    std::string op = "allreduce";
    std::string reduction_name = "sum";
    std::vector<std::string> algorithms;
    std::string data;
    type_argument type;
    bound_argument limit;
    std::string bytes = "64M";
    unsigned repetitions = 5;
    bool json = false;
};

collective_bench_settings to_settings(const bench_request& request) {
    if (request.repetitions == 0) fail_usage("--repetitions is 0; give at least 1");
    const base::option_set options = resolve_options(
        *request.app, {option_id::algorithm, option_id::scope, option_id::confidence, option_id::segment_bytes,
                       option_id::check, option_id::ranks_per_node, option_id::shared_memory, option_id::machine});
    collective_bench_settings settings;
    settings.op = operation_named(request.op);
    settings.algorithms = chosen_algorithms(settings.op, request.algorithms, options);
    settings.bytes = byte_size("--bytes", request.bytes);
    settings.repetitions = request.repetitions;
    settings.combine = reduction_named(request.reduction_name);
    settings.options = collective::options_of(options);
    settings.options.limit = request.limit.value();
    const std::size_t element = size_of(request.type.value());
    if (settings.bytes < element)
        fail_usage(fmt::format("--bytes is {}; give at least one element of {} bytes", request.bytes, element));
    return settings;
}

void print_json(const bench_request& request, const collective_bench_settings& settings, int ranks,
                const std::vector<collective_measurement>& rows) {
    nlohmann::ordered_json object{{"op", request.op},
                                  {"reduction", request.reduction_name},
                                  {"ranks", ranks},
                                  {"bytes", settings.bytes},
                                  {"scope", scope_name(settings.options.bound_scope)},
                                  {"segment_bytes", settings.options.segment_bytes},
                                  {"repetitions", settings.repetitions},
                                  {"flavour", LACONIC_FLAVOUR},
                                  {"assumed_ratio", settings.options.machine.empty() || rows.empty()
                                                        ? nlohmann::ordered_json(nullptr)
                                                        : nlohmann::ordered_json(rows.front().assumed_ratio)},
                                  {"rows", nlohmann::ordered_json::array()}};
    for (const collective_measurement& row : rows) {
        nlohmann::ordered_json entry{{"algorithm", row.algorithm},
                                     {"median_s", row.median_s},
                                     {"speedup_vs_stock", nullptr},
                                     {"sent_bytes_per_rank", row.sent_bytes},
                                     {"max_error", row.max_error},
                                     {"bound", row.bound},
                                     {"ran", row.ran},
                                     {"min_s", row.min_s},
                                     {"ratio", row.ratio},
                                     {"same_bits", row.same_bits},
                                     {"workspace_bytes", row.workspace_bytes},
                                     {"compress_s", row.compress_s},
                                     {"combine_s", row.combine_s},
                                     {"decompress_s", row.decompress_s},
                                     {"wait_s", row.wait_s},
                                     {"predicted_s", nullptr}};
        if (row.predicted_s > 0) entry["predicted_s"] = row.predicted_s;
        if (row.speedup_vs_stock > 0) entry["speedup_vs_stock"] = row.speedup_vs_stock;
        object["rows"].push_back(std::move(entry));
    }
    fmt::print("{}\n", object.dump(2));
}

void print_text(const collective_bench_settings& settings, int ranks, const std::vector<collective_measurement>& rows) {
    std::vector<std::vector<std::string>> table{
        {"algorithm", "median s", "vs stock", "sent/rank", "ratio", "max error", "bound", "codec s", "wait s"}};
    for (const collective_measurement& row : rows)
        table.push_back({row.algorithm, fmt::format("{:.4g}", row.median_s),
                         row.speedup_vs_stock > 0 ? fmt::format("{:.2f}x", row.speedup_vs_stock) : "-",
                         base::human_bytes(row.sent_bytes), fmt::format("{:.2f}", row.ratio),
                         fmt::format("{:.3g}", row.max_error), fmt::format("{:.3g}", row.bound),
                         fmt::format("{:.3g}", row.compress_s + row.combine_s + row.decompress_s),
                         fmt::format("{:.3g}", row.wait_s)});
    print_table(table, 1);
    fmt::print("{}\n",
               dim(fmt::format("{} ranks, {} per rank, median of {}, time of the slowest rank; stock: "
                               "MPI's own of {}, its bytes the least that it must send",
                               ranks, base::human_bytes(settings.bytes), settings.repetitions, LACONIC_FLAVOUR)));
    for (const collective_measurement& row : rows)
        if (!row.same_bits) fmt::print("{}: the ranks hold different bits\n", row.algorithm);
}

/// What a rank needs before ranks start to wait for each other.
struct prepared_bench {
    collective_bench_settings settings;
    element_type type;
    buffer field;
};

prepared_bench prepare(const bench_request& request) {
    collective_bench_settings settings = to_settings(request);
    const element_type type = request.type.value();
    if (request.data == "-") fail_usage("--data is '-'; every rank reads the field, so give a file");
    buffer raw = read_array(request.data, type);
    if (raw.size() == 0) fail_data(fmt::format("'{}' is empty; give a field with at least one value", request.data));
    return {std::move(settings), type, std::move(raw)};
}

/// Everything in which the ranks must not differ.
std::string fingerprint(const bench_request& request, const prepared_bench& bench) {
    const collective_bench_settings& settings = bench.settings;
    return fmt::format(
        "--op {} --reduction {} --algorithms {} --type {} --bytes {} --bound {}:{} --scope {} --segment-bytes {} "
        "--repetitions {}, a field of {} bytes",
        request.op, request.reduction_name, fmt::join(settings.algorithms, ","), size_of(bench.type) * 8,
        settings.bytes, static_cast<int>(settings.options.limit.kind), settings.options.limit.value,
        scope_name(settings.options.bound_scope), settings.options.segment_bytes, settings.repetitions,
        bench.field.size());
}

int measure_and_print(const bench_request& request, prepared_bench& bench, int rank, int ranks) {
    const auto rows = with_real_type(bench.type, [&](auto zero) {
        using T = decltype(zero);
        return measure_collective(std::span<const T>(bench.field.as<T>()), bench.settings);
    });
    if (rank != 0) return exit_ok;
    request.json ? print_json(request, bench.settings, ranks, rows) : print_text(bench.settings, ranks, rows);
    return exit_ok;
}

int run(const bench_request& request) {
    std::optional<prepared_bench> bench;
    together todo;
    todo.name = "bench collective";
    todo.prepare = [&] { bench = prepare(request); };
    todo.settings = [&] { return fingerprint(request, *bench); };
    todo.run = [&](int rank, int ranks) { return measure_and_print(request, *bench, rank, ranks); };
    return run_together(todo);
}

}  // namespace

action declare_bench_collective(CLI::App& app) {
    auto request = std::make_shared<bench_request>();
    request->app = &app;
    app.add_option("--op", request->op, "the collective (default allreduce)")
        ->type_name("allreduce|reduce|reduce_scatter|allgather|gather|scatter|bcast|alltoall");
    app.add_option("--reduction", request->reduction_name, "sum (default) or another")
        ->type_name("sum|avg|min|max|prod");
    app.add_option("--algorithms", request->algorithms,
                   "rows of 'laconic info --algorithms' (default: stock and --algorithm, or all)")
        ->type_name("A,B")
        ->delimiter(',');
    app.add_option("--data", request->data,
                   "field to reduce: raw little-endian array, tiled from another offset on "
                   "every rank")
        ->type_name("FILE")
        ->required();
    request->type.declare(app);
    app.add_option("--bytes", request->bytes,
                   "uncompressed bytes of the buffer, e.g. 64M (default): on each rank; the whole result of allgather "
                   "and gather, the whole source of scatter")
        ->type_name("SIZE");
    request->limit.declare(app, true);
    declare_options(app, {option_id::algorithm, option_id::scope, option_id::confidence, option_id::segment_bytes,
                          option_id::check, option_id::ranks_per_node, option_id::shared_memory, option_id::machine});
    app.add_option("--repetitions", request->repetitions, "measured rounds of all rows (default 5)")->type_name("N");
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
