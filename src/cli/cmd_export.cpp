// SPDX-License-Identifier: BSD-3-Clause
// laconic export: a trace flows in, a file for another tool flows out, call by call.
#include <fmt/format.h>

#include <memory>

#include "cli/files.hpp"
#include "cli/trace_export.hpp"
#include "cli/trace_input.hpp"
#include "cli/trace_otf2.hpp"

namespace laconic::cli {
namespace {

struct request_of_export {
    std::string in, out, to;
};

/// A folder, not a stream of text.
int run_otf2(const request_of_export& request) {
    if (!has_otf2())
        fail_usage(
            "--to otf2: this laconic was built without OTF2; install libopen-trace-format2-dev, 3.0 or later, and "
            "build it again");
    if (request.out == "-") fail_usage("-o -: an OTF2 archive is a folder; give -o its name");
    const otf2_outcome outcome = export_otf2(open_trace(request.in), request.in, request.out);
    if (outcome.counts_calls)
        fmt::print(
            stderr,
            "laconic export: the trace has no times of single calls: the archive's clock counts the calls of each "
            "rank; record with --timing lossless or lossy\n");
    if (outcome.left_out > 0)
        fmt::print(stderr,
                   "laconic export: {} messages and collectives are left out: the trace does not tell who is in their "
                   "communicators\n",
                   outcome.left_out);
    return exit_ok;
}

int run(const request_of_export& request) {
    if (request.to == "otf2") return run_otf2(request);
    const trace_file file = open_trace(request.in);
    output_file out(request.out);
    std::string waiting;
    constexpr std::size_t piece_bytes = std::size_t{1} << 20;
    const auto flush = [&] {
        out.write(std::as_bytes(std::span(waiting)));
        waiting.clear();
    };
    const text_sink sink = [&](std::string_view text) {
        waiting += text;
        if (waiting.size() >= piece_bytes) flush();
    };
    if (request.to == "smpi") {
        const std::string missing = export_smpi(file, request.in, sink);
        flush();
        out.commit();
        if (!missing.empty()) fmt::print(stderr, "laconic export: smpi has no form for: {}\n", missing);
        return exit_ok;
    }
    const auto exporter = exporter_named(request.to, sink);
    if (exporter == nullptr) fail_usage(fmt::format("--to {}: use chrome, csv, otf2 or smpi", request.to));
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
    return exit_ok;
}

}  // namespace

action declare_export(CLI::App& app) {
    auto request = std::make_shared<request_of_export>();
    app.add_option("TRACE", request->in, "trace, part file, or directory of part files")->type_name("FILE")->required();
    app.add_option("--to", request->to, "format: chrome, csv, otf2 or smpi")->type_name("FORMAT")->required();
    app.add_option("-o,--output", request->out, "file to write, or - for standard output; otf2: folder to make")
        ->type_name("FILE")
        ->required();
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
