// SPDX-License-Identifier: BSD-3-Clause
// laconic dump: a trace flows in, every call of one rank or of all flows out, a line each, as it is decoded.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/signature_text.hpp"
#include "cli/trace_input.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

struct request_of_dump {
    std::string in;
    std::int64_t rank = -1;
    std::uint64_t first = 0;
    std::uint64_t most = ~std::uint64_t{0};
    bool json = false;
    bool raw = false;
};

std::string hexadecimal(std::span<const std::byte> bytes) {
    std::string all;
    for (const std::byte each : bytes) all += fmt::format("{:02x}", static_cast<unsigned>(each));
    return all;
}

void print_call(const request_of_dump& request, std::uint32_t rank, std::uint64_t number, const trace_call& call) {
    if (request.json) {
        const described_call about = described(call.signature);
        json line{{"rank", rank}, {"call", number}, {"function", about.function}};
        if (about.thread != 0) line["thread"] = about.thread;
        line["arguments"] = about.arguments;
        if (call.timed) {
            line["start_ns"] = call.start_ns;
            line["duration_ns"] = call.duration_ns;
        }
        if (request.raw) line["signature"] = hexadecimal(call.signature);
        fmt::print("{}\n", line.dump(-1, ' ', false, json::error_handler_t::replace));
        return;
    }
    const std::string times =
        call.timed ? fmt::format(" {} ns +{} ns", call.start_ns, call.duration_ns) : std::string();
    fmt::print("{} {}{} {}\n", rank, number, times,
               request.raw ? hexadecimal(call.signature) : text_of(described(call.signature)));
}

int run(const request_of_dump& request) {
    const trace_file file = open_trace(request.in);
    std::vector<std::uint32_t> ranks = file.ranks();
    if (request.rank >= 0) {
        if (std::find(ranks.begin(), ranks.end(), request.rank) == ranks.end())
            fail_usage(fmt::format("--rank {}: the trace has ranks 0 to {}", request.rank, file.facts().ranks - 1));
        ranks = {static_cast<std::uint32_t>(request.rank)};
    }
    constexpr std::uint64_t endless = ~std::uint64_t{0};
    const std::uint64_t end = request.most > endless - request.first ? endless : request.first + request.most;
    for (const std::uint32_t rank : ranks) {
        trace_calls calls = value_or_fail(file.calls_of(rank), request.in);
        for (std::uint64_t number = 0; number < end && !calls.at_end(); ++number) {
            const trace_call call = value_or_fail(calls.next(), request.in);
            if (number >= request.first) print_call(request, rank, number, call);
        }
    }
    return exit_ok;
}

}  // namespace

action declare_dump(CLI::App& app) {
    auto request = std::make_shared<request_of_dump>();
    app.add_option("TRACE", request->in, "trace, part file, or directory of part files")->type_name("FILE")->required();
    app.add_option("--rank", request->rank, "only this rank")->type_name("RANK")->check(CLI::NonNegativeNumber);
    app.add_option("--from", request->first, "of each rank, from this call on, counted from 0")->type_name("N");
    app.add_option("--calls", request->most, "of each rank, at most so many calls")->type_name("N");
    app.add_flag("--json", request->json, "print one JSON object per line");
    app.add_flag("--raw", request->raw, "print the bytes of signatures in hexadecimal");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
