// SPDX-License-Identifier: BSD-3-Clause
// laconic compress: a raw little-endian array flows in, a frame flows out. laconic decompress: the way back.
#include <fmt/format.h>

#include <memory>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

struct compress_request {
    std::string in, out;
    type_argument type;
    bound_argument limit;
    std::string max_abs;
    bool no_checksum = false;
    bool verbose = false;
};

struct decompress_request {
    std::string in, out;
};

void say_what_was_saved(std::size_t raw_bytes, std::span<const std::byte> frame) {
    const result<frame_info> about = inspect(frame);
    if (!about) return;
    const std::string line =
        fmt::format("{} -> {}  ratio {:.2f}  bound {:g}  raw blocks {} of {}\n", base::human_bytes(raw_bytes),
                    base::human_bytes(frame.size()), static_cast<double>(raw_bytes) / static_cast<double>(frame.size()),
                    about->bound, about->raw_blocks, about->blocks);
    // The frame is in place already: a full standard error (fmt::print would throw) is no reason to fail.
    std::fputs(line.c_str(), stderr);
}

int run_compress(const compress_request& request) {
    const element_type type = request.type.value();
    const bound limit = request.limit.value();
    frame_options options;
    options.checksum = !request.no_checksum;
    if (!request.max_abs.empty()) {
        if (limit.kind != bound_kind::absolute || limit.value == 0)
            fail_usage("--max-abs belongs to --abs; leave it out");
        options.max_abs = positive_number("--max-abs", request.max_abs, "");
    }
    output_file out(request.out);
    buffer raw = read_array(request.in, type);
    buffer frame(compress_bound(type, raw.size() / size_of(type)));
    const result<std::size_t> size = with_type(type, [&](auto zero) {
        using T = decltype(zero);
        return compress(std::span<const T>(raw.as<T>()), limit, frame.bytes(), options);
    });
    if (!size) fail_data(fmt::format("cannot compress '{}': {}", request.in, size.error().context()));
    frame.truncate(*size);
    out.write(frame.bytes());
    out.commit();
    if (request.verbose || is_terminal(stderr)) say_what_was_saved(raw.size(), frame.bytes());
    return exit_ok;
}

int run_decompress(const decompress_request& request) {
    output_file out(request.out);
    const buffer frame = read_file(request.in);
    const result<frame_info> about = inspect(frame.bytes());
    if (!about) fail_data(fmt::format("'{}' is no usable frame: {}", request.in, about.error().message()));
    if (about->count > SIZE_MAX / size_of(about->type))
        fail_data(
            fmt::format("'{}' says it holds {} values, more than this machine can address", request.in, about->count));
    buffer raw(about->count * size_of(about->type));
    const status decoded =
        with_type(about->type, [&](auto zero) { return decompress(frame.bytes(), raw.as<decltype(zero)>()); });
    if (!decoded.ok()) fail_data(fmt::format("'{}' is no usable frame: {}", request.in, decoded.message()));
    out.write(raw.bytes());
    out.commit();
    return exit_ok;
}

}  // namespace

action declare_compress(CLI::App& app) {
    auto request = std::make_shared<compress_request>();
    app.add_option("IN", request->in, "raw little-endian array, or - for standard input")
        ->type_name("FILE")
        ->required();
    app.add_option("-o,--output", request->out, "frame to write, or - for standard output")
        ->type_name("FILE")
        ->required();
    request->type.declare(app);
    request->limit.declare(app, true);
    app.add_option(
           "--max-abs", request->max_abs,
           "with --abs: no array to be added with this one has a larger magnitude, so that all get the same step")
        ->type_name("M");
    app.add_flag("--no-checksum", request->no_checksum, "leave out the checksum that every reader verifies");
    app.add_flag("-v,--verbose", request->verbose,
                 "say on standard error what was saved, even where it is no terminal");
    return [request] { return run_compress(*request); };
}

action declare_decompress(CLI::App& app) {
    auto request = std::make_shared<decompress_request>();
    app.add_option("IN", request->in, "frame, or - for standard input")->type_name("FILE")->required();
    app.add_option("-o,--output", request->out, "raw array to write, or - for standard output")
        ->type_name("FILE")
        ->required();
    return [request] { return run_decompress(*request); };
}

}  // namespace laconic::cli
