// SPDX-License-Identifier: BSD-3-Clause
// laconic inspect: a frame or a sequence of frames flows in, what they say about themselves and what their blocks add
// up to flows out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/frame_input.hpp"
#include "cli/terminal.hpp"
#include "codec/element.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

struct request_of_inspect {
    std::string in;
    bool json = false;
};

/// A file of frames as a whole. Fields in which frames differ are not `same`.
struct summary {
    frame_info total;  ///< sums and maxima over the frames; what is the same in all is that of the first
    std::uint64_t frames = 0;
    bool keeps_bound = true;  ///< every frame
    bool same_codec = true, same_step = true, same_row_length = true, same_contributions = true;

    void add(const frame_info& next);
    [[nodiscard]] double ratio() const;
    /// Null where frames differ in it.
    [[nodiscard]] const codec_description* codec() const;
};

void summary::add(const frame_info& next) {
    const codec_description* const codec = find_codec(next.codec);
    keeps_bound &= codec == nullptr || codec->keeps_bound;
    if (frames++ == 0) {
        total = next;
        return;
    }
    same_codec &= total.codec == next.codec;
    same_step &= total.step == next.step;
    same_row_length &= total.row_length == next.row_length;
    same_contributions &= total.contributions == next.contributions;
    total.count += next.count;
    total.frame_bytes += next.frame_bytes;
    total.blocks += next.blocks;
    total.zero_blocks += next.zero_blocks;
    total.raw_blocks += next.raw_blocks;
    total.bound = std::max(total.bound, next.bound);
    total.magnitude = std::max(total.magnitude, next.magnitude);
    total.exact_sums &= next.exact_sums;
    total.checksummed &= next.checksummed;
}

double summary::ratio() const {
    const auto raw_bytes = static_cast<double>(total.count) * static_cast<double>(size_of(total.type));
    return raw_bytes / static_cast<double>(total.frame_bytes);
}

const codec_description* summary::codec() const { return same_codec ? find_codec(total.codec) : nullptr; }

template <class V>
json value_if(bool same, const V& value) {
    return same ? json(value) : json(nullptr);
}

void print_json(const summary& file) {
    const frame_info& about = file.total;
    const codec_description* const codec = file.codec();
    const json object{{"version", about.version},
                      {"type", codec::name_of(about.type)},
                      {"codec", codec != nullptr ? json(codec->name) : json(nullptr)},
                      {"count", about.count},
                      {"bound", value_if(file.keeps_bound, about.bound)},
                      {"step", value_if(file.same_step, about.step)},
                      {"row_length", value_if(file.same_row_length, about.row_length)},
                      {"contributions", value_if(file.same_contributions, about.contributions)},
                      {"magnitude", about.magnitude},
                      {"frames", file.frames},
                      {"frame_bytes", about.frame_bytes},
                      {"ratio", file.ratio()},
                      {"blocks", about.blocks},
                      {"zero_blocks", about.zero_blocks},
                      {"raw_blocks", about.raw_blocks},
                      {"exact_sums", about.exact_sums},
                      {"checksummed", about.checksummed}};
    fmt::print("{}\n", object.dump(2));
}

template <class V>
std::string text_if(bool same, const V& value) {
    return same ? fmt::format("{}", value) : "differs from frame to frame";
}

void print_text(const summary& file) {
    const frame_info& about = file.total;
    const codec_description* const codec = file.codec();
    const std::string bound = !file.keeps_bound  ? "none"
                              : about.bound == 0 ? "0 (lossless)"
                                                 : fmt::format("{}", about.bound);
    std::vector<std::pair<std::string, std::string>> pairs{
        {"format version", fmt::format("{}", about.version)},
        {"values", fmt::format("{} x {}", about.count, codec::name_of(about.type))},
        {"codec", text_if(codec != nullptr, codec != nullptr ? codec->name : "")},
        {"bound", bound}};
    const auto add = [&](std::string key, std::string value) { pairs.emplace_back(std::move(key), std::move(value)); };
    if (codec != nullptr && codec->id == codec_id::zfp_rate) add("bits per value", text_if(file.same_step, about.step));
    if (codec != nullptr && codec->id == codec_id::fle) {
        add("step", text_if(file.same_step, about.step));
        add("row length", about.row_length == 0 && file.same_row_length
                              ? "none (predicted along the array)"
                              : text_if(file.same_row_length, about.row_length));
        add("contributions", text_if(file.same_contributions, about.contributions));
        add("largest integer", fmt::format("{}", about.magnitude));
    }
    add("frames", fmt::format("{}", file.frames));
    add("size", fmt::format("{} ({} bytes)", base::human_bytes(about.frame_bytes), about.frame_bytes));
    add("ratio", fmt::format("{:.2f}", file.ratio()));
    if (about.blocks > 0)
        add("blocks", fmt::format("{} ({} zero, {} raw)", about.blocks, about.zero_blocks, about.raw_blocks));
    add("checksum", about.checksummed ? "XXH3-64, verified" : file.frames > 1 ? "not in every frame" : "none");
    if (codec != nullptr && codec->adds)
        add("sums", about.exact_sums ? "exact" : "raw values were added with rounding");
    print_pairs(pairs);
}

int run(const request_of_inspect& request) {
    frame_input in(request.in, "reading");
    summary file;
    while (in.next()) file.add(in.about());
    request.json ? print_json(file) : print_text(file);
    return exit_ok;
}

}  // namespace

action declare_inspect(CLI::App& app) {
    auto request = std::make_shared<request_of_inspect>();
    app.add_option("IN", request->in, "frame or sequence of frames, or - for standard input")
        ->type_name("FILE")
        ->required();
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
