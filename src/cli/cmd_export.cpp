// SPDX-License-Identifier: BSD-3-Clause
// laconic export: a trace flows in, a file for another tool flows out, call by call.
#include <fmt/format.h>

#include <memory>

#include "cli/files.hpp"
#include "cli/trace_export.hpp"
#include "cli/trace_input.hpp"

namespace laconic::cli {
namespace {

struct request_of_export {
    std::string in, out, to;
};

int run(const request_of_export& request) {
    const trace_file file = open_trace(request.in);
    output_file out(request.out);
    std::string waiting;
    constexpr std::size_t piece_bytes = std::size_t{1} << 20;
    const auto flush = [&] {
        out.write(std::as_bytes(std::span(waiting)));
        waiting.clear();
    };
    const auto exporter = exporter_named(request.to, [&](std::string_view text) {
        waiting += text;
        if (waiting.size() >= piece_bytes) flush();
    });
    if (exporter == nullptr) fail_usage(fmt::format("--to {}: use chrome, csv or smpi", request.to));
    exporter->begin();
    for (const std::uint32_t rank : file.ranks()) {
        trace_calls calls = value_or_fail(file.calls_of(rank), request.in);
        for (std::uint64_t number = 0; !calls.at_end(); ++number) {
            const trace_call call = value_or_fail(calls.next(), request.in);
            exporter->call(rank, number, call, described(call.signature));
        }
    }
    exporter->end();
    flush();
    out.commit();
    if (const std::string missing = exporter->left_out(); !missing.empty())
        fmt::print(stderr, "laconic export: {} has no form for: {}\n", request.to, missing);
    return exit_ok;
}

}  // namespace

action declare_export(CLI::App& app) {
    auto request = std::make_shared<request_of_export>();
    app.add_option("TRACE", request->in, "trace, part file, or directory of part files")->type_name("FILE")->required();
    app.add_option("--to", request->to, "format: chrome, csv or smpi")->type_name("FORMAT")->required();
    app.add_option("-o,--output", request->out, "file to write, or - for standard output")
        ->type_name("FILE")
        ->required();
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
