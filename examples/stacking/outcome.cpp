// SPDX-License-Identifier: BSD-3-Clause
// Table, pictures and JSON of one run: a measurement flows in, text and files flow out.
#include "outcome.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "picture.hpp"

namespace stacking {
namespace {

using laconic::errc;
using laconic::status;

constexpr double megabyte = 1e6;

double image_bytes(const settings& wanted) {
    return static_cast<double>(wanted.image_values() * laconic::size_of(wanted.type));
}

const char* unit_of(laconic::bound_kind kind) { return kind == laconic::bound_kind::relative ? "rel" : "abs"; }
const char* name_of(laconic::reduction op) { return op == laconic::reduction::sum ? "sum" : "avg"; }

std::string text_of(const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// The largest of 1, 2, 5, 10, 20, 50 ... that keeps all but the strongest differences within the colours of the stack.
double readable_scale(std::span<const double> difference, double clip) {
    const double strong = magnitude_quantile(difference, 0.999);
    if (!(strong > 0) || !(clip > strong)) return 1;
    const double decade = std::pow(10.0, std::floor(std::log10(clip / strong)));
    for (const double step : {5.0, 2.0}) {
        if (step * decade * strong <= clip) return step * decade;
    }
    return decade;
}

// The panel in the middle, row by row.
std::vector<double> middle_panel(const settings& wanted, const std::vector<double>& stack) {
    const std::size_t nx = wanted.nx, nz = wanted.nz;
    const double* const first = &stack[wanted.panels / 2 * nx * nz];
    std::vector<double> rows(first, first + nx * nz);
    for (std::size_t i = 0; wanted.depth_fastest && i < rows.size(); ++i) rows[i] = first[i % nx * nz + i / nx];
    return rows;
}

std::string shown(const table_row& row) { return row.algorithm == "auto" ? "auto (" + row.ran + ")" : row.algorithm; }

}  // namespace

void print_table(const settings& wanted, const setting_of_run& run, const measurement& found) {
    std::printf(
        "\nImage stacking: %s of %zu partial images (%zux%zu, %zu panel%s, %s, %.1f MB), %d ranks on %d host%s\n",
        name_of(wanted.operation), run.partial_images, wanted.nx, wanted.nz, wanted.panels,
        wanted.panels == 1 ? "" : "s", wanted.type == laconic::element_type::f32 ? "f32" : "f64",
        image_bytes(wanted) / megabyte, run.ranks, run.hosts, run.hosts == 1 ? "" : "s");
    std::printf("%s; error bound --%s %g, scope %s; median of %zu interleaved runs, slowest rank\n\n", run.mpi.c_str(),
                unit_of(wanted.limit.kind), wanted.limit.value, name_of(wanted.scope), wanted.repetitions);
    std::size_t widest = 14;
    for (const table_row& row : found.rows) widest = std::max(widest, shown(row).size());
    const int width = static_cast<int>(widest);
    std::printf("%-*s %10s %9s %12s %7s %11s %11s %9s %10s\n", width, "algorithm", "time", "speed-up", "sent/rank",
                "ratio", "max error", "bound", "PSNR", "NRMSE");
    for (const table_row& row : found.rows) {
        const bool stock = &row == &found.rows.front();
        const std::string bound = row.bound > 0 ? text_of("%.2e", row.bound) : "-";
        std::printf("%-*s %8.1fms %8.2fx %c%8.2f MB %7.2f %11.2e %11s %6.1f dB %10.2e\n", width, shown(row).c_str(),
                    row.seconds * 1e3, row.speed_up, stock ? '~' : ' ', static_cast<double>(row.sent_bytes) / megabyte,
                    row.ratio, row.max_error, bound.c_str(), row.psnr, row.nrmse);
        if (row.violations > 0) {
            std::printf("  ** %llu values are further off than the bound **\n",
                        static_cast<unsigned long long>(row.violations));
        }
        if (!row.same_on_all_ranks) std::printf("  (the ranks hold results that differ in their last bits)\n");
    }
    std::printf("~ counted as a ring would send it. Errors are against the exact stack, whose values span %.4g.\n",
                found.range);
}

laconic::status prepare_output(const settings& wanted) {
    const auto make = [](const std::filesystem::path& directory, const char* flag) {
        std::error_code failure;
        if (!directory.empty()) std::filesystem::create_directories(directory, failure);
        if (!failure) return status{};
        return status{errc::io, "cannot create the directory '" + directory.string() + "': " + failure.message() +
                                    "; choose another with " + flag};
    };
    if (status bad = make(wanted.out, "--out"); !bad.ok()) return bad;
    if (status bad = make(wanted.save, "--save"); !bad.ok()) return bad;
    return make(wanted.json.parent_path(), "--json");
}

laconic::result<drawn_pictures> draw_pictures(const settings& wanted, const measurement& found, const field& earth) {
    const std::vector<double> exact = middle_panel(wanted, found.exact);
    const std::vector<double> compressed = middle_panel(wanted, found.compressed);
    std::vector<double> difference(exact.size());
    std::transform(compressed.begin(), compressed.end(), exact.begin(), difference.begin(), std::minus<>());
    const double clip = magnitude_quantile(exact, 0.99);

    drawn_pictures drawn;
    drawn.difference_scale = readable_scale(difference, clip);
    const std::string scale = text_of("%.0f", drawn.difference_scale);
    std::vector<captioned> parts;
    if (earth.nx == wanted.nx && earth.nz == wanted.nz) {
        const std::vector<double> velocity(earth.values.begin(), earth.values.end());
        const auto [low, high] = std::minmax_element(velocity.begin(), velocity.end());
        parts.push_back({"Earth: " + text_of("%.0f", *low) + " to " + text_of("%.0f", *high) + " m/s",
                         paint_quantity(velocity, wanted.nx, *low, *high)});
    }
    const std::string ratio = text_of("%.1f", found.rows.back().ratio);
    parts.push_back({"Stack, exact sum", paint_like(exact, exact, wanted.nx)});
    parts.push_back(
        {"Stack, " + found.rows.back().algorithm + ", bytes / " + ratio, paint_like(exact, compressed, wanted.nx)});
    parts.push_back({"Difference x " + scale, paint_amplitudes(difference, wanted.nx, clip / drawn.difference_scale)});

    const auto write = [&](const std::string& name, const picture& image) {
        drawn.files.push_back((wanted.out / name).string());
        return write_png(drawn.files.back(), image);
    };
    const std::size_t stacks = parts.size() - 3;
    const std::size_t columns = parts.size() == 4 ? 2 : wanted.nx > wanted.nz ? 1 : 3;
    if (status bad = write("stacking.png", figure(parts, columns)); !bad.ok()) return bad;
    if (status bad = write("stack_exact.png", parts[stacks].image); !bad.ok()) return bad;
    if (status bad = write("stack_compressed.png", parts[stacks + 1].image); !bad.ok()) return bad;
    if (status bad = write("difference_x" + scale + ".png", parts[stacks + 2].image); !bad.ok()) return bad;
    return drawn;
}

laconic::status write_json(const settings& wanted, const setting_of_run& run, const measurement& found,
                           const drawn_pictures& pictures) {
    nlohmann::ordered_json table{
        {"ranks", run.ranks},
        {"hosts", run.hosts},
        {"mpi", run.mpi},
        {"partial_images", run.partial_images},
        {"nx", wanted.nx},
        {"nz", wanted.nz},
        {"panels", wanted.panels},
        {"type", wanted.type == laconic::element_type::f32 ? "f32" : "f64"},
        {"bytes", static_cast<std::uint64_t>(image_bytes(wanted))},
        {"op", name_of(wanted.operation)},
        {"bound_kind", unit_of(wanted.limit.kind)},
        {"bound_value", wanted.limit.value},
        {"scope", name_of(wanted.scope)},
        {"repetitions", wanted.repetitions},
        {"images_s", run.images_s},
        {"range", found.range},
        {"difference_scale", pictures.difference_scale},
        {"pictures", pictures.files},
        {"rows", nlohmann::ordered_json::array()},
    };
    for (const table_row& row : found.rows) {
        table["rows"].push_back({{"algorithm", row.algorithm},
                                 {"ran", row.ran},
                                 {"median_s", row.seconds},
                                 {"speedup_vs_stock", row.speed_up},
                                 {"sent_bytes_per_rank", row.sent_bytes},
                                 {"ratio", row.ratio},
                                 {"max_error", row.max_error},
                                 {"bound", row.bound},
                                 {"violations", row.violations},
                                 {"psnr", row.psnr},
                                 {"nrmse", row.nrmse},
                                 {"same_on_all_ranks", row.same_on_all_ranks},
                                 {"warm_up_s", row.warm_up_s}});
    }
    // A terminal, a pipe or a device is written to; only a file is replaced.
    std::error_code unknown;
    const bool special =
        std::filesystem::exists(wanted.json, unknown) && !std::filesystem::is_regular_file(wanted.json, unknown);
    const std::string part = special ? wanted.json.string() : wanted.json.string() + ".part";
    std::ofstream stream(part);
    stream << table.dump(2) << '\n';
    stream.close();
    std::error_code failure;
    if (stream && !special) std::filesystem::rename(part, wanted.json, failure);
    if (stream && !failure) return {};
    if (!special) std::filesystem::remove(part, failure);
    return {errc::io, "cannot write '" + wanted.json.string() + "'; choose another file with --json"};
}

}  // namespace stacking
