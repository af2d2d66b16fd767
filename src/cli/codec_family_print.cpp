// SPDX-License-Identifier: BSD-3-Clause
// Rows of the comparison of codecs in; a table for people, or a JSON array for programs, out.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/codec_family_bench.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

void print_json(const std::vector<family_measurement>& rows) {
    json array = json::array();
    for (const family_measurement& row : rows) {
        json object{{"codec", row.codec},
                    {"engine", engine_name()},
                    {"memcpy_gbps", row.memcpy_gbps},
                    {"compress_gbps", row.compress_gbps},
                    {"decompress_gbps", row.decompress_gbps},
                    {"ratio", row.ratio},
                    {"max_error", row.max_error},
                    {"bound", row.bound},
                    {"violations", row.violations},
                    {"mean_error_over_bound", nullptr},
                    {"psnr", nullptr},
                    {"nrmse", row.nrmse},
                    {"rate", nullptr},
                    {"row_length", row.row_length},
                    {"values", row.values},
                    {"frame_bytes", row.frame_bytes},
                    {"published_bytes", row.published_bytes},
                    {"long_chunk_bytes", row.long_chunk_bytes},
                    {"repetitions", row.repetitions}};
        if (row.bound > 0) object["mean_error_over_bound"] = row.mean_error_over_bound;
        if (std::isfinite(row.psnr)) object["psnr"] = row.psnr;
        if (row.rate > 0) object["rate"] = row.rate;
        array.push_back(std::move(object));
    }
    fmt::print("{}\n", array.dump(2));
}

void print_text(const std::vector<family_measurement>& rows) {
    const family_measurement& first = rows.front();
    const auto versus = [](const family_measurement& row, double gbps) {
        return fmt::format("{:.2f} ({:.2f}x)", gbps, row.memcpy_gbps > 0 ? gbps / row.memcpy_gbps : 0);
    };
    std::vector<std::vector<std::string>> table{
        {"codec", "compress", "decompress", "ratio", "max error / bound", "violations", "PSNR"}};
    for (const family_measurement& row : rows)
        table.push_back({row.codec, versus(row, row.compress_gbps), versus(row, row.decompress_gbps),
                         fmt::format("{:.3f}", row.ratio),
                         row.bound > 0 ? fmt::format("{:.3g}", row.max_error / row.bound) : "-",
                         fmt::format("{}", row.violations), fmt::format("{:.1f}", row.psnr)});
    print_table(table, 1);
    fmt::print("{}\n", dim(fmt::format("GB/s of original data (and ratio to memcpy, {:.2f}), {} values, engine {}",
                                       first.memcpy_gbps, first.values, engine_name())));
}

}  // namespace

void print_family(const std::vector<family_measurement>& rows, bool json) {
    json ? print_json(rows) : print_text(rows);
}

}  // namespace laconic::cli
