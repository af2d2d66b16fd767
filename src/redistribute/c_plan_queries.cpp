// SPDX-License-Identifier: BSD-3-Clause
// The C face of a plan that is there: a handle flows in, figures, owners, boxes and what a rank does flow out.
#include <algorithm>
#include <iterator>

#include "codec/c_api.hpp"
#include "laconic/laconic.h"
#include "redistribute/no_memory.hpp"
#include "redistribute/plan_handle.hpp"

namespace {

using namespace laconic;
using redistribute::no_memory;
using redistribute::or_no_memory;

status check_rank(laconic_plan planned, std::int32_t rank) {
    if (planned == nullptr) return null_argument("plan");
    const rank_number ranks = planned->planned.from().ranks();
    if (rank >= 0 && rank < ranks) return {};
    return {errc::invalid_argument,
            "there is no rank " + std::to_string(rank) + " in the plan; give 0 to " + std::to_string(ranks - 1)};
}

/// Whether `capacity` things go to memory that is there, or they are only counted.
status check_room(bool memory, std::size_t capacity, std::size_t needed, const char* name) {
    if (!memory && capacity > 0) return null_argument(name);
    if (!memory || needed <= capacity) return {};
    return {errc::output_too_small, "room for " + std::to_string(capacity) + " where there are " +
                                        std::to_string(needed) + "; ask with capacity 0 first"};
}

laconic_transfer transfer_of(const transfer& each) {
    static_assert(std::extent_v<decltype(laconic_transfer::lower)> == most_dimensions);
    laconic_transfer made{each.peer, each.patch, each.part, {}, {}};
    std::copy(each.region.lower.begin(), each.region.lower.end(), std::begin(made.lower));
    std::copy(each.region.upper.begin(), each.region.upper.end(), std::begin(made.upper));
    return made;
}

}  // namespace

extern "C" {

int laconic_plan_describe(laconic_plan planned, laconic_plan_figures* figures) {
    return guarded([&]() -> status {
        if (planned == nullptr) return null_argument("plan");
        if (figures == nullptr) return null_argument("figures");
        const auto ranks = static_cast<std::size_t>(planned->planned.from().ranks());
        const auto found = or_no_memory([&]() -> result<plan_figures> { return planned->planned.figures(); },
                                        [&] {
                                            // Four numbers and a rank for each.
                                            const std::size_t bytes = 4 * sizeof(std::int64_t) + sizeof(rank_number);
                                            return no_memory("the figures", bytes * ranks, "plan for fewer ranks");
                                        });
        if (!found) return found.error();
        *figures = {found->elements,       found->moved_elements,
                    found->patches.sum,    found->shared_patches,
                    found->patch_messages, found->rank_messages,
                    found->patches.min,    found->patches.max,
                    found->received.max,   found->proven_optimal ? 1 : 0,
                    found->between_nodes,  found->received_at_most,
                    found->forced,         found->received.min,
                    found->sent.min,       found->sent.max,
                    found->volume.min,     found->volume.max};
        return {};
    });
}

int laconic_plan_owners(laconic_plan planned, const int32_t** owners, size_t* count) {
    return guarded([&]() -> status {
        if (planned == nullptr) return null_argument("plan");
        if (owners == nullptr || count == nullptr) return null_argument("owners or count");
        *owners = planned->planned.owners().data();
        *count = planned->planned.owners().size();
        return {};
    });
}

int laconic_plan_patches(laconic_plan planned, int32_t rank, const int32_t** patches, size_t* count) {
    return guarded([&]() -> status {
        if (status bad = check_rank(planned, rank); !bad.ok()) return bad;
        if (patches == nullptr || count == nullptr) return null_argument("patches or count");
        const auto found = planned->planned.patches_of(rank);
        *patches = found.data();
        *count = found.size();
        return {};
    });
}

int laconic_plan_patch(laconic_plan planned, int32_t patch, int64_t* lower, int64_t* upper) {
    return guarded([&]() -> status {
        if (planned == nullptr) return null_argument("plan");
        if (lower == nullptr || upper == nullptr) return null_argument("lower or upper");
        if (patch < 0 || patch >= planned->planned.to().patches())
            return {errc::invalid_argument, "there is no patch " + std::to_string(patch) + " in the plan"};
        const box region = planned->planned.to().patch(patch);
        for (std::size_t d = 0; d < region.dimensions; ++d) {
            lower[d] = region.lower[d];
            upper[d] = region.upper[d];
        }
        return {};
    });
}

int laconic_plan_boxes_of(laconic_plan planned, int32_t rank, int64_t* lower, int64_t* upper, size_t capacity,
                          size_t* count) {
    return guarded([&]() -> status {
        if (status bad = check_rank(planned, rank); !bad.ok()) return bad;
        if (count == nullptr) return null_argument("count");
        const auto boxes =
            or_no_memory([&]() -> result<std::vector<box>> { return planned->planned.from().boxes_of(rank); },
                         [] { return no_memory("the boxes of a rank", sizeof(box), "use fewer boxes"); });
        if (!boxes) return boxes.error();
        *count = boxes->size();
        const bool memory = lower != nullptr && upper != nullptr;
        if (status bad = check_room(memory, capacity, boxes->size(), "lower or upper"); !bad.ok()) return bad;
        if (!memory) return {};
        for (const box& each : *boxes) {
            lower = std::copy_n(each.lower.begin(), each.dimensions, lower);
            upper = std::copy_n(each.upper.begin(), each.dimensions, upper);
        }
        return {};
    });
}

int laconic_plan_transfers(laconic_plan planned, int32_t rank, laconic_transfer_kind kind, laconic_transfer* transfers,
                           size_t capacity, size_t* count) {
    return guarded([&]() -> status {
        if (status bad = check_rank(planned, rank); !bad.ok()) return bad;
        if (count == nullptr) return null_argument("count");
        if (kind < LACONIC_SENDS || kind > LACONIC_COPIES)
            return {errc::invalid_argument,
                    "kind of transfer " + std::to_string(kind) + "; use LACONIC_SENDS, _RECEIVES or _COPIES"};
        const auto mine =
            or_no_memory([&]() -> result<rank_plan> { return planned->planned.of_rank(rank); },
                         [] { return no_memory("the pieces of a rank", sizeof(transfer), "use larger patches"); });
        if (!mine) return mine.error();
        const auto& wanted = kind == LACONIC_SENDS      ? mine->sends
                             : kind == LACONIC_RECEIVES ? mine->receives
                                                        : mine->copies;
        *count = wanted.size();
        if (status bad = check_room(transfers != nullptr, capacity, wanted.size(), "transfers"); !bad.ok()) return bad;
        if (transfers != nullptr) std::transform(wanted.begin(), wanted.end(), transfers, transfer_of);
        return {};
    });
}

}  // extern "C"
