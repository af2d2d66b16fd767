// SPDX-License-Identifier: BSD-3-Clause
// laconic-<flavour> bench redistribute: an array, patches and engines flow in on every rank of an mpiexec; rank 0
// prints a table, or JSON, of the time that each engine takes, and draws that of every rank.
#include <fmt/format.h>
#include <mpi.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.hpp"
#include "cli/canvas.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/plan_input.hpp"
#include "cli/redistribute_bench_mpi.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

struct exchange_bench_request {
    plan_request plan;
    std::vector<std::string> engines;
    std::string batch, data, png;
    double rel = 0;
    unsigned repetitions = 50;
    bool own_array = false;
    bool json = false;
};

struct bench_work {
    redistribute_bench_settings settings;
    buffer field;
    std::optional<plan> what;
};

std::vector<exchange_engine> engines_of(const exchange_bench_request& request) {
    using enum exchange_engine;
    if (request.engines.empty()) return {automatic, batched, per_rank, per_patch, alltoallw, neighbor, partitioned};
    std::vector<exchange_engine> engines;
    for (const std::string& name : listed("--engines", request.engines)) {
        const auto engine = engine_named(name);
        if (!engine) fail_usage(fmt::format("--engines: {}", engine.error().context()));
        engines.push_back(*engine);
    }
    return engines;
}

/// For as many ranks as there are.
plan_question question_of(const exchange_bench_request& request) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    plan_request asked = request.plan;
    asked.ranks = std::to_string(ranks);
    return read_plan_question(asked);
}

/// Before minutes of measuring: whether the picture can be written.
void check_picture(const std::string& path) {
    need_pictures();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) check_writable(path, "--png");
}

bench_work prepare(const exchange_bench_request& request) {
    bench_work work;
    work.settings.engines = engines_of(request);
    work.settings.repetitions = request.repetitions;
    work.settings.own_array = request.own_array;
    if (!request.png.empty()) check_picture(request.png);
    if (!request.batch.empty()) {
        const auto bytes = base::parse_bytes(request.batch);
        if (!bytes) fail_usage(fmt::format("--batch: {}", bytes.error().context()));
        work.settings.batch_bytes = *bytes;
    }
    if (request.rel < 0) fail_usage(fmt::format("--rel is {}; give a bound >= 0", request.rel));
    if (request.data.empty() != (request.rel == 0))
        fail_usage("--rel and --data belong together: what compression gains depends on the values");
    if (!request.data.empty()) {
        work.field = read_file(request.data, name_a_file);
        work.settings.field = work.field.as<float>();
        if (work.settings.field.empty()) fail_data(fmt::format("{}: no float in it", request.data));
        work.settings.limit = bound::rel(request.rel);
    }
    const plan_question question = question_of(request);
    work.settings.element_bytes = static_cast<std::size_t>(question.element_bytes);
    auto made = plan::make(question.from, question.to, question.how);
    if (!made) fail_data(made.error().message());
    work.what = std::move(made).value();
    return work;
}

void print_json(const exchange_bench_request& request, const plan& what,
                const std::vector<redistribute_measurement>& rows) {
    const plan_figures figures = what.figures();
    const auto bytes = static_cast<std::int64_t>(request.rel > 0 ? 4 : std::stoll(request.plan.element_bytes));
    nlohmann::ordered_json object{{"global", request.plan.global},
                                  {"patch", request.plan.patch},
                                  {"patches", request.plan.counts},
                                  {"placement", name_of(placement_named(request.plan.placement).value())},
                                  {"ranks", what.from().ranks()},
                                  {"bytes", figures.elements * bytes},
                                  {"moved_bytes", figures.moved_elements * bytes},
                                  {"rel", request.rel},
                                  {"repetitions", request.repetitions},
                                  {"flavour", LACONIC_FLAVOUR},
                                  {"rows", nlohmann::ordered_json::array()}};
    for (const redistribute_measurement& row : rows) {
        if (!row.missing.empty()) {
            object["rows"].push_back({{"engine", row.name}, {"missing", row.missing}});
            continue;
        }
        nlohmann::ordered_json entry{{"engine", row.name},
                                     {"of_mpi", row.of_mpi},
                                     {"median_s", row.median_s},
                                     {"min_s", row.min_s},
                                     {"ratio_to_best_mpi", row.ratio},
                                     {"staging_bytes", row.staging_bytes},
                                     {"message_bytes", row.message_bytes},
                                     {"wire_bytes", row.wire_bytes},
                                     {"shared_bytes", row.shared_bytes},
                                     {"ranks", nlohmann::ordered_json::array()}};
        for (const rank_times& each : row.ranks)
            entry["ranks"].push_back({each.min_s, each.lower_s, each.median_s, each.upper_s, each.max_s});
        object["rows"].push_back(std::move(entry));
    }
    fmt::print("{}\n", object.dump(2));
}

void print_text(const exchange_bench_request& request, const plan& what,
                const std::vector<redistribute_measurement>& rows) {
    std::vector<std::vector<std::string>> table{
        {"engine", "median ms", "least ms", "vs best MPI", "staging", "on the wire"}};
    for (const redistribute_measurement& row : rows) {
        if (!row.missing.empty()) continue;
        table.push_back({row.name, fmt::format("{:.2f}", 1e3 * row.median_s), fmt::format("{:.2f}", 1e3 * row.min_s),
                         fmt::format("{:.2f}x", row.ratio), base::human_bytes(row.staging_bytes),
                         base::human_bytes(row.wire_bytes)});
    }
    print_table(table, 1);
    const plan_figures figures = what.figures();
    fmt::print("{}\n", dim(fmt::format(
                           "{} ranks, {:.1f} % of the elements change rank, median of {}, time of the slowest "
                           "rank; {}",
                           what.from().ranks(),
                           100.0 * static_cast<double>(figures.moved_elements) / static_cast<double>(figures.elements),
                           request.repetitions, LACONIC_FLAVOUR)));
    for (const redistribute_measurement& row : rows)
        if (!row.missing.empty()) fmt::print("{}: {}\n", row.name, row.missing);
}

void draw(const exchange_bench_request& request, const plan& what, const std::vector<redistribute_measurement>& rows) {
    std::vector<ranks_of_row> timed;
    for (const redistribute_measurement& row : rows)
        if (row.missing.empty()) timed.push_back({row.name, row.ranks});
    const plan_request& p = request.plan;
    draw_rank_times(
        timed,
        fmt::format("{}, {} ranks, {} in {}, {}, {} repetitions", LACONIC_FLAVOUR, what.from().ranks(), p.global,
                    p.patch.empty() ? p.counts + " patches" : p.patch, p.placement, request.repetitions),
        request.png);
}

int measure_and_print(const exchange_bench_request& request, const bench_work& work, int rank) {
    const auto rows = measure_redistribution(*work.what, work.settings);
    if (rank != 0) return exit_ok;
    request.json ? print_json(request, *work.what, rows) : print_text(request, *work.what, rows);
    if (!request.png.empty()) draw(request, *work.what, rows);
    return exit_ok;
}

int run(const exchange_bench_request& request) {
    std::optional<bench_work> work;
    together todo;
    todo.name = "bench redistribute";
    todo.prepare = [&] { work = prepare(request); };
    todo.settings = [&] {
        const plan_request& p = request.plan;
        return fmt::format(
            "--global {} --patch {} --patches {} --grid {} --placement {} --balance {} --element-bytes {} "
            "--engines {} --own-array {} --batch {} --rel {} --repetitions {} --png {}",
            p.global, p.patch, p.counts, p.grid, p.placement, p.balance, p.element_bytes,
            fmt::join(request.engines, ","), request.own_array, request.batch, request.rel, request.repetitions,
            request.png);
    };
    todo.run = [&](int rank, int /*ranks*/) { return measure_and_print(request, *work, rank); };
    return run_together(todo);
}

}  // namespace

action declare_bench_redistribute(CLI::App& app) {
    auto request = std::make_shared<exchange_bench_request>();
    plan_request& p = request->plan;
    app.add_option("--global", p.global, "extents of the array, the slowest dimension first")
        ->type_name("EXTENTS")
        ->required();
    app.add_option("--patch", p.patch, "extents of a patch")->type_name("EXTENTS");
    app.add_option("--patches", p.counts, "instead: how many patches in each dimension")->type_name("COUNTS");
    app.add_option("--grid", p.grid, "blocks of the layout in each dimension (default: as MPI_Dims_create)")
        ->type_name("COUNTS");
    app.add_option("--placement", p.placement, "which rank gets which patch (default optimal)")
        ->type_name("greedy|balanced|round_robin|optimal");
    app.add_option("--balance", p.balance, "optimal: the greatest load allowed over the mean (default 1)")
        ->type_name("B");
    app.add_option("--element-bytes", p.element_bytes, "bytes of an element (default 8)")->type_name("N");
    app.add_option("--engines", request->engines, "engines to measure (default: auto and all that use messages)")
        ->type_name("LIST");
    app.add_flag("--own-array", request->own_array, "measure auto from the exchange's own array in shared memory, too");
    app.add_option("--batch", request->batch, "bytes of a packed message (default: the engine's)")->type_name("BYTES");
    app.add_option("--data", request->data, "with --rel: a raw file of floats to fill the array with")
        ->type_name("FILE");
    app.add_option("--rel", request->rel, "what messages may lose, relative to the range of the values")
        ->type_name("BOUND");
    declare_count(app, "--repetitions", request->repetitions, "measured rounds of all engines (default 50)");
    app.add_option("--png", request->png, "draw every rank's times: quartiles, median, least and greatest")
        ->type_name("FILE");
    app.add_flag("--json", request->json,
                 "print one JSON object; of every rank least, lower quartile, median, upper quartile, greatest");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
