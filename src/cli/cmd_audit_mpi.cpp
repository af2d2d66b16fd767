// SPDX-License-Identifier: BSD-3-Clause
// laconic-<flavour> audit: a field and a list of algorithms flow in on every rank of an mpiexec; rank 0 prints, as a
// table or JSON, how far each result is from the exact one, beside what was promised and predicted. A broken promise
// is an exit code of 1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/audit_print.hpp"
#include "cli/audit_rows_mpi.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/table_options.hpp"
#include "cli/terminal.hpp"
#include "collective/options.hpp"

namespace laconic::cli {
namespace {

using base::option_id;

constexpr auto shared_options = {option_id::algorithm,     option_id::scope,          option_id::confidence,
                                 option_id::segment_bytes, option_id::ranks_per_node, option_id::shared_memory,
                                 option_id::machine};

struct audit_request {
    const CLI::App* app = nullptr;  ///< knows the flags of the option table
    std::string op = "allreduce";
    std::string reduction_name = "sum";
    std::vector<std::string> algorithms;
    std::string data;
    type_argument type;
    bound_argument limit;
    std::string bytes = "16M";
    bool json = false;
};

/// What a rank needs before ranks start to wait for each other.
struct prepared_audit {
    audit_settings settings;
    element_type type;
    buffer field;
};

prepared_audit prepare(const audit_request& request) {
    const base::option_set options = resolve_options(*request.app, shared_options);
    audit_settings settings;
    settings.op = operation_named(request.op);
    settings.combine = reduction_named(request.reduction_name);
    settings.algorithms = chosen_algorithms(settings.op, request.algorithms, options);
    settings.bytes = byte_size("--bytes", request.bytes);
    settings.options = collective::options_of(options);
    settings.options.limit = request.limit.value();
    const element_type type = request.type.value();
    if (request.data == "-") fail_usage("--data is '-'; every rank reads the field, so give a file");
    buffer field = read_array(request.data, type);
    if (field.size() == 0) fail_data(fmt::format("'{}' is empty; give a field with at least one value", request.data));
    return {std::move(settings), type, std::move(field)};
}

/// Everything in which the ranks must not differ.
std::string fingerprint(const audit_request& request, const prepared_audit& audit) {
    const audit_settings& settings = audit.settings;
    return fmt::format(
        "--op {} --reduction {} --algorithms {} --type {} --bytes {} --bound {}:{} --scope {} --segment-bytes {}, a "
        "field of {} bytes",
        request.op, request.reduction_name, fmt::join(settings.algorithms, ","), name_of(audit.type), settings.bytes,
        static_cast<int>(settings.options.limit.kind), settings.options.limit.value,
        scope_name(settings.options.bound_scope), settings.options.segment_bytes, audit.field.size());
}

void print_json(const audit_request& request, const prepared_audit& audit, int ranks,
                const std::vector<audited_row>& rows) {
    nlohmann::ordered_json object{{"op", request.op},
                                  {"reduction", request.reduction_name},
                                  {"ranks", ranks},
                                  {"bytes", audit.settings.bytes},
                                  {"type", name_of(audit.type)},
                                  {"scope", scope_name(audit.settings.options.bound_scope)},
                                  {"flavour", LACONIC_FLAVOUR},
                                  {"normal_fractions", normal_fractions},
                                  {"rows", nlohmann::ordered_json::array()}};
    for (const audited_row& row : rows) object["rows"].push_back(audit_json(row));
    fmt::print("{}\n", object.dump(2));
}

void print_text(const audit_request& request, const prepared_audit& audit, int ranks,
                const std::vector<audited_row>& rows) {
    if (rows.size() == 1)
        print_audit(rows[0]);
    else
        print_audits(rows);
    const operation op = audit.settings.op;
    const bool reduces = op == operation::allreduce || op == operation::reduce || op == operation::reduce_scatter;
    fmt::print("{}\n", dim(fmt::format("{}{} over {} ranks, {} of {} per rank, scope {}; in 2 sigma of a normal "
                                       "distribution are {:.2f} %",
                                       request.op, reduces ? " (" + request.reduction_name + ")" : "", ranks,
                                       base::human_bytes(audit.settings.bytes), name_of(audit.type),
                                       scope_name(audit.settings.options.bound_scope), 100 * normal_fractions[1])));
}

int audit_and_print(const audit_request& request, prepared_audit& audit, int rank, int ranks) {
    const auto rows = with_type(audit.type, [&](auto zero) {
        using T = decltype(zero);
        return audit_rows(std::span<const T>(audit.field.as<T>()), audit.settings);
    });
    if (rank != 0) return exit_ok;
    request.json ? print_json(request, audit, ranks, rows) : print_text(request, audit, ranks, rows);
    int code = exit_ok;
    for (const audited_row& row : rows)
        if (row.found.violations > 0) {
            fmt::print(stderr, "laconic audit: {}: {} of {} elements are beyond what was promised\n", row.algorithm,
                       row.found.violations, row.found.elements);
            code = exit_data;
        }
    return code;
}

int run(const audit_request& request) {
    std::optional<prepared_audit> audit;
    together todo;
    todo.name = "audit";
    todo.prepare = [&] { audit = prepare(request); };
    todo.settings = [&] { return fingerprint(request, *audit); };
    todo.run = [&](int rank, int ranks) { return audit_and_print(request, *audit, rank, ranks); };
    return run_together(todo);
}

}  // namespace

action declare_audit(CLI::App& app) {
    auto request = std::make_shared<audit_request>();
    request->app = &app;
    app.add_option("--op", request->op, "the collective (default allreduce)")
        ->type_name("allreduce|reduce|reduce_scatter|allgather|gather|scatter|bcast|alltoall");
    app.add_option("--reduction", request->reduction_name, "sum (default) or another")
        ->type_name("sum|avg|min|max|prod");
    app.add_option("--algorithms", request->algorithms,
                   "rows of 'laconic info --algorithms' (default: stock and --algorithm, or all); one alone is shown "
                   "with a histogram")
        ->type_name("A,B")
        ->delimiter(',');
    app.add_option("--data", request->data, "field: raw little-endian array, tiled from another offset on every rank")
        ->type_name("FILE")
        ->required();
    request->type.declare(app, true);
    app.add_option("--bytes", request->bytes,
                   "uncompressed bytes of the buffer, e.g. 16M (default): on each rank; the whole result of allgather "
                   "and gather, the whole source of scatter")
        ->type_name("SIZE");
    request->limit.declare(app, true);
    declare_options(app, shared_options);
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
