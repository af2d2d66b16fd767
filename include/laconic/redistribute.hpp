// SPDX-License-Identifier: BSD-3-Clause
// Least-movement redistribution, the planning half: who owns which boxes of an N-d array (a layout), the patches it is
// to be cut into (a patch grid) and a placement flow in; a plan flows out: the rank of every patch, what each rank
// sends, receives and keeps, and the figures of all that. docs/guide/redistribute.md explains the placements.
//
// All functions are local (no MPI), thread-safe, and compute with integers only: ranks that make a plan from the same
// input hold the same plan. Objects are values without hidden state; const members may be called from several threads
// at once. Memory that cannot be had is errc::out_of_memory; functions that return neither status nor result and take
// memory throw std::bad_alloc, and say so. Boxes are half open, in elements, int64; dimension 0
// varies slowest (C order), of elements, blocks and patches alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laconic/status.hpp"

namespace laconic {

inline constexpr std::size_t most_dimensions = 4;
/// Ranks and patches are numbered by int32: at most 2^31 - 1 of each.
using rank_number = std::int32_t;
using patch_number = std::int32_t;

/// The elements i with lower[d] <= i[d] < upper[d] in every dimension d < dimensions.
struct box {
    std::size_t dimensions = 0;  ///< 1 to most_dimensions
    std::array<std::int64_t, most_dimensions> lower{}, upper{};

    [[nodiscard]] std::int64_t extent(std::size_t d) const noexcept { return upper[d] - lower[d]; }
    /// Elements. Precondition: inside an array that a layout or a patch grid accepted.
    [[nodiscard]] std::int64_t volume() const noexcept;
    [[nodiscard]] bool empty() const noexcept;
    /// "[0, 32) x [64, 96)". Throws bad_alloc where there is no memory.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const box&, const box&) = default;
};

/// What two boxes of equally many dimensions share; empty() when nothing.
[[nodiscard]] box intersection(const box& a, const box& b) noexcept;

/// A box that a rank holds.
struct owned_box {
    rank_number rank = 0;
    box region;
};

/// Where a box lies in a rank's memory, in elements from the beginning of the span. Elements that are neighbours in the
/// last dimension are neighbours in memory: its stride is 1.
struct stored_box {
    std::int64_t offset = 0;
    std::array<std::int64_t, most_dimensions> strides{};
};

/// Which rank holds which part of the array before the exchange.
class layout {
public:
    /// Regular blocks. Of the blocks[d] parts of dimension d, part i begins at floor(extents[d] * i / blocks[d]), so
    /// that those longer by one element are spread evenly; rank numbers count blocks, the last dimension fastest.
    /// returns invalid_argument  not 1 to 4 dimensions, as many blocks as extents; an extent or a number of blocks < 1;
    ///                           more blocks than elements in a dimension; more than 2^31 - 1 ranks; more than 2^60
    ///                           elements
    ///         out_of_memory     the text says how many bytes are needed at least
    /// cost     O(sum of blocks), and so is the memory
    [[nodiscard]] static result<layout> regular(std::span<const std::int64_t> extents,
                                                std::span<const std::int64_t> blocks);
    /// Any boxes: every rank below `ranks` holds any number of them (none is fine), in any order.
    /// returns as regular(), and
    ///         mismatch  a box has other dimensions than the array, is empty, or leaves it; two boxes overlap; an
    ///         element
    ///                   is in no box. The text names ranks and boxes.
    /// cost     O(n log n) for n boxes, 40 bytes * 2^dimensions per box while it runs
    [[nodiscard]] static result<layout> boxes(std::span<const std::int64_t> extents, std::span<const owned_box> owned,
                                              std::int64_t ranks);

    [[nodiscard]] const box& domain() const noexcept;
    [[nodiscard]] rank_number ranks() const noexcept;
    /// Elements that a rank holds. Precondition here and below: 0 <= rank < ranks().
    [[nodiscard]] std::int64_t volume(rank_number rank) const noexcept;
    /// The boxes of a rank, in the order given. Allocates them; throws bad_alloc where there is no memory.
    [[nodiscard]] std::vector<box> boxes_of(rank_number rank) const;

    struct state;  ///< private to the library
    [[nodiscard]] const state& inner() const noexcept { return *state_; }

private:
    explicit layout(std::shared_ptr<const state> inner) : state_(std::move(inner)) {}
    std::shared_ptr<const state> state_;
};

/// `ranks` as a product of one number per dimension, as even as MPI_Dims_create makes it, larger numbers first, each at
/// most the extent of its dimension.
/// returns invalid_argument  `ranks` < 1, or no such product (a large prime on a small array), with a remedy
[[nodiscard]] result<std::vector<std::int64_t>> even_blocks(std::int64_t ranks, std::span<const std::int64_t> extents);

/// How the array is cut into patches. Patches are numbered in C order.
class patch_grid {
public:
    /// Patches of one size; those at the upper ends are cut off where the array ends.
    /// returns invalid_argument  as layout::regular(); a patch extent < 1 or larger than the array's; more than 2^31 -
    /// 1
    ///                           patches
    ///         out_of_memory     as layout::regular()
    [[nodiscard]] static result<patch_grid> of_size(std::span<const std::int64_t> extents,
                                                    std::span<const std::int64_t> patch);
    /// So many patches per dimension, cut as layout::regular() cuts blocks; pencils for an FFT, for example.
    [[nodiscard]] static result<patch_grid> blocks(std::span<const std::int64_t> extents,
                                                   std::span<const std::int64_t> counts);

    [[nodiscard]] const box& domain() const noexcept { return domain_; }
    [[nodiscard]] patch_number patches() const noexcept { return patches_; }
    [[nodiscard]] std::int64_t count(std::size_t d) const noexcept {
        return static_cast<std::int64_t>(cuts_[d].size()) - 1;
    }
    /// Where dimension d is cut: count(d) + 1 ascending numbers, from 0 to the array's extent.
    [[nodiscard]] std::span<const std::int64_t> cuts(std::size_t d) const noexcept { return cuts_[d]; }
    /// Precondition: 0 <= patch < patches().
    [[nodiscard]] box patch(patch_number patch) const noexcept;
    [[nodiscard]] std::int64_t largest_volume() const noexcept;

private:
    patch_grid() = default;
    box domain_;
    std::array<std::vector<std::int64_t>, most_dimensions> cuts_;
    patch_number patches_ = 0;
};

/// Which rank gets which patch. The first three are those of Robinson et al., PEARC '24 (balanced and greedy as
/// published, ties and failures included: docs/guide/redistribute.md).
enum class placement_kind {
    greedy,       ///< to the rank that holds most of it; ties to the smallest rank: the least movement there is
    balanced,     ///< patches held whole stay; the others to the first sharer below its target count, or the first rank
    round_robin,  ///< patch p to rank p % ranks, truncated patches like any other
    optimal,      ///< least movement under a limit on the load of every rank
    given,        ///< as `owners` says
};
[[nodiscard]] std::string_view name_of(placement_kind kind) noexcept;
/// `explicit` is another name of given. invalid_argument with the names there are, for a text that is none of them.
[[nodiscard]] result<placement_kind> placement_named(std::string_view name);

/// What a rank's load is.
enum class load_measure { patches, elements };

struct placement {
    placement_kind kind = placement_kind::optimal;
    /// optimal: no rank gets more than ceil(mean load * balance), the mean over all ranks; 1 to 1e6, rounded down to a
    /// multiple of 2^-20.
    /// At 1, counting patches, every rank gets the mean rounded down or up. Counting elements, patches being whole, a
    /// rank may exceed the limit by less than the largest patch.
    double balance = 1;
    load_measure load = load_measure::patches;
    /// The node of each rank, any numbers >= 0, for plan_figures::between_nodes. optimal: a byte that stays within a
    /// node costs 1 then and one between nodes costs between_nodes (1 to 1000). Empty: all bytes that change rank cost
    /// the same.
    std::vector<std::int32_t> node_of;
    std::int64_t between_nodes = 8;
    /// optimal, by patches: go on until nothing can be better, however long that takes (seconds at 800,000 patches on
    /// 16,384 ranks). Otherwise the search ends after a fixed amount of work, the same on every rank, and the answer
    /// may be a few parts in a thousand from the best: plan_figures::proven_optimal says which.
    bool exact = false;
    std::vector<rank_number> owners;  ///< given: the rank of each patch
};

/// One piece of a patch on its way, or staying.
struct transfer {
    rank_number peer = 0;  ///< the other rank; the rank itself for what stays
    patch_number patch = 0;
    box region;             ///< in coordinates of the array
    std::int32_t part = 0;  ///< in which of its sender's boxes it lies, see layout::boxes_of()
    friend bool operator==(const transfer&, const transfer&) = default;
};

/// The plan as one rank carries it out. sends of a to b are receives of b from a, in the same order.
struct rank_plan {
    std::vector<patch_number> patches;  ///< that the rank owns afterwards, ascending
    std::vector<transfer> sends;        ///< ascending by patch, then by box
    std::vector<transfer> receives;     ///< likewise
    std::vector<transfer> copies;       ///< pieces that stay with the rank
};

/// Least, greatest and sum over ranks.
struct spread {
    std::int64_t min = 0, max = 0, sum = 0;
};

struct plan_figures {
    std::int64_t elements = 0;        ///< of the array
    std::int64_t moved_elements = 0;  ///< that change rank
    std::int64_t between_nodes = 0;   ///< of those, that change node; 0 without node_of
    std::int64_t patch_messages = 0;  ///< (sender, patch) pairs with different ranks: messages, one for each patch
    std::int64_t rank_messages = 0;   ///< (sender, receiver) pairs: messages, packed for each rank
    std::int64_t shared_patches = 0;  ///< that lie on several ranks before
    spread patches, volume;           ///< per rank, after
    spread sent, received;            ///< elements per rank
    std::int64_t received_at_most =
        0;  ///< optimal by patches: what the limit allows any rank to receive; else elements
    bool proven_optimal =
        false;                ///< no placement within the limits costs less (greedy without nodes; optimal by patches)
    std::int64_t forced = 0;  ///< balanced: patches above target because their ranks held them whole
};

class plan {
public:
    /// returns invalid_argument  the placement's parameters are outside their domains, or node_of or owners has the
    /// wrong
    ///                           length or an entry that is no rank
    ///         mismatch          layout and grid are for arrays of different extents
    ///         unsupported       gains too large for the exact solver (elements of a patch * ranks beyond 2^58)
    /// cost     greedy, balanced, round_robin, given: O(patches + shared pieces); optimal: a second for a million
    /// patches
    ///          on 16,384 ranks. Memory about 100 bytes per shared patch while it runs, 8 per patch in the plan.
    [[nodiscard]] static result<plan> make(const layout& from, const patch_grid& to, const placement& how);

    [[nodiscard]] const layout& from() const noexcept;
    [[nodiscard]] const patch_grid& to() const noexcept;
    /// The rank of each patch.
    [[nodiscard]] std::span<const rank_number> owners() const noexcept;
    /// Patches of one rank, ascending. Precondition: 0 <= rank < ranks.
    [[nodiscard]] std::span<const patch_number> patches_of(rank_number rank) const noexcept;
    /// What one rank does. O(its boxes, its patches and the pieces of both), of time and memory; no global list is
    /// made. Throws bad_alloc where there is no memory.
    [[nodiscard]] rank_plan of_rank(rank_number rank) const;
    /// O(patches + shared pieces), and 36 bytes for each rank; throws bad_alloc where there is no memory.
    [[nodiscard]] plan_figures figures() const;

private:
    struct state;
    explicit plan(std::shared_ptr<const state> inner) : state_(std::move(inner)) {}
    std::shared_ptr<const state> state_;
};

}  // namespace laconic
