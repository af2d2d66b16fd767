// SPDX-License-Identifier: BSD-3-Clause
// laconic-<flavour> audit: a field and a list of algorithms flow in on every rank of an mpiexec; rank 0 prints, as a
// table or JSON, how far each result is from the exact one, beside what was promised and predicted. A broken promise
// is an exit code of 1.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.hpp"
#include "cli/audit_print.hpp"
#include "cli/audit_rows_mpi.hpp"
#include "cli/collective_arguments_mpi.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"

namespace laconic::cli {
namespace {

using base::option_id;

struct audit_request {
    collective_arguments arguments;
    bool json = false;
};

void print_json(const audit_request& request, const collective_work& audit, int ranks,
                const std::vector<audited_row>& rows) {
    nlohmann::ordered_json object{{"op", request.arguments.op()},
                                  {"reduction", request.arguments.reduction()},
                                  {"ranks", ranks},
                                  {"bytes", bytes_that_run(audit, ranks)},
                                  {"type", codec::name_of(audit.type)},
                                  {"scope", scope_name(audit.settings.options.bound_scope)},
                                  {"flavour", LACONIC_FLAVOUR},
                                  {"normal_fractions", normal_fractions},
                                  {"rows", nlohmann::ordered_json::array()}};
    for (const audited_row& row : rows) object["rows"].push_back(audit_json(row));
    fmt::print("{}\n", object.dump(2));
}

void print_text(const audit_request& request, const collective_work& audit, int ranks,
                const std::vector<audited_row>& rows) {
    if (rows.size() == 1)
        print_audit(rows[0]);
    else
        print_audits(rows);
    const operation op = audit.settings.op;
    const bool reduces = op == operation::allreduce || op == operation::reduce || op == operation::reduce_scatter;
    fmt::print("{}\n",
               dim(fmt::format("{}{} over {} ranks, buffers of {} of {}, scope {}; in 2 sigma of a normal "
                               "distribution are {:.2f} %",
                               request.arguments.op(), reduces ? " (" + request.arguments.reduction() + ")" : "", ranks,
                               base::human_bytes(bytes_that_run(audit, ranks)), codec::name_of(audit.type),
                               scope_name(audit.settings.options.bound_scope), 100 * normal_fractions[1])));
}

int audit_and_print(const audit_request& request, collective_work& audit, int rank, int ranks) {
    const auto rows = codec::with_element(audit.type, [&](auto zero) {
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
    std::optional<collective_work> audit;
    together todo;
    todo.name = "audit";
    todo.prepare = [&] { audit = request.arguments.prepare(false); };
    todo.settings = [&] { return request.arguments.fingerprint(*audit); };
    todo.run = [&](int rank, int ranks) { return audit_and_print(request, *audit, rank, ranks); };
    return run_together(todo);
}

}  // namespace

action declare_audit(CLI::App& app) {
    auto request = std::make_shared<audit_request>();
    static constexpr auto options = {
        option_id::algorithm,      option_id::scope,         option_id::confidence, option_id::segment_bytes,
        option_id::ranks_per_node, option_id::shared_memory, option_id::machine,    option_id::rate};
    request->arguments.declare(app, {.algorithms_hint = "; one alone is shown with a histogram",
                                     .bytes = "16M",
                                     .offers_16_bit = true,
                                     .options = options});
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
