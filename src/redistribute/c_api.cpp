// SPDX-License-Identifier: BSD-3-Clause
// The C face of planning: arrays of numbers flow in, a handle and error codes flow out. c_plan_queries.cpp asks it.
#include "codec/c_api.hpp"
#include "laconic/laconic.h"
#include "redistribute/no_memory.hpp"
#include "redistribute/plan_handle.hpp"

namespace {

using namespace laconic;
using redistribute::no_memory;
using redistribute::or_no_memory;

using numbers = std::span<const std::int64_t>;

status check_dimensions(int dimensions) {
    if (dimensions >= 1 && dimensions <= static_cast<int>(most_dimensions)) return {};
    return {errc::invalid_argument, std::to_string(dimensions) + " dimensions; give 1 to 4"};
}

using plan_request = laconic_plan_request;

result<layout> layout_of(const plan_request& asked, numbers whole) {
    if (asked.box_ranks != nullptr || asked.boxes > 0) {
        if (asked.blocks != nullptr)
            return status(errc::invalid_argument, "blocks and boxes are two layouts; give one of them");
        if (asked.boxes > 0 && (asked.box_ranks == nullptr || asked.lower == nullptr || asked.upper == nullptr))
            return null_argument("the ranks, lower or upper corners of the boxes");
        std::vector<owned_box> owned(asked.boxes);
        for (std::size_t i = 0; i < asked.boxes; ++i) {
            owned[i] = {asked.box_ranks[i], {whole.size(), {}, {}}};
            for (std::size_t d = 0; d < whole.size(); ++d) {
                owned[i].region.lower[d] = asked.lower[i * whole.size() + d];
                owned[i].region.upper[d] = asked.upper[i * whole.size() + d];
            }
        }
        return layout::boxes(whole, owned, asked.ranks);
    }
    std::vector<std::int64_t> chosen;
    if (asked.blocks != nullptr) {
        chosen.assign(asked.blocks, asked.blocks + whole.size());
    } else {
        auto even = even_blocks(asked.ranks, whole);
        if (!even) return even.error();
        chosen = std::move(even).value();
    }
    auto from = layout::regular(whole, chosen);
    if (from.ok() && from->ranks() != asked.ranks)
        return status(errc::invalid_argument, "the blocks are " + std::to_string(from->ranks()) + ", the ranks " +
                                                  std::to_string(asked.ranks) + "; make them as many");
    return from;
}

result<patch_grid> grid_of(const plan_request& asked, numbers whole) {
    if (asked.patch != nullptr && asked.patches != nullptr)
        return status(errc::invalid_argument, "patch and patches are two ways to cut the array; give one of them");
    if (asked.patch != nullptr) return patch_grid::of_size(whole, numbers(asked.patch, whole.size()));
    if (asked.patches != nullptr) return patch_grid::blocks(whole, numbers(asked.patches, whole.size()));
    return null_argument("patch");
}

/// The owner of each patch, and the node of each rank, where they are given.
status take_lists(const plan_request& asked, const layout& from, const patch_grid& to, placement& how) {
    const auto take = [](std::vector<std::int32_t>& list, const std::int32_t* given, std::size_t count,
                         std::string_view name, std::string_view remedy) {
        return or_no_memory(
            [&]() -> status {
                list.assign(given, given + count);
                return {};
            },
            [&] { return no_memory(name, count * sizeof(std::int32_t), remedy); });
    };
    if (how.kind == placement_kind::given) {
        if (asked.owners == nullptr) return null_argument("owners, which LACONIC_PLACE_GIVEN needs,");
        const auto patches = static_cast<std::size_t>(to.patches());
        status taken = take(how.owners, asked.owners, patches, "the owners", "use larger patches");
        if (!taken.ok()) return taken;
    }
    if (asked.node_of == nullptr) return {};
    return take(how.node_of, asked.node_of, static_cast<std::size_t>(from.ranks()), "the nodes",
                "plan for fewer ranks");
}

status make_plan(const plan_request& asked, laconic_plan* made) {
    if (made == nullptr) return null_argument("plan");
    *made = LACONIC_PLAN_NULL;
    if (asked.extents == nullptr) return null_argument("extents");
    if (status bad = check_dimensions(asked.dimensions); !bad.ok()) return bad;
    const numbers whole(asked.extents, static_cast<std::size_t>(asked.dimensions));
    placement how;
    if (asked.load != LACONIC_LOAD_PATCHES && asked.load != LACONIC_LOAD_ELEMENTS)
        return {errc::invalid_argument, "load " + std::to_string(asked.load) + "; use one of LACONIC_LOAD_*"};
    if (asked.placement < LACONIC_PLACE_GREEDY || asked.placement > LACONIC_PLACE_GIVEN)
        return {errc::invalid_argument,
                "placement " + std::to_string(asked.placement) + "; use one of LACONIC_PLACE_*"};
    how.kind = static_cast<placement_kind>(asked.placement);
    if (asked.balance != 0) how.balance = asked.balance;
    if (asked.between_nodes != 0) how.between_nodes = asked.between_nodes;
    how.load = static_cast<load_measure>(asked.load);
    how.exact = asked.exact != 0;
    const auto to = grid_of(asked, whole);
    if (!to) return to.error();
    const auto from =
        or_no_memory([&] { return layout_of(asked, whole); },
                     [&] { return no_memory("the boxes", asked.boxes * sizeof(owned_box), "use fewer boxes"); });
    if (!from) return from.error();
    if (status bad = take_lists(asked, *from, *to, how); !bad.ok()) return bad;
    auto planned = plan::make(*from, *to, how);
    if (!planned) return planned.error();
    *made = new laconic_plan_handle{std::move(planned).value()};
    return {};
}

}  // namespace

extern "C" {

int laconic_plan_make(const laconic_plan_request* asked, laconic_plan* made) {
    return guarded([&]() -> status {
        if (made != nullptr) *made = LACONIC_PLAN_NULL;
        if (asked == nullptr) return null_argument("request");
        return make_plan(*asked, made);
    });
}

int laconic_plan_regular(int dimensions, const int64_t* extents, int64_t ranks, const int64_t* blocks,
                         const int64_t* patch, laconic_placement kind, double balance, laconic_plan* made) {
    return guarded([&] {
        laconic_plan_request asked{};
        asked.dimensions = dimensions;
        asked.extents = extents;
        asked.ranks = ranks;
        asked.blocks = blocks;
        asked.patch = patch;
        asked.placement = kind;
        asked.balance = balance;
        return make_plan(asked, made);
    });
}

int laconic_plan_boxes(int dimensions, const int64_t* extents, int64_t ranks, size_t boxes, const int32_t* owners,
                       const int64_t* lower, const int64_t* upper, const int64_t* patch, laconic_placement kind,
                       double balance, laconic_plan* made) {
    return guarded([&]() -> status {
        if (made != nullptr) *made = LACONIC_PLAN_NULL;
        // No boxes at all are a layout that leaves everything out, not blocks.
        const std::int32_t none = 0;
        laconic_plan_request asked{};
        asked.dimensions = dimensions;
        asked.extents = extents;
        asked.ranks = ranks;
        asked.boxes = boxes;
        asked.box_ranks = boxes == 0 && owners == nullptr ? &none : owners;
        asked.lower = lower;
        asked.upper = upper;
        asked.patch = patch;
        asked.placement = kind;
        asked.balance = balance;
        return make_plan(asked, made);
    });
}

int laconic_plan_free(laconic_plan* planned) {
    return guarded([&]() -> status {
        if (planned == nullptr) return null_argument("plan");
        delete *planned;
        *planned = LACONIC_PLAN_NULL;
        return {};
    });
}

}  // extern "C"
