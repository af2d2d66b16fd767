// SPDX-License-Identifier: BSD-3-Clause
// Flags and files of `laconic plan`.
#include "cli/plan_input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <sstream>

#include "base/config_file.hpp"
#include "base/units.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"

namespace laconic::cli {
namespace {

/// What the library refuses is a matter of the command line; `flags` are those that decide.
template <class T>
T taken(std::string_view flags, result<T> got) {
    if (!got) fail_usage(fmt::format("{}: {}", flags, got.error().context()));
    return std::move(*got);
}

std::int64_t count_of(std::string_view flag, const std::string& text, std::int64_t most) {
    const std::uint64_t number = whole_number(flag, text);
    if (number < 1 || number > static_cast<std::uint64_t>(most))
        fail_usage(fmt::format("{} is '{}'; give 1 to {}", flag, text, most));
    return static_cast<std::int64_t>(number);
}

/// Every line of a file as numbers; empty lines and what follows '#' do not count. `numbers` is called with the line's
/// number and its numbers.
template <class Take>
void for_each_line(std::string_view flag, const std::string& path, Take take) {
    const result<std::string> text = base::read_text(path, fmt::format("check {}", flag));
    if (!text) fail_data(text.error().context());
    std::istringstream lines(*text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::vector<std::int64_t> numbers;
        for (std::string word; words >> word;) {
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
            if (error != std::errc() || end != word.data() + word.size())
                fail_data(fmt::format("{}:{}: '{}' is no whole number", path, number, word));
            numbers.push_back(value);
        }
        if (!numbers.empty()) take(number, numbers);
    }
}

rank_number rank_of(const std::string& path, std::size_t line, std::int64_t number) {
    if (number < 0 || number > std::numeric_limits<rank_number>::max())
        fail_data(fmt::format("{}:{}: {} is no rank; give 0 to 2^31 - 1", path, line, number));
    return static_cast<rank_number>(number);
}

std::vector<owned_box> read_boxes(const std::string& path, std::size_t dimensions) {
    std::vector<owned_box> owned;
    for_each_line("--boxes", path, [&](std::size_t line, const std::vector<std::int64_t>& numbers) {
        if (numbers.size() != 1 + 2 * dimensions)
            fail_data(fmt::format("{}:{}: {} numbers; give the rank, then {} lower and {} upper bounds", path, line,
                                  numbers.size(), dimensions, dimensions));
        owned_box next{rank_of(path, line, numbers[0]), {dimensions, {}, {}}};
        for (std::size_t d = 0; d < dimensions; ++d) {
            next.region.lower[d] = numbers[1 + d];
            next.region.upper[d] = numbers[1 + dimensions + d];
        }
        owned.push_back(next);
    });
    return owned;
}

std::vector<rank_number> read_owners(const std::string& path) {
    std::vector<rank_number> owners;
    for_each_line("--owners", path, [&](std::size_t line, const std::vector<std::int64_t>& numbers) {
        for (const std::int64_t number : numbers) owners.push_back(rank_of(path, line, number));
    });
    return owners;
}

placement read_placement(const plan_request& request, rank_number ranks) {
    placement how;
    how.kind = taken("--placement", placement_named(request.placement));
    how.exact = request.exact;
    how.balance = taken("--balance", base::parse_bound(request.balance));
    if (request.by != "patches" && request.by != "elements")
        fail_usage(fmt::format("--by is '{}'; use patches or elements", request.by));
    how.load = request.by == "elements" ? load_measure::elements : load_measure::patches;
    if (request.owners.empty() != (how.kind != placement_kind::given))
        fail_usage("--placement given and --owners FILE belong together; give both or neither");
    if (!request.owners.empty()) how.owners = read_owners(request.owners);
    if (request.node_size.empty()) return how;
    const std::int64_t together = count_of("--node-size", request.node_size, INT32_MAX);
    how.between_nodes = count_of("--between-nodes", request.between_nodes, 1000);
    for (rank_number rank = 0; rank < ranks; ++rank) how.node_of.push_back(static_cast<std::int32_t>(rank / together));
    return how;
}

}  // namespace

std::vector<std::int64_t> extents_of(std::string_view flag, const std::string& text) {
    std::vector<std::int64_t> numbers;
    std::string_view rest = text;
    while (true) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error == std::errc::result_out_of_range)
            fail_usage(
                fmt::format("{} is '{}': a number of 2^63 or more; redistribute the array in parts", flag, text));
        const auto used = static_cast<std::size_t>(end - rest.data());
        if (error != std::errc() || (used < rest.size() && rest[used] != 'x') || used + 1 == rest.size())
            fail_usage(
                fmt::format("{} is '{}'; give whole numbers with x between them, e.g. 1000x1000x40", flag, text));
        numbers.push_back(number);
        if (used == rest.size()) return numbers;
        rest.remove_prefix(used + 1);
    }
}

plan_question read_plan_question(const plan_request& request) {
    const std::vector<std::int64_t> extents = extents_of("--global", request.global);
    if (request.patch.empty() == request.counts.empty())
        fail_usage("give either --patch, the extents of a patch, or --patches, how many there are in each dimension");
    patch_grid to = request.counts.empty()
                        ? taken("--patch", patch_grid::of_size(extents, extents_of("--patch", request.patch)))
                        : taken("--patches", patch_grid::blocks(extents, extents_of("--patches", request.counts)));
    std::int64_t ranks = 0;
    std::vector<std::int64_t> blocks;
    if (!request.grid.empty()) {
        blocks = extents_of("--grid", request.grid);
        ranks = 1;
        for (const std::int64_t number : blocks) {
            // What is no number of blocks is left to the layout, whose message names the dimension.
            if (number < 1 || number > INT32_MAX / ranks) ranks = 0;
            if (ranks == 0) break;
            ranks *= number;
        }
    }
    if (!request.ranks.empty()) {
        const std::int64_t wanted = count_of("--ranks", request.ranks, INT32_MAX);
        if (ranks > 0 && wanted != ranks)
            fail_usage(fmt::format("--grid {} has {} blocks, but --ranks is {}; give one of them or make them agree",
                                   request.grid, ranks, wanted));
        ranks = wanted;
    } else if (request.grid.empty()) {
        fail_usage("how many ranks? give --ranks N, or --grid with the blocks in each dimension");
    }
    const auto make_layout = [&] {
        if (!request.boxes.empty()) {
            if (!request.grid.empty()) fail_usage("--boxes and --grid are two layouts; give one of them");
            return taken("--boxes", layout::boxes(extents, read_boxes(request.boxes, extents.size()), ranks));
        }
        if (blocks.empty()) blocks = taken("--ranks", even_blocks(ranks, extents));
        return taken("--grid", layout::regular(extents, blocks));
    };
    layout from = make_layout();
    placement how = read_placement(request, from.ranks());
    const std::int64_t element_bytes = count_of("--element-bytes", request.element_bytes, 1 << 20);
    if (from.domain().volume() > std::numeric_limits<std::int64_t>::max() / element_bytes)
        fail_usage(fmt::format("--element-bytes {}: the array has more than 2^63 bytes; redistribute it in parts",
                               element_bytes));
    return {std::move(from), std::move(to), std::move(how), std::move(blocks), element_bytes};
}

}  // namespace laconic::cli
