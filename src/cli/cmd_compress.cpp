// SPDX-License-Identifier: BSD-3-Clause
// laconic compress: a raw little-endian array of any size flows in, a frame or a sequence of frames flows out.
#include <fmt/format.h>

#include <memory>

#include "base/options.hpp"
#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/compress_stream.hpp"
#include "cli/files.hpp"
#include "cli/input_file.hpp"
#include "cli/table_options.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"

namespace laconic::cli {

using base::option_id;

namespace {

struct compress_request {
    std::string in, out;
    type_argument type;
    bound_argument limit;
    codec_argument codec;
    threads_argument threads;
    std::string max_abs, row_length = "0", segment = "1G";
    const CLI::App* app = nullptr;
    bool no_checksum = false;
    bool verbose = false;
};

bound limit_of(const compress_request& request, const codec_description& codec) {
    if (!codec.keeps_bound) {
        if (!request.limit.flag().empty())
            fail_usage(fmt::format("--codec {} keeps no error bound; leave {} out", codec.name, request.limit.flag()));
        return bound::lossless();
    }
    // A copy is exact; it may have a bound all the same, so that a script can change the codec alone.
    if (codec.id == codec_id::raw) return request.limit.if_given().value_or(bound::lossless());
    return request.limit.value();
}

/// For other codecs a rate in the environment or a file says nothing.
double rate_of(const compress_request& request, const codec_description& codec, element_type type) {
    const std::string flag(base::describe(option_id::rate).flag);
    if (codec.id != codec_id::zfp_rate) {
        if (request.app->count(flag) > 0) fail_usage(flag + " belongs to --codec zfp_rate; leave it out");
        return frame_options{}.rate;
    }
    const base::option_set set = resolve_options(*request.app, {option_id::rate});
    const std::size_t most = 8 * size_of(type);
    const double rate = set.real(option_id::rate);
    if (!(rate > 0 && rate <= static_cast<double>(most)))
        fail_usage(fmt::format("{} is '{}'; give a number > 0, for {} at most {} bits", set.origin(option_id::rate),
                               rate, codec::name_of(type), most));
    return rate;
}

std::uint64_t segment_of(const compress_request& request, element_type type) {
    const result<std::uint64_t> bytes = base::parse_bytes(request.segment);
    if (!bytes) fail_usage("--segment: " + bytes.error().context());
    if (*bytes < size_of(type))
        fail_usage(fmt::format("--segment is '{}'; give at least the {} bytes of one {}", request.segment,
                               size_of(type), codec::name_of(type)));
    return *bytes;
}

compress_settings settings_of(const compress_request& request, const codec_description& codec) {
    compress_settings settings;
    settings.type = request.type.value();
    settings.limit = limit_of(request, codec);
    settings.segment_bytes = segment_of(request, settings.type);
    settings.frame.codec = codec.id;
    settings.frame.checksum = !request.no_checksum;
    settings.frame.rate = rate_of(request, codec, settings.type);
    settings.frame.run = request.threads.value();
    settings.frame.row_length = whole_number("--row-length", request.row_length);
    if (settings.frame.row_length > 0 && codec.id != codec_id::fle)
        fail_usage(fmt::format("--row-length belongs to --codec fle, not {}; leave it out", codec.name));
    if (!request.max_abs.empty()) {
        if (!codec.adds)
            fail_usage(
                fmt::format("--max-abs is for frames to be added, and those of {} cannot; leave it out", codec.name));
        if (settings.limit.kind != bound_kind::absolute || settings.limit.value == 0)
            fail_usage("--max-abs belongs to --abs; leave it out");
        settings.frame.max_abs = positive_number("--max-abs", request.max_abs, "");
    }
    return settings;
}

void say_what_was_saved(const compress_totals& totals, const codec_description& codec) {
    std::string line = fmt::format("{} -> {}  ratio {:.2f}", base::human_bytes(totals.raw_bytes),
                                   base::human_bytes(totals.frame_bytes),
                                   static_cast<double>(totals.raw_bytes) / static_cast<double>(totals.frame_bytes));
    line += codec.keeps_bound ? fmt::format("  bound {:g}", totals.bound)
                              : fmt::format("  bound none ({} keeps no bound)", codec.name);
    if (codec.id == codec_id::fle) line += fmt::format("  raw blocks {} of {}", totals.raw_blocks, totals.blocks);
    if (totals.frames > 1) line += fmt::format("  frames {}", totals.frames);
    // The frame is in place already: a full standard error (fmt::print would throw) is no reason to fail.
    std::fputs((line + "\n").c_str(), stderr);
}

int run(const compress_request& request) {
    const codec_description& codec = request.codec.value();
    compress_settings settings = settings_of(request, codec);
    settings.count_blocks = request.verbose || is_terminal(stderr);
    output_file out(request.out);
    input_file in(request.in);
    const compress_totals totals = compress_stream(in, out, settings);
    out.commit();
    if (settings.count_blocks) say_what_was_saved(totals, codec);
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
    request->type.declare(app, true);
    request->limit.declare(app, true);
    request->codec.declare(app);
    declare_options(app, {option_id::rate});
    request->app = &app;
    app.add_option("--row-length", request->row_length,
                   "length of the array's fastest dimension, 32 to 2047: predict from the row before, too")
        ->type_name("N");
    request->threads.declare(app);
    app.add_option("--segment", request->segment,
                   "raw bytes per frame: a longer array becomes several frames, one in memory at a time (default 1G)")
        ->type_name("SIZE");
    app.add_option(
           "--max-abs", request->max_abs,
           "with --abs: no array to be added with this one has a larger magnitude, so that all get the same step")
        ->type_name("M");
    app.add_flag("--no-checksum", request->no_checksum, "leave out the checksum that every reader verifies");
    app.add_flag("-v,--verbose", request->verbose,
                 "say on standard error what was saved, even where it is no terminal");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
