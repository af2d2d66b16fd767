// SPDX-License-Identifier: BSD-3-Clause
// laconic-<flavour> bench collective: a field and a list of algorithms flow in on every rank of an mpiexec; rank 0
// prints a table, or JSON, of time, bytes sent and error next to stock MPI.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "cli/collective_bench_mpi.hpp"
#include "cli/command.hpp"
#include "cli/forced_stock_mpi.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"

namespace laconic::cli {
namespace {

using base::option_id;

struct bench_request {
    collective_arguments arguments;
    unsigned repetitions = 5;
    bool with_counts = false;
    bool json = false;
};

void print_json(const bench_request& request, const collective_bench_settings& settings, const collective_work& work,
                int ranks, const std::vector<collective_measurement>& rows) {
    nlohmann::ordered_json object{{"op", request.arguments.op()},
                                  {"reduction", request.arguments.reduction()},
                                  {"ranks", ranks},
                                  {"bytes", bytes_that_run(work, ranks)},
                                  {"type", codec::name_of(work.type)},
                                  {"scope", scope_name(settings.options.bound_scope)},
                                  {"segment_bytes", settings.options.segment_bytes},
                                  {"repetitions", settings.repetitions},
                                  {"with_counts", settings.with_counts},
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
                                     {"times_s", row.times_s},
                                     {"warm_up_s", row.warm_up_s},
                                     {"ratio", row.ratio},
                                     {"same_bits", row.same_bits},
                                     {"workspace_bytes", row.workspace_bytes},
                                     {"compress_s", row.compress_s},
                                     {"combine_s", row.combine_s},
                                     {"decompress_s", row.decompress_s},
                                     {"copy_s", row.copy_s},
                                     {"wait_s", row.wait_s},
                                     {"predicted_s", nullptr}};
        if (row.predicted_s > 0) entry["predicted_s"] = row.predicted_s;
        if (row.speedup_vs_stock > 0) entry["speedup_vs_stock"] = row.speedup_vs_stock;
        object["rows"].push_back(std::move(entry));
    }
    fmt::print("{}\n", object.dump(2));
}

void print_text(const collective_bench_settings& settings, const collective_work& work, int ranks,
                const std::vector<collective_measurement>& rows) {
    std::vector<std::vector<std::string>> table{
        {"algorithm", "median s", "vs stock", "sent/rank", "ratio", "max error", "bound", "codec s", "wait s"}};
    for (const collective_measurement& row : rows)
        table.push_back({row.algorithm == "auto" ? fmt::format("auto ({})", row.ran) : row.algorithm,
                         fmt::format("{:.4g}", row.median_s),
                         row.speedup_vs_stock > 0 ? fmt::format("{:.2f}x", row.speedup_vs_stock) : "-",
                         base::human_bytes(row.sent_bytes), fmt::format("{:.2f}", row.ratio),
                         fmt::format("{:.3g}", row.max_error), fmt::format("{:.3g}", row.bound),
                         fmt::format("{:.3g}", row.compress_s + row.combine_s + row.decompress_s),
                         fmt::format("{:.3g}", row.wait_s)});
    print_table(table, 1);
    fmt::print("{}\n",
               dim(fmt::format("{} ranks, buffers of {} of {}, median of {}, time of the slowest rank; stock: "
                               "MPI's own of {}, its bytes the least that it must send\n"
                               "vs stock: median of stock's time / this one's in the same repetition; codec, wait: "
                               "of rank 0, mean per call",
                               ranks, base::human_bytes(bytes_that_run(work, ranks)), codec::name_of(work.type),
                               settings.repetitions, LACONIC_FLAVOUR)));
    for (const collective_measurement& row : rows)
        if (!row.same_bits) fmt::print("{}: the ranks hold different bits\n", row.algorithm);
}

int measure_and_print(const bench_request& request, collective_work& work, int rank, int ranks) {
    const collective_bench_settings settings{work.settings, request.repetitions, request.with_counts};
    const auto rows = codec::with_element(work.type, [&](auto zero) {
        using T = decltype(zero);
        return measure_collective(std::span<const T>(work.field.as<T>()), settings);
    });
    if (rank != 0) return exit_ok;
    request.json ? print_json(request, settings, work, ranks, rows) : print_text(settings, work, ranks, rows);
    return exit_ok;
}

int run(const bench_request& request) {
    std::optional<collective_work> work;
    if (request.arguments.names_forced()) allow_forced();
    together todo;
    todo.name = "bench collective";
    todo.prepare = [&] {
        work = request.arguments.prepare(request.with_counts);
        const operation op = work->settings.op;
        if (request.with_counts && (op == operation::allreduce || op == operation::reduce || op == operation::bcast))
            fail_usage(
                fmt::format("--with-counts: {} has no form with a count for each rank; use reduce_scatter, "
                            "allgather, gather, scatter or alltoall",
                            request.arguments.op()));
        for (const std::string& row : work->settings.algorithms)
            if (is_forced(row)) refuse_unforcible(row, op, request.with_counts);
    };
    todo.settings = [&] {
        return fmt::format("--repetitions {} --with-counts {} {}", request.repetitions, request.with_counts,
                           request.arguments.fingerprint(*work));
    };
    todo.run = [&](int rank, int ranks) { return measure_and_print(request, *work, rank, ranks); };
    return run_together(todo);
}

}  // namespace

action declare_bench_collective(CLI::App& app) {
    auto request = std::make_shared<bench_request>();
    static constexpr auto options = {option_id::algorithm,     option_id::scope,   option_id::confidence,
                                     option_id::segment_bytes, option_id::check,   option_id::ranks_per_node,
                                     option_id::shared_memory, option_id::machine, option_id::codec_threads,
                                     option_id::rate};
    request->arguments.declare(app,
                               {.algorithms_hint = "; stock:ALGORITHM[@SEGMENT] is one of MPI's own that is forced",
                                .bytes = "64M",
                                .offers_16_bit = true,
                                .takes_forced = true,
                                .options = options});
    declare_count(app, "--repetitions", request->repetitions, "measured rounds of all rows (default 5)");
    app.add_flag(
        "--with-counts", request->with_counts,
        "call the form with a count for each rank (MPI_Reduce_scatter, MPI_Allgatherv, ...), all of them equal");
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
