// SPDX-License-Identifier: BSD-3-Clause
// laconic decompress: a frame or a sequence of frames flows in, the raw little-endian array flows out, frame by frame.
#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/frame_input.hpp"
#include "codec/element.hpp"

namespace laconic::cli {
namespace {

struct decompress_request {
    std::string in, out;
    threads_argument threads;
};

int run(const decompress_request& request) {
    const run_options how = request.threads.value();
    output_file out(request.out);
    frame_input in(request.in, "decompressing");
    buffer raw;
    while (in.next()) {
        const frame_info& about = in.about();
        if (about.count > SIZE_MAX / size_of(about.type))
            fail_data(fmt::format("{} says it holds {} values, more than this machine can address", in.name_of_frame(),
                                  about.count));
        // Memory of the frame before serves again where it is large enough.
        const std::size_t size = static_cast<std::size_t>(about.count) * size_of(about.type);
        if (size <= raw.size())
            raw.truncate(size);
        else
            raw = buffer(size);
        const status decoded = codec::with_element(
            about.type, [&](auto zero) { return decompress(in.frame(), raw.as<decltype(zero)>(), how); });
        if (!decoded.ok()) in.refuse(decoded);
        out.write(raw.bytes());
    }
    out.commit();
    return exit_ok;
}

}  // namespace

action declare_decompress(CLI::App& app) {
    auto request = std::make_shared<decompress_request>();
    app.add_option("IN", request->in, "frame or sequence of frames, or - for standard input")
        ->type_name("FILE")
        ->required();
    app.add_option("-o,--output", request->out, "raw array to write, or - for standard output")
        ->type_name("FILE")
        ->required();
    request->threads.declare(app);
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
