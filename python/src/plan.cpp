// SPDX-License-Identifier: BSD-3-Clause
// Arguments become a layout, a patch grid and a placement; the GIL goes while the plan is made.
#include "plan.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <span>

#include "errors.hpp"
#include "laconic/redistribute.hpp"
#include "packed.hpp"

namespace laconic::python {
namespace {

namespace py = pybind11;

/// Of many boxes, one after the other.
struct corners {
    std::vector<std::int64_t> lower, upper;

    void add(const box& region) {
        lower.insert(lower.end(), region.lower.begin(), region.lower.begin() + region.dimensions);
        upper.insert(upper.end(), region.upper.begin(), region.upper.begin() + region.dimensions);
    }
    [[nodiscard]] py::bytes lower_bytes() const { return as_bytes(std::span<const std::int64_t>(lower)); }
    [[nodiscard]] py::bytes upper_bytes() const { return as_bytes(std::span<const std::int64_t>(upper)); }
};

std::vector<owned_box> owned_boxes(const std::vector<box_argument>& boxes, std::size_t dimensions) {
    std::vector<owned_box> owned;
    for (const auto& [rank, lower, upper] : boxes) {
        if (lower.size() != dimensions || upper.size() != dimensions)
            raise_argument("a box of rank " + std::to_string(rank) + " has " + std::to_string(lower.size()) + " and " +
                           std::to_string(upper.size()) + " bounds; give " + std::to_string(dimensions) + " of each");
        owned_box made{rank, {dimensions, {}, {}}};
        std::copy(lower.begin(), lower.end(), made.region.lower.begin());
        std::copy(upper.begin(), upper.end(), made.region.upper.begin());
        owned.push_back(made);
    }
    return owned;
}

layout layout_of(const extents_argument& extents, std::int64_t ranks, const std::optional<extents_argument>& blocks,
                 const std::optional<std::vector<box_argument>>& boxes) {
    if (blocks && boxes) raise_argument("blocks and boxes are two layouts; give one of them");
    if (extents.empty() || extents.size() > most_dimensions)
        raise_argument(std::to_string(extents.size()) + " extents; give those of 1 to 4 dimensions");
    const auto even = blocks || boxes ? result<extents_argument>(extents_argument{}) : even_blocks(ranks, extents);
    require(even.error());
    const auto made = boxes ? layout::boxes(extents, owned_boxes(*boxes, extents.size()), ranks)
                            : layout::regular(extents, blocks ? *blocks : *even);
    require(made.error());
    if (made->ranks() != ranks)
        raise_argument("the blocks are " + std::to_string(made->ranks()) + ", the ranks " + std::to_string(ranks) +
                       "; make them as many");
    return *made;
}

py::dict figures_of(const plan& made) {
    const plan_figures figures = made.figures();
    py::dict all;
    const auto add = [&](const char* name, auto value) { all[name] = value; };
    add("elements", figures.elements);
    add("moved_elements", figures.moved_elements);
    add("moved_fraction", static_cast<double>(figures.moved_elements) / static_cast<double>(figures.elements));
    add("patch_messages", figures.patch_messages);
    add("rank_messages", figures.rank_messages);
    add("shared_patches", figures.shared_patches);
    add("patches_min", figures.patches.min);
    add("patches_max", figures.patches.max);
    add("volume_min", figures.volume.min);
    add("volume_max", figures.volume.max);
    add("sent_min", figures.sent.min);
    add("sent_max", figures.sent.max);
    add("received_min", figures.received.min);
    add("received_max", figures.received.max);
    add("received_at_most", figures.received_at_most);
    add("between_nodes", figures.between_nodes);
    add("forced", figures.forced);
    add("proven_optimal", figures.proven_optimal);
    return all;
}

load_measure load_named(const std::string& name) {
    if (name == "patches") return load_measure::patches;
    if (name == "elements") return load_measure::elements;
    raise_argument("load is '" + name + "'; use 'patches' or 'elements'");
}

/// From ranks, lower and upper corners of all.
std::vector<owned_box> boxes_from_corners(const py::tuple& packed, std::size_t dimensions) {
    const auto ranks = numbers_of<std::int32_t>(packed[0]);
    const auto lower = numbers_of<std::int64_t>(packed[1]), upper = numbers_of<std::int64_t>(packed[2]);
    if (dimensions > most_dimensions || lower.size() != ranks.size() * dimensions || upper.size() != lower.size())
        raise_argument("the plan's boxes have other dimensions than its array");
    std::vector<owned_box> owned;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        owned.push_back({ranks[i], {dimensions, {}, {}}});
        std::copy_n(lower.begin() + static_cast<std::ptrdiff_t>(i * dimensions), dimensions,
                    owned[i].region.lower.begin());
        std::copy_n(upper.begin() + static_cast<std::ptrdiff_t>(i * dimensions), dimensions,
                    owned[i].region.upper.begin());
    }
    return owned;
}

py::tuple arrays_of(const std::vector<transfer>& pieces) {
    std::vector<std::int32_t> peers, patches, parts;
    corners regions;
    for (const transfer& each : pieces) {
        peers.push_back(each.peer);
        patches.push_back(each.patch);
        parts.push_back(each.part);
        regions.add(each.region);
    }
    const auto bytes = [](const std::vector<std::int32_t>& all) {
        return as_bytes(std::span<const std::int32_t>(all));
    };
    return py::make_tuple(bytes(peers), bytes(patches), bytes(parts), regions.lower_bytes(), regions.upper_bytes());
}

}  // namespace

py::tuple plan_redistribution(const extents_argument& extents, const std::optional<extents_argument>& patch,
                              const std::optional<extents_argument>& patches, std::int64_t ranks,
                              const std::optional<extents_argument>& blocks,
                              const std::optional<std::vector<box_argument>>& boxes, const std::string& kind,
                              double balance, const std::optional<std::vector<std::int32_t>>& owners,
                              const std::string& load, bool exact,
                              const std::optional<std::vector<std::int32_t>>& node_of, std::int64_t between_nodes) {
    if (patch.has_value() == patches.has_value())
        raise_argument(
            "give either the size of a patch (patch=) or the number of patches in each dimension (patches=)");
    const layout from = layout_of(extents, ranks, blocks, boxes);
    const auto to = patch ? patch_grid::of_size(extents, *patch) : patch_grid::blocks(extents, *patches);
    require(to.error());
    const auto known = placement_named(kind);
    require(known.error());
    placement how;
    how.kind = *known;
    how.balance = balance;
    how.load = load_named(load);
    how.exact = exact;
    how.between_nodes = between_nodes;
    if (owners) how.owners = *owners;
    if (node_of) how.node_of = *node_of;
    const auto made = [&] {
        const py::gil_scoped_release unlocked;
        return plan::make(from, *to, how);
    }();
    require(made.error());
    corners of_patches, of_boxes;
    for (patch_number number = 0; number < to->patches(); ++number) of_patches.add(to->patch(number));
    std::vector<rank_number> box_ranks;
    for (rank_number rank = 0; rank < from.ranks(); ++rank)
        for (const box& region : from.boxes_of(rank)) {
            box_ranks.push_back(rank);
            of_boxes.add(region);
        }
    extents_argument counts;
    for (std::size_t d = 0; d < extents.size(); ++d) counts.push_back(to->count(d));
    return py::make_tuple(as_bytes(made->owners()), of_patches.lower_bytes(), of_patches.upper_bytes(),
                          figures_of(*made), py::tuple(py::cast(counts)),
                          as_bytes(std::span<const rank_number>(box_ranks)), of_boxes.lower_bytes(),
                          of_boxes.upper_bytes());
}

py::tuple transfers_of_rank(const extents_argument& extents, const std::optional<extents_argument>& patch,
                            const extents_argument& counts, std::int64_t ranks, const py::tuple& boxes,
                            const py::bytes& owners, std::int64_t rank) {
    if (rank < 0 || rank >= ranks)
        raise_argument("there is no rank " + std::to_string(rank) + " in the plan; give 0 to " +
                       std::to_string(ranks - 1));
    const auto from = layout::boxes(extents, boxes_from_corners(boxes, extents.size()), ranks);
    require(from.error());
    const auto to = patch ? patch_grid::of_size(extents, *patch) : patch_grid::blocks(extents, counts);
    require(to.error());
    placement as_planned;
    as_planned.kind = placement_kind::given;
    as_planned.owners = numbers_of<rank_number>(owners);
    const auto made = [&] {
        const py::gil_scoped_release unlocked;
        return plan::make(*from, *to, as_planned);
    }();
    require(made.error());
    const rank_plan mine = made->of_rank(static_cast<rank_number>(rank));
    return py::make_tuple(arrays_of(mine.sends), arrays_of(mine.receives), arrays_of(mine.copies));
}

}  // namespace laconic::python
