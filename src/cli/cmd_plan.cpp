// SPDX-License-Identifier: BSD-3-Clause
// laconic plan: an array, its layout, a patch grid and a placement flow in; what a redistribution moves, in how many
// messages and how evenly, flows out as text, as JSON and as a picture. Nothing is moved and no MPI is needed.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/canvas.hpp"
#include "cli/command.hpp"
#include "cli/plan_picture.hpp"
#include "cli/terminal.hpp"

namespace laconic::cli {
namespace {

using json = nlohmann::ordered_json;

double share_of(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

/// Of a spread over the ranks: the greatest over the mean.
double imbalance(const spread& loads, rank_number ranks) { return share_of(loads.max, loads.sum) * ranks; }

json figures_json(const plan_figures& figures, double seconds, const plan_question& question) {
    const rank_number ranks = question.from.ranks();
    const std::int64_t bytes = question.element_bytes;
    return {{"moved_fraction", share_of(figures.moved_elements, figures.elements)},
            {"moved_bytes", figures.moved_elements * bytes},
            {"between_nodes_bytes", question.how.node_of.empty() ? json(nullptr) : json(figures.between_nodes * bytes)},
            {"messages", figures.patch_messages},
            {"rank_messages", figures.rank_messages},
            {"shared_patches", figures.shared_patches},
            {"patches_min", figures.patches.min},
            {"patches_mean", share_of(figures.patches.sum, ranks)},
            {"patches_max", figures.patches.max},
            {"patches_imbalance", imbalance(figures.patches, ranks)},
            {"volume_min_bytes", figures.volume.min * bytes},
            {"volume_mean_bytes", share_of(figures.volume.sum, ranks) * static_cast<double>(bytes)},
            {"volume_max_bytes", figures.volume.max * bytes},
            {"volume_imbalance", imbalance(figures.volume, ranks)},
            {"max_send_bytes", figures.sent.max * bytes},
            {"max_receive_bytes", figures.received.max * bytes},
            {"receive_limit_bytes", figures.received_at_most * bytes},
            {"forced_patches", figures.forced},
            {"proven_optimal", figures.proven_optimal},
            {"plan_seconds", seconds}};
}

json question_json(const plan_question& question) {
    json object{{"global", json::array()},
                {"patch", json::array()},
                {"patches", question.to.patches()},
                {"ranks", question.from.ranks()},
                {"grid", question.blocks.empty() ? json(nullptr) : json(question.blocks)},
                {"element_bytes", question.element_bytes}};
    for (std::size_t d = 0; d < question.to.domain().dimensions; ++d) {
        object["global"].push_back(question.to.domain().extent(d));
        object["patch"].push_back(question.to.patch(0).extent(d));
    }
    return object;
}

std::string bytes_text(std::int64_t bytes) { return base::human_bytes(static_cast<std::uint64_t>(bytes)); }

void print_text(const plan_figures& figures, double seconds, const plan_question& question) {
    const rank_number ranks = question.from.ranks();
    const std::int64_t bytes = question.element_bytes;
    const auto mean_of = [&](const spread& values) { return values.sum / ranks; };
    std::vector<std::pair<std::string, std::string>> lines{
        {"moved",
         fmt::format("{:.2f} % of the bytes, {} of {}", 100 * share_of(figures.moved_elements, figures.elements),
                     bytes_text(figures.moved_elements * bytes), bytes_text(figures.elements * bytes))}};
    if (!question.how.node_of.empty())
        lines.emplace_back("between nodes",
                           fmt::format("{:.2f} %, {}", 100 * share_of(figures.between_nodes, figures.elements),
                                       bytes_text(figures.between_nodes * bytes)));
    lines.emplace_back("messages", fmt::format("{} one for each patch, {} one for each pair of ranks",
                                               figures.patch_messages, figures.rank_messages));
    lines.emplace_back(
        "patches", fmt::format("{}, {} of them shared between ranks", question.to.patches(), figures.shared_patches));
    lines.emplace_back("per rank",
                       fmt::format("{} to {}, mean {:.4g}, imbalance {:.3f}", figures.patches.min, figures.patches.max,
                                   share_of(figures.patches.sum, ranks), imbalance(figures.patches, ranks)));
    lines.emplace_back("volume",
                       fmt::format("{} to {}, mean {}, imbalance {:.3f}", bytes_text(figures.volume.min * bytes),
                                   bytes_text(figures.volume.max * bytes), bytes_text(mean_of(figures.volume) * bytes),
                                   imbalance(figures.volume, ranks)));
    lines.emplace_back("largest receive", fmt::format("{}, mean {}, limit {}", bytes_text(figures.received.max * bytes),
                                                      bytes_text(mean_of(figures.received) * bytes),
                                                      bytes_text(figures.received_at_most * bytes)));
    if (figures.forced > 0)
        lines.emplace_back("above target", fmt::format("{} patches, which their ranks held whole", figures.forced));
    lines.emplace_back("least movement", figures.proven_optimal ? "yes, within these limits" : "not proven");
    lines.emplace_back("planned in", base::human_time(seconds));
    print_pairs(lines);
}

void print_pareto(const std::vector<plan_outcome>& rows, const plan_question& question) {
    std::vector<std::vector<std::string>> table{{"placement", "moved", "patches", "imbalance", "volume imbalance",
                                                 "largest receive", "messages", "planned in"}};
    for (const plan_outcome& row : rows) {
        const plan_figures& figures = row.figures;
        table.push_back({row.name, fmt::format("{:.2f} %", 100 * share_of(figures.moved_elements, figures.elements)),
                         fmt::format("{}..{}", figures.patches.min, figures.patches.max),
                         fmt::format("{:.3f}", imbalance(figures.patches, question.from.ranks())),
                         fmt::format("{:.3f}", imbalance(figures.volume, question.from.ranks())),
                         bytes_text(figures.received.max * question.element_bytes),
                         fmt::format("{}", figures.patch_messages), base::human_time(row.seconds)});
    }
    print_table(table, 1);
}

int run(const plan_request& request) {
    const plan_question question = read_plan_question(request);
    if (!request.png.empty()) need_pictures();
    if (!request.png.empty() && !request.pareto && question.to.domain().dimensions != 2)
        fail_usage(fmt::format("--png draws arrays of 2 dimensions, this one has {}; draw a slice, or --pareto",
                               question.to.domain().dimensions));
    json object = question_json(question);
    if (request.pareto) {
        const std::vector<plan_outcome> rows = pareto_of(question);
        object["rows"] = json::array();
        for (const plan_outcome& row : rows) {
            object["rows"].push_back({{"placement", row.name}});
            object["rows"].back().update(figures_json(row.figures, row.seconds, question));
        }
        if (!request.png.empty()) draw_pareto(rows, question, request.png);
        if (!request.json) print_pareto(rows, question);
    } else {
        double seconds = 0;
        const plan made = make_timed(question, seconds);
        const plan_figures figures = made.figures();
        object["placement"] = name_of(question.how.kind);
        object["balance"] = question.how.balance;
        object["by"] = request.by;
        object.update(figures_json(figures, seconds, question));
        if (!request.png.empty()) draw_plan(made, request.png);
        if (!request.json) print_text(figures, seconds, question);
    }
    if (request.json) fmt::print("{}\n", object.dump(2));
    return exit_ok;
}

}  // namespace

action declare_plan(CLI::App& app) {
    auto request = std::make_shared<plan_request>();
    app.add_option("--global", request->global, "extents of the array, the slowest dimension first; 1 to 4 dimensions")
        ->type_name("EXTENTS")
        ->required();
    app.add_option("--patch", request->patch, "extents of a patch; those at the upper ends are cut off")
        ->type_name("EXTENTS");
    app.add_option("--patches", request->counts, "instead: how many patches in each dimension, of even size")
        ->type_name("COUNTS");
    app.add_option("--ranks", request->ranks, "how many ranks")->type_name("N");
    app.add_option("--grid", request->grid, "blocks of the layout in each dimension (default: as MPI_Dims_create)")
        ->type_name("COUNTS");
    app.add_option("--boxes", request->boxes, "a layout of any boxes: lines of a rank, its lower and its upper bounds")
        ->type_name("FILE");
    app.add_option("--placement", request->placement, "which rank gets which patch (default optimal)")
        ->type_name("greedy|balanced|round_robin|optimal|given|explicit");
    app.add_option("--balance", request->balance,
                   "optimal: the greatest load allowed over the mean, from 1 (default: as even as can be)")
        ->type_name("B");
    app.add_option("--by", request->by, "optimal: what a load is (default patches)")->type_name("patches|elements");
    app.add_option("--node-size", request->node_size,
                   "ranks share nodes in blocks of so many; optimal: bytes between nodes cost more")
        ->type_name("N");
    app.add_option("--between-nodes", request->between_nodes,
                   "optimal: what a byte between nodes costs, one inside a node being 1 (default 8)")
        ->type_name("W");
    app.add_option("--owners", request->owners, "given: the rank of each patch, numbers with blanks or lines between")
        ->type_name("FILE");
    app.add_option("--element-bytes", request->element_bytes, "bytes of an element (default 8)")->type_name("N");
    app.add_flag("--exact", request->exact, "optimal: go on until nothing can be better, however long it takes");
    app.add_flag("--pareto", request->pareto, "plan from the most even to the least moving, and print them all");
    app.add_option("--png", request->png, "draw the plan of a 2-d array, or the rows of --pareto")->type_name("FILE");
    app.add_flag("--json", request->json, "print one JSON object");
    return [request] { return run(*request); };
}

}  // namespace laconic::cli
