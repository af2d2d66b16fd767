// SPDX-License-Identifier: BSD-3-Clause
// Patches that the same ranks hold in the same parts are interchangeable: who shares which patch flows in, groups of
// equal patches flow out. Large arrays have few groups: the whole patches of a rank are one.
#pragma once

#include <vector>

#include "redistribute/sharing.hpp"

namespace laconic::redistribute {

struct patch_classes {
    std::vector<std::int32_t> class_of_patch;
    std::vector<std::int64_t> patches;     ///< of each class
    std::vector<std::int64_t> volume;      ///< of one patch of each class
    std::vector<std::size_t> first_share;  ///< of each class, into shares; one more at the end
    std::vector<share> shares;             ///< ascending by rank within a class
    [[nodiscard]] std::size_t size() const noexcept { return patches.size(); }
};

/// Classes are numbered in the order of their first patches.
[[nodiscard]] patch_classes classify(const sharing& shared, const layout& from, const patch_grid& to);

}  // namespace laconic::redistribute
