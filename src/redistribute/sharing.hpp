// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share which patches: a layout and a patch grid flow in; the pieces of one patch, or of one rank, flow
// out, in time proportional to their number.
#pragma once

#include <array>
#include <vector>

#include "laconic/redistribute.hpp"

namespace laconic::redistribute {

/// What a rank holds of a patch, in elements.
struct share {
    rank_number rank = 0;
    std::int64_t volume = 0;
    friend bool operator==(const share&, const share&) = default;
};

struct piece {
    rank_number rank = 0;
    patch_number patch = 0;
    box region;
    std::int32_t part = 0;  ///< which of the rank's boxes
};

class sharing {
public:
    /// Regular layouts: O(cuts). Boxes: O(pieces), and 4 bytes for each.
    sharing(const layout& from, const patch_grid& to);

    /// The ranks that hold parts of a patch, ascending. `out` is overwritten.
    void shares_of(patch_number patch, std::vector<share>& out) const;
    /// The same, box by box: ascending by rank, then in the order of its boxes.
    void pieces_of_patch(patch_number patch, std::vector<piece>& out) const;
    /// The pieces of all patches that a rank holds: ascending by patch, then in the order of its boxes.
    void pieces_of_rank(rank_number rank, std::vector<piece>& out) const;

    /// Regular layouts: for each dimension and patch index, the first block that it touches and the last.
    struct span_of_blocks {
        std::int32_t first = 0, last = 0;
    };
    [[nodiscard]] const std::array<std::vector<span_of_blocks>, most_dimensions>& spans() const { return spans_; }

private:
    void index_boxes();

    layout from_;
    patch_grid to_;
    std::array<std::vector<span_of_blocks>, most_dimensions> spans_;
    std::vector<std::size_t> first_of_patch_;  ///< boxes: into box_of_piece_
    std::vector<std::uint32_t> box_of_piece_;  ///< into owned of the layout's state
};

}  // namespace laconic::redistribute
