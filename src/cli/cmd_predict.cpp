// SPDX-License-Identifier: BSD-3-Clause
// laconic predict: an operation, sizes, a ratio and a machine flow in; the time of every row of the algorithm table,
// its parts and what it gains over stock flow out, as a table or as JSON. Nothing is measured and no MPI is needed.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/model_rows.hpp"
#include "cli/table_options.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"
#include "model/select.hpp"

namespace laconic::cli {
namespace {

using base::option_id;
using json = nlohmann::ordered_json;

struct predict_request {
    const CLI::App* app = nullptr;  ///< knows the flags of the option table
    std::string op = "allreduce";
    std::string bytes, ranks, nodes, alpha, beta, ratio;
    std::string growth = "1";
    std::string type = "f32";
    bool crossover = false;
    bool json = false;
};

/// Everything that the model wants to know.
struct prepared {
    collective::operation op{};
    model::machine where;
    std::string machine_name;  ///< "" for the built-in one
    model::question what;
    std::vector<model::cell> candidates;
};

template <class T>
T taken(std::string_view flag, const result<T>& got) {
    if (!got) fail_usage(fmt::format("{}: {}", flag, got.error().context()));
    return *got;
}

int count_of(std::string_view flag, const std::string& text) {
    const std::uint64_t number = whole_number(flag, text);
    constexpr int most = 100'000'000;
    if (number < 1 || number > most) fail_usage(fmt::format("{} is '{}'; give 1 to {}", flag, text, most));
    return static_cast<int>(number);
}

double number_between(double least, double most, std::string_view flag, const std::string& text,
                      std::string_view remedy) {
    const result<double> number = base::parse_bound(text);
    if (!number || *number < least || *number > most) fail_usage(fmt::format("{} is '{}'; {}", flag, text, remedy));
    return *number;
}

unsigned element_bytes(const std::string& type) {
    if (const auto named = codec::element_named(type)) return static_cast<unsigned>(size_of(*named));
    fail_usage(fmt::format("--type is '{}'; use f32 (float), f64 (double), f16 or bf16", type));
}

prepared prepare(const predict_request& request) {
    prepared ready;
    ready.op = taken("--op", collective::operation_named(request.op));
    const base::option_set options =
        resolve_options(*request.app, {option_id::machine, option_id::segment_bytes, option_id::codec_threads});
    ready.machine_name = options.text(option_id::machine);
    ready.where = model::default_machine();
    if (!ready.machine_name.empty()) {
        const result<model::machine> loaded = model::load_machine(ready.machine_name);
        if (!loaded && loaded.error().code() == errc::io) fail_data(loaded.error().context());
        ready.where = taken(options.origin(option_id::machine), loaded);
    }
    if (!request.alpha.empty()) ready.where.inter.alpha_s = taken("--alpha", base::parse_time(request.alpha));
    if (ready.where.inter.alpha_s > 100) fail_usage(fmt::format("--alpha is '{}'; give at most 100s", request.alpha));
    if (!request.beta.empty()) {
        const double rate = taken("--beta", base::parse_rate(request.beta));
        if (rate < 1e3 || rate > 1e15) fail_usage(fmt::format("--beta is '{}'; give 1kB/s to 1000TB/s", request.beta));
        ready.where.inter.beta_s_per_byte = 1 / rate;
        ready.where.host_beta_s_per_byte = ready.where.inter.beta_s_per_byte;
    }
    if (request.bytes.empty() && !request.crossover)
        fail_usage("no size; give --bytes SIZE, or --crossover to look for one");
    model::question& what = ready.what;
    what.op = ready.op;
    if (!request.bytes.empty()) what.bytes = taken("--bytes", base::parse_bytes(request.bytes));
    if (!request.bytes.empty() && what.bytes == 0)
        fail_usage(fmt::format("--bytes is '{}'; give at least 1 byte", request.bytes));
    what.ranks = count_of("--ranks", request.ranks);
    what.nodes = request.nodes.empty() ? what.ranks : count_of("--nodes", request.nodes);
    if (what.nodes > what.ranks)
        fail_usage(fmt::format("--nodes is '{}'; give 1 to {}, the number of ranks", request.nodes, what.ranks));
    what.ratio = number_between(1, 1e9, "--ratio", request.ratio, "give original / compressed size, 1 to 1e9");
    what.growth_bits = number_between(0, 64, "--growth", request.growth, "give 0 to 64");
    what.element_bytes = element_bytes(request.type);
    what.segment_bytes = options.bytes(option_id::segment_bytes);
    what.threads = std::max(1U, codec_threads_of(options));
    if (const status good = model::check(what); !good.ok()) fail_usage(good.context());
    ready.candidates = model_rows(ready.op, what.element_bytes);
    return ready;
}

/// JSON has no infinity; a size that no row wins at is null.
json size_or_null(std::uint64_t bytes) { return bytes == model::never ? json(nullptr) : json(bytes); }

json row_json(const prepared& ready, const model::prediction& row) {
    const model::cost& time = row.time;
    return {{"algorithm", collective::name_of(ready.op, row.what)},
            {"seconds", time.total_s},
            {"speedup_vs_stock", row.speedup},
            {"agreement_s", time.agreement_s},
            {"latency_s", time.latency_s},
            {"wire_s", time.wire_s},
            {"compress_s", time.compress_s},
            {"combine_s", time.combine_s},
            {"decompress_s", time.decompress_s},
            {"copy_s", time.copy_s}};
}

void print_json(const predict_request& request, const prepared& ready) {
    const model::question& what = ready.what;
    json object{{"op", collective::name_of(ready.op)},
                {"ranks", what.ranks},
                {"nodes", what.nodes},
                {"ratio", what.ratio},
                {"growth_bits", what.growth_bits},
                {"element_bytes", what.element_bytes},
                {"segment_bytes", what.segment_bytes},
                {"codec_threads", what.threads},
                {"machine", ready.machine_name.empty() ? json(nullptr) : json(ready.machine_name)}};
    if (!request.bytes.empty()) {
        const model::choice best = model::select_as_auto(ready.where, what, ready.candidates);
        object["bytes"] = what.bytes;
        object["chosen"] = collective::name_of(ready.op, model::as_run(best.what, what.bytes));
        object["rows"] = json::array();
        for (const model::prediction& row : model::ranking(ready.where, what, ready.candidates))
            object["rows"].push_back(row_json(ready, row));
    }
    if (request.crossover) {
        object["crossover_bytes"] = size_or_null(model::smallest_win(ready.where, what, ready.candidates));
        object["interesting_from_bytes"] =
            size_or_null(model::smallest_interesting_bytes(ready.where, what, ready.candidates));
    }
    fmt::print("{}\n", object.dump(2));
}

void print_ranking(const prepared& ready) {
    const model::question& what = ready.what;
    std::vector<std::vector<std::string>> table{
        {"algorithm", "time", "vs stock", "latency", "wire", "compress", "combine", "decompress", "copy"}};
    for (const model::prediction& row : model::ranking(ready.where, what, ready.candidates)) {
        const model::cost& time = row.time;
        const auto part = [](double seconds) { return seconds > 0 ? base::human_time(seconds) : "-"; };
        table.push_back({collective::name_of(ready.op, row.what), base::human_time(time.total_s),
                         fmt::format("{:.2f}x", row.speedup), part(time.agreement_s + time.latency_s),
                         part(time.wire_s), part(time.compress_s), part(time.combine_s), part(time.decompress_s),
                         part(time.copy_s)});
    }
    print_table(table, 1);
    const model::choice best = model::select_as_auto(ready.where, what, ready.candidates);
    fmt::print("auto takes {}\n", bold(collective::name_of(ready.op, model::as_run(best.what, what.bytes))));
    fmt::print("{}\n",
               dim(fmt::format("{}, {}, {} ranks on {} nodes, ratio {:g}, machine: {}; parts overlap",
                               collective::name_of(ready.op), base::human_bytes(what.bytes), what.ranks, what.nodes,
                               what.ratio, ready.machine_name.empty() ? "built in" : ready.machine_name)));
}

void print_crossover(const prepared& ready) {
    const std::uint64_t bytes = model::smallest_win(ready.where, ready.what, ready.candidates);
    if (bytes == model::never) {
        fmt::print("crossover: none; stock MPI is never beaten by 3 % at ratio {:g}\n", ready.what.ratio);
        return;
    }
    model::question at = ready.what;
    at.bytes = bytes;
    const model::choice best = model::select(ready.where, at, ready.candidates);
    fmt::print("crossover: {} bytes ({}), by {}\n", bytes, base::human_bytes(bytes),
               collective::name_of(ready.op, best.what));
}

int run(const predict_request& request) {
    const prepared ready = prepare(request);
    if (request.json) {
        print_json(request, ready);
        return exit_ok;
    }
    if (!request.bytes.empty()) print_ranking(ready);
    if (request.crossover) print_crossover(ready);
    return exit_ok;
}

}  // namespace

action declare_predict(CLI::App& app) {
    auto request = std::make_shared<predict_request>();
    request->app = &app;
    app.add_option("--op", request->op, "the collective (default allreduce)")
        ->type_name("allreduce|reduce|reduce_scatter|allgather|gather|scatter|bcast|alltoall");
    app.add_option("--bytes", request->bytes,
                   "uncompressed bytes: of each rank's array; of the whole result (allgather, gather) or source "
                   "(scatter, bcast)")
        ->type_name("SIZE");
    app.add_option("--ranks", request->ranks, "how many ranks")->type_name("N")->required();
    app.add_option("--nodes", request->nodes, "nodes they share evenly (default: one for each rank)")->type_name("N");
    app.add_option("--ratio", request->ratio,
                   "original / compressed size of one rank's array with fle (of the other codecs the machine knows how "
                   "much more they send)")
        ->type_name("R")
        ->required();
    app.add_option("--growth", request->growth,
                   "bits that a value of a sum grows by when the contributions double: 1 (default) for similar ones, "
                   "0.5 for independent ones")
        ->type_name("BITS");
    app.add_option("--type", request->type, "element type (default f32)")->type_name("f32|f64|f16|bf16");
    app.add_option("--alpha", request->alpha, "latency between nodes, e.g. 1.5us, instead of the machine's")
        ->type_name("TIME");
    app.add_option("--beta", request->beta, "bandwidth of a node, e.g. 12.5GB/s or 100Gbit/s, instead of the machine's")
        ->type_name("RATE");
    declare_options(app, {option_id::machine, option_id::segment_bytes, option_id::codec_threads});
    app.add_flag("--crossover", request->crossover, "print the smallest size at which a row beats stock by 3 %");
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
