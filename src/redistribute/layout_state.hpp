// SPDX-License-Identifier: BSD-3-Clause
// What a layout is made of: cuts of a regular one, or boxes grouped by rank.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "laconic/redistribute.hpp"

namespace laconic {

struct layout::state {
    box domain;
    rank_number ranks = 0;
    bool regular = false;
    std::array<std::vector<std::int64_t>, most_dimensions> cuts;  ///< regular: as patch_grid::cuts()
    std::vector<owned_box> owned;                                 ///< else: by rank, then in the order given
    std::vector<std::size_t> first_of_rank;                       ///< into owned; ranks + 1

    /// Regular: the block of a rank.
    [[nodiscard]] box block(rank_number rank) const noexcept;
};

}  // namespace laconic
