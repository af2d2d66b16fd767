// SPDX-License-Identifier: BSD-3-Clause
// laconic diff: two traces flow in; whether they hold the same calls but for their times, and where they part, flows
// out. Exit code 0: equal; 1: not.
#include <fmt/format.h>

#include <memory>

#include "cli/signature_text.hpp"
#include "cli/trace_input.hpp"

namespace laconic::cli {
namespace {

struct request_of_diff {
    std::string first, second;
    bool json = false;
};

/// The call in words; "no call" where the rank has ended.
std::string call_at(const trace_file& file, const std::string& path, std::uint32_t rank, std::uint64_t number) {
    trace_calls calls = value_or_fail(file.calls_of(rank), path);
    for (std::uint64_t i = 0; !calls.at_end(); ++i) {
        const trace_call call = value_or_fail(calls.next(), path);
        if (i == number) return text_of(described(call.signature));
    }
    return "no call";
}

int run(const request_of_diff& request) {
    const trace_file first = open_trace(request.first);
    const trace_file second = open_trace(request.second);
    const trace_difference found = value_or_fail(difference(first, second), request.first);
    const bool same_ranks = first.ranks() == second.ranks();
    std::string here, there;
    if (!found.equal && same_ranks) {
        here = call_at(first, request.first, found.rank, found.call);
        there = call_at(second, request.second, found.rank, found.call);
    }
    if (request.json) {
        nlohmann::ordered_json object{{"equal", found.equal}};
        if (!found.equal) {
            object["text"] = found.text;
            if (same_ranks) {
                object["rank"] = found.rank;
                object["call"] = found.call;
                object["first"] = here;
                object["second"] = there;
            }
        }
        fmt::print("{}\n", object.dump(2));
    } else if (found.equal) {
        fmt::print("equal: {} calls of {} ranks\n", first.facts().calls, first.facts().ranks_there);
    } else {
        fmt::print("{}\n", found.text);
        if (same_ranks) fmt::print("  {}: {}\n  {}: {}\n", request.first, here, request.second, there);
    }
    return found.equal ? exit_ok : exit_data;
}

}  // namespace

action declare_diff(CLI::App& app) {
    auto request = std::make_shared<request_of_diff>();
    app.add_option("FIRST", request->first, "a trace")->type_name("FILE")->required();
    app.add_option("SECOND", request->second, "another")->type_name("FILE")->required();
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
