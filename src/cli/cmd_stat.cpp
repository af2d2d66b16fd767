// SPDX-License-Identifier: BSD-3-Clause
// laconic stat: a trace flows in; how much it holds, how small it is, and which functions were called how often flows
// out.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_input.hpp"
#include "laconic/trace_arguments.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

struct request_of_stat {
    std::string in;
    bool json = false;
};

json durations_json(const call_durations& of) {
    if (of.count == 0) return nullptr;
    return {{"count", of.count},
            {"mean_ns", static_cast<double>(of.sum_ns) / static_cast<double>(of.count)},
            {"min_ns", of.min_ns},
            {"max_ns", of.max_ns},
            {"histogram", of.histogram}};
}

void print_json(const trace_file& file) {
    const trace_facts& facts = file.facts();
    json texts = json::object();
    for (const auto& [key, value] : facts.texts) texts[key] = value;
    json calls = json::array();
    for (const function_summary& each : file.functions())
        calls.push_back({{"function", trace_function_name(each.function)},
                         {"number", each.function},
                         {"calls", each.calls},
                         {"signatures", each.signatures},
                         {"durations", durations_json(each.durations)}});
    const json object{{"ranks", facts.ranks},
                      {"ranks_there", facts.ranks_there},
                      {"calls", facts.calls},
                      {"signatures", facts.signatures},
                      {"grammars", facts.grammars},
                      {"rules", facts.rules},
                      {"expressions", facts.expressions},
                      {"file_bytes", facts.file_bytes},
                      {"core_bytes", facts.core_bytes},
                      {"timing_bytes", facts.timing_bytes},
                      {"timing", facts.timing},
                      {"timing_method", facts.timing_method},
                      {"complete", facts.complete},
                      {"texts", texts},
                      {"functions", calls}};
    fmt::print("{}\n", object.dump(2, ' ', false, json::error_handler_t::replace));
}

std::string time_text(double ns) { return base::human_time(ns * 1e-9); }

void print_text(const trace_file& file) {
    const trace_facts& facts = file.facts();
    std::vector<std::pair<std::string, std::string>> pairs{
        {"ranks", facts.ranks_there == facts.ranks ? fmt::format("{}", facts.ranks)
                                                   : fmt::format("{} of {}", facts.ranks_there, facts.ranks)},
        {"calls", fmt::format("{}", facts.calls)},
        {"signatures", fmt::format("{}", facts.signatures)},
        {"grammars",
         fmt::format("{} ({} rules, {} expressions of the rank)", facts.grammars, facts.rules, facts.expressions)},
        {"size", fmt::format("{} ({} bytes; {} without times of single calls)", base::human_bytes(facts.file_bytes),
                             facts.file_bytes, facts.file_bytes - facts.timing_bytes)},
        {"times", facts.timing == "mean"    ? "statistics"
                  : facts.timing == "lossy" ? fmt::format("lossy ({})", facts.timing_method)
                                            : facts.timing}};
    if (!facts.complete) pairs.emplace_back("complete", "no: the program did not come to its end, or still runs");
    for (const auto& [key, value] : facts.texts) pairs.emplace_back(key, value);
    print_pairs(pairs);
    bool timed = false;
    for (const function_summary& each : file.functions()) timed |= each.durations.count > 0;
    std::vector<std::vector<std::string>> rows{{"function", "calls", "signatures"}};
    if (timed) rows.front().insert(rows.front().end(), {"mean", "min", "max", "total"});
    for (const function_summary& each : file.functions()) {
        auto& row = rows.emplace_back();
        row = {trace_function_name(each.function), fmt::format("{}", each.calls), fmt::format("{}", each.signatures)};
        if (!timed) continue;
        const call_durations& of = each.durations;
        if (of.count == 0) {
            row.insert(row.end(), 4, "-");
            continue;
        }
        const auto sum = static_cast<double>(of.sum_ns);
        row.insert(row.end(),
                   {time_text(sum / static_cast<double>(of.count)), time_text(static_cast<double>(of.min_ns)),
                    time_text(static_cast<double>(of.max_ns)), time_text(sum)});
    }
    fmt::print("\n");
    print_table(rows, 1);
}

}  // namespace

action declare_stat(CLI::App& app) {
    auto request = std::make_shared<request_of_stat>();
    app.add_option("TRACE", request->in, "trace, part file, or directory of part files")->type_name("FILE")->required();
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] {
        const trace_file file = open_trace(request->in);
        request->json ? print_json(file) : print_text(file);
        return exit_ok;
    };
}

}  // namespace laconic::cli
