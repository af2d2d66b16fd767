// SPDX-License-Identifier: BSD-3-Clause
// laconic inspect: a frame flows in, what it says about itself and what its blocks add up to flows out.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

struct request_of_inspect {
    std::string in;
    bool json = false;
};

double ratio_of(const frame_info& about) {
    const auto raw_bytes = static_cast<double>(about.count) * static_cast<double>(size_of(about.type));
    return raw_bytes / static_cast<double>(about.frame_bytes);
}

void print_json(const frame_info& about) {
    const nlohmann::ordered_json object{{"version", about.version},
                                        {"type", name_of(about.type)},
                                        {"count", about.count},
                                        {"bound", about.bound},
                                        {"step", about.step},
                                        {"contributions", about.contributions},
                                        {"magnitude", about.magnitude},
                                        {"frame_bytes", about.frame_bytes},
                                        {"ratio", ratio_of(about)},
                                        {"blocks", about.blocks},
                                        {"zero_blocks", about.zero_blocks},
                                        {"raw_blocks", about.raw_blocks},
                                        {"exact_sums", about.exact_sums},
                                        {"checksummed", about.checksummed}};
    fmt::print("{}\n", object.dump(2));
}

void print_text(const frame_info& about) {
    print_pairs({
        {"format version", fmt::format("{}", about.version)},
        {"values", fmt::format("{} x {}", about.count, name_of(about.type))},
        {"bound", about.bound == 0 ? "0 (lossless)" : fmt::format("{}", about.bound)},
        {"step", fmt::format("{}", about.step)},
        {"contributions", fmt::format("{}", about.contributions)},
        {"largest integer", fmt::format("{}", about.magnitude)},
        {"size", fmt::format("{} ({} bytes)", base::human_bytes(about.frame_bytes), about.frame_bytes)},
        {"ratio", fmt::format("{:.2f}", ratio_of(about))},
        {"blocks", fmt::format("{} ({} zero, {} raw)", about.blocks, about.zero_blocks, about.raw_blocks)},
        {"checksum", about.checksummed ? "XXH3-64, verified" : "none"},
        {"sums", about.exact_sums ? "exact" : "raw values were added with rounding"},
    });
}

int run(const request_of_inspect& request) {
    const buffer frame = read_file(request.in);
    const result<frame_info> about = inspect(frame.bytes());
    if (!about) fail_data(fmt::format("'{}' is no usable frame: {}", request.in, about.error().message()));
    request.json ? print_json(*about) : print_text(*about);
    return exit_ok;
}

}  // namespace

action declare_inspect(CLI::App& app) {
    auto request = std::make_shared<request_of_inspect>();
    app.add_option("IN", request->in, "frame, or - for standard input")->type_name("FILE")->required();
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
