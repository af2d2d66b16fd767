// SPDX-License-Identifier: BSD-3-Clause
// The prices of ranks, and the cheapest of a range of them: a binary tree of minima over slots. Slots are ranks in the
// order of their nodes, so that a node is a range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace laconic::redistribute {

class cheapest {
public:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

    explicit cheapest(std::size_t slots) {
        while (width_ < slots) width_ *= 2;
        least_.assign(2 * width_, none);
    }
    void set(std::size_t slot, std::int64_t price) noexcept {
        std::size_t at = width_ + slot;
        least_[at] = price;
        while (at /= 2) {
            const std::int64_t least = std::min(least_[2 * at], least_[2 * at + 1]);
            if (least_[at] == least) return;
            least_[at] = least;
        }
    }

    struct found {
        std::size_t slot = 0;
        std::int64_t price = none;
    };
    /// The first slot of least price in [begin, end) but for `except`; price none when there is no other.
    [[nodiscard]] found among(std::size_t begin, std::size_t end, std::size_t except) const noexcept {
        const found below = among(begin, std::min(end, except));
        const found above = among(std::max(begin, except + 1), end);
        return above.price < below.price ? above : below;
    }

private:
    [[nodiscard]] found among(std::size_t begin, std::size_t end) const noexcept {
        found best;
        if (begin >= end) return best;
        std::size_t node = 0;
        // Subtrees that lie in the range, from left and right; of equal ones the leftmost.
        std::size_t right_node = 0;
        std::int64_t right_price = none;
        for (std::size_t low = begin + width_, high = end + width_; low < high; low /= 2, high /= 2) {
            if (low & 1U) {
                if (least_[low] < best.price) best.price = least_[low], node = low;
                ++low;
            }
            if (high & 1U) {
                --high;
                if (least_[high] <= right_price) right_price = least_[high], right_node = high;
            }
        }
        if (right_price < best.price) best.price = right_price, node = right_node;
        if (best.price == none) return best;
        while (node < width_) node = least_[2 * node] == best.price ? 2 * node : 2 * node + 1;
        best.slot = node - width_;
        return best;
    }

    std::size_t width_ = 1;
    std::vector<std::int64_t> least_;
};

}  // namespace laconic::redistribute
