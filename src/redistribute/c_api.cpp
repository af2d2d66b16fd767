// SPDX-License-Identifier: BSD-3-Clause
// The C face of planning: arrays of numbers flow in, a handle and error codes flow out.
#include "codec/c_api.hpp"
#include "laconic/laconic.h"
#include "redistribute/plan_handle.hpp"

namespace {

using namespace laconic;

using numbers = std::span<const std::int64_t>;

status check_dimensions(int dimensions) {
    if (dimensions >= 1 && dimensions <= static_cast<int>(most_dimensions)) return {};
    return {errc::invalid_argument, std::to_string(dimensions) + " dimensions; give 1 to 4"};
}

status finish(const result<layout>& from, numbers extents, numbers patch, laconic_placement kind, double balance,
              laconic_plan* made) {
    if (!from) return from.error();
    const auto to = patch_grid::of_size(extents, patch);
    if (!to) return to.error();
    placement how;
    if (kind < LACONIC_PLACE_GREEDY || kind > LACONIC_PLACE_OPTIMAL)
        return {errc::invalid_argument, "placement " + std::to_string(kind) + "; use one of LACONIC_PLACE_*"};
    how.kind = static_cast<placement_kind>(kind);
    if (balance != 0) how.balance = balance;
    auto planned = plan::make(*from, *to, how);
    if (!planned) return planned.error();
    *made = new laconic_plan_handle{std::move(planned).value()};
    return {};
}

}  // namespace

extern "C" {

int laconic_plan_regular(int dimensions, const int64_t* extents, int64_t ranks, const int64_t* blocks,
                         const int64_t* patch, laconic_placement kind, double balance, laconic_plan* made) {
    return guarded([&]() -> status {
        if (made == nullptr) return null_argument("plan");
        *made = LACONIC_PLAN_NULL;
        if (extents == nullptr) return null_argument("extents");
        if (patch == nullptr) return null_argument("patch");
        if (status bad = check_dimensions(dimensions); !bad.ok()) return bad;
        const auto count = static_cast<std::size_t>(dimensions);
        const numbers whole(extents, count);
        std::vector<std::int64_t> chosen;
        if (blocks != nullptr) {
            chosen.assign(blocks, blocks + count);
        } else {
            auto even = even_blocks(ranks, whole);
            if (!even) return even.error();
            chosen = std::move(even).value();
        }
        const auto from = layout::regular(whole, chosen);
        if (from.ok() && from->ranks() != ranks)
            return {errc::invalid_argument, "the blocks are " + std::to_string(from->ranks()) + ", the ranks " +
                                                std::to_string(ranks) + "; make them as many"};
        return finish(from, whole, numbers(patch, count), kind, balance, made);
    });
}

int laconic_plan_boxes(int dimensions, const int64_t* extents, int64_t ranks, size_t boxes, const int32_t* owners,
                       const int64_t* lower, const int64_t* upper, const int64_t* patch, laconic_placement kind,
                       double balance, laconic_plan* made) {
    return guarded([&]() -> status {
        if (made == nullptr) return null_argument("plan");
        *made = LACONIC_PLAN_NULL;
        if (extents == nullptr) return null_argument("extents");
        if (patch == nullptr) return null_argument("patch");
        if (boxes > 0 && (owners == nullptr || lower == nullptr || upper == nullptr))
            return null_argument("owners, lower or upper");
        if (status bad = check_dimensions(dimensions); !bad.ok()) return bad;
        const auto count = static_cast<std::size_t>(dimensions);
        std::vector<owned_box> owned(boxes);
        for (std::size_t i = 0; i < boxes; ++i) {
            owned[i] = {owners[i], {count, {}, {}}};
            for (std::size_t d = 0; d < count; ++d) {
                owned[i].region.lower[d] = lower[i * count + d];
                owned[i].region.upper[d] = upper[i * count + d];
            }
        }
        const numbers whole(extents, count);
        return finish(layout::boxes(whole, owned, ranks), whole, numbers(patch, count), kind, balance, made);
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

int laconic_plan_describe(laconic_plan planned, laconic_plan_figures* figures) {
    return guarded([&]() -> status {
        if (planned == nullptr) return null_argument("plan");
        if (figures == nullptr) return null_argument("figures");
        const plan_figures found = planned->planned.figures();
        *figures = {found.elements,       found.moved_elements,        found.patches.sum, found.shared_patches,
                    found.patch_messages, found.rank_messages,         found.patches.min, found.patches.max,
                    found.received.max,   found.proven_optimal ? 1 : 0};
        return {};
    });
}

int laconic_plan_patches(laconic_plan planned, int32_t rank, const int32_t** patches, size_t* count) {
    return guarded([&]() -> status {
        if (planned == nullptr) return null_argument("plan");
        if (patches == nullptr || count == nullptr) return null_argument("patches or count");
        if (rank < 0 || rank >= planned->planned.from().ranks())
            return {errc::invalid_argument, "there is no rank " + std::to_string(rank) + " in the plan"};
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

}  // extern "C"
