// SPDX-License-Identifier: BSD-3-Clause
// laconic add: two frames flow in, the frame of their sum flows out, taken on the compressed form.
#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic::cli {
namespace {

struct add_request {
    std::string a, b, out;
};

/// Opens and verifies both before adding, so that a message names the frame that is at fault.
frame_info verified(const std::string& path, const buffer& frame) {
    const result<frame_info> about = inspect(frame.bytes());
    if (!about) fail_data(fmt::format("'{}' is no usable frame: {}", path, about.error().message()));
    return *about;
}

int run(const add_request& request) {
    if (request.a == "-" && request.b == "-") fail_usage("both A and B are -; only one can be standard input");
    output_file out(request.out);
    const buffer a = read_file(request.a);
    const buffer b = read_file(request.b);
    const frame_info about_a = verified(request.a, a);
    const frame_info about_b = verified(request.b, b);
    if (about_a.type != about_b.type || about_a.count != about_b.count)
        fail_data(fmt::format("'{}' holds {} x {} and '{}' holds {} x {}; add frames of equal type and count",
                              request.a, about_a.count, name_of(about_a.type), request.b, about_b.count,
                              name_of(about_b.type)));
    if (about_a.step != about_b.step)
        fail_data(fmt::format("'{}' has step {} and '{}' has step {}; compress both with the same --abs and --max-abs",
                              request.a, about_a.step, request.b, about_b.step));
    buffer sum(sum_bound(about_a.type, about_a.count));
    const result<std::size_t> size = laconic::add(a.bytes(), b.bytes(), sum.bytes());
    if (!size) fail_data(fmt::format("cannot add '{}' and '{}': {}", request.a, request.b, size.error().message()));
    sum.truncate(*size);
    out.write(sum.bytes());
    out.commit();
    return exit_ok;
}

}  // namespace

action declare_add(CLI::App& app) {
    auto request = std::make_shared<add_request>();
    app.add_option("A", request->a, "frame, or - for standard input")->type_name("FILE")->required();
    app.add_option("B", request->b, "frame of the same type, count and step, or -")->type_name("FILE")->required();
    app.add_option("-o,--output", request->out, "frame to write, or - for standard output")
        ->type_name("FILE")
        ->required();
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
