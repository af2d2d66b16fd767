// SPDX-License-Identifier: BSD-3-Clause
// laconic add, subtract, minimum, maximum, scale, negate: one or two files of frames flow in, the frames of the result
// flow out, computed on the compressed form, frame by frame.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/frame_input.hpp"
#include "codec/element.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic::cli {
namespace {

using bytes_in = std::span<const std::byte>;
using bytes_out = std::span<std::byte>;
using binary_function = result<std::size_t> (*)(bytes_in, bytes_in, bytes_out, const run_options&);

struct binary_operation {
    std::string_view verb;  ///< as in "cannot add A and B"
    binary_function apply;
};

struct arithmetic_request {
    std::string a, b, out;
    std::string factor;
    threads_argument threads;
};

/// What can be said better here than by the library, which knows no names of files.
void check_pair(const binary_operation& operation, const frame_input& a, const frame_input& b) {
    const frame_info &of_a = a.about(), &of_b = b.about();
    const bool alone = a.frames() == 1 && a.at_end() && b.at_end();
    if (of_a.type != of_b.type || (alone && of_a.count != of_b.count))
        fail_data(fmt::format("{} holds {} x {} and {} holds {} x {}; {} frames of equal type and count",
                              a.name_of_frame(), of_a.count, codec::name_of(of_a.type), b.name_of_frame(), of_b.count,
                              codec::name_of(of_b.type), operation.verb));
    if (of_a.count != of_b.count)
        fail_data(
            fmt::format("{} holds {} values and {} holds {}; both files need frames of the same lengths: compress "
                        "both with the same --segment",
                        a.name_of_frame(), of_a.count, b.name_of_frame(), of_b.count));
    if (of_a.step != of_b.step)
        fail_data(fmt::format("{} has step {} and {} has step {}; compress both with the same --abs and --max-abs",
                              a.name_of_frame(), of_a.step, b.name_of_frame(), of_b.step));
}

/// The next frame of both; false when both are at their end.
bool next_pair(frame_input& a, frame_input& b) {
    const bool more_a = a.next(), more_b = b.next();
    if (more_a == more_b) return more_a;
    const frame_input &longer = more_a ? a : b, &shorter = more_a ? b : a;
    fail_data(
        fmt::format("'{}' has {} frames and '{}' has more; both files need frames of the same lengths: compress "
                    "both with the same --segment",
                    shorter.path(), shorter.frames(), longer.path()));
}

int run_binary(const binary_operation& operation, const arithmetic_request& request) {
    if (request.a == "-" && request.b == "-") fail_usage("both A and B are -; only one can be standard input");
    const run_options how = request.threads.value();
    output_file out(request.out);
    // One bar is enough: both files are read at the same pace.
    frame_input a(request.a, "reading"), b(request.b, "");
    while (next_pair(a, b)) {
        check_pair(operation, a, b);
        buffer frame(sum_bound(a.about().type, static_cast<std::size_t>(a.about().count)));
        const result<std::size_t> size = operation.apply(a.frame(), b.frame(), frame.bytes(), how);
        if (!size)
            fail_data(fmt::format("cannot {} {} and {}: {}", operation.verb, a.name_of_frame(), b.name_of_frame(),
                                  size.error().message()));
        out.write(frame.bytes().first(*size));
    }
    out.commit();
    return exit_ok;
}

int run_scale(const arithmetic_request& request, std::int32_t factor, std::string_view verb) {
    const run_options how = request.threads.value();
    output_file out(request.out);
    frame_input in(request.a, "reading");
    while (in.next()) {
        buffer frame(sum_bound(in.about().type, static_cast<std::size_t>(in.about().count)));
        const result<std::size_t> size = laconic::scale(in.frame(), factor, frame.bytes(), how);
        if (!size) fail_data(fmt::format("cannot {} {}: {}", verb, in.name_of_frame(), size.error().message()));
        out.write(frame.bytes().first(*size));
    }
    out.commit();
    return exit_ok;
}

std::int32_t factor_of(const std::string& text) {
    std::int32_t factor = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, factor);
    if (error != std::errc{} || rest != end)
        fail_usage(fmt::format("FACTOR is '{}'; give a whole number from {} to {}", text, INT32_MIN, INT32_MAX));
    return factor;
}

void declare_output(CLI::App& app, arithmetic_request& request) {
    app.add_option("-o,--output", request.out, "frame to write, or - for standard output")
        ->type_name("FILE")
        ->required();
    request.threads.declare(app);
}

action declare_binary(CLI::App& app, binary_operation operation) {
    auto request = std::make_shared<arithmetic_request>();
    app.add_option("A", request->a, "frame or sequence of frames, or - for standard input")
        ->type_name("FILE")
        ->required();
    app.add_option("B", request->b, "the same with equal type, lengths and step, or -")->type_name("FILE")->required();
    declare_output(app, *request);
    return [request, operation] { return run_binary(operation, *request); };
}

std::shared_ptr<arithmetic_request> declare_operand(CLI::App& app) {
    auto request = std::make_shared<arithmetic_request>();
    app.add_option("A", request->a, "frame or sequence of frames, or - for standard input")
        ->type_name("FILE")
        ->required();
    return request;
}

}  // namespace

action declare_add(CLI::App& app) { return declare_binary(app, {"add", laconic::add}); }
action declare_subtract(CLI::App& app) { return declare_binary(app, {"subtract", laconic::subtract}); }
action declare_minimum(CLI::App& app) { return declare_binary(app, {"take the minimum of", laconic::minimum}); }
action declare_maximum(CLI::App& app) { return declare_binary(app, {"take the maximum of", laconic::maximum}); }

action declare_scale(CLI::App& app) {
    auto request = declare_operand(app);
    app.add_option("FACTOR", request->factor, "whole number, also negative; the bound grows by its magnitude")
        ->type_name("N")
        ->required();
    declare_output(app, *request);
    return [request] { return run_scale(*request, factor_of(request->factor), "scale"); };
}

action declare_negate(CLI::App& app) {
    auto request = declare_operand(app);
    declare_output(app, *request);
    return [request] { return run_scale(*request, -1, "negate"); };
}

}  // namespace laconic::cli
