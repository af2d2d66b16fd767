// SPDX-License-Identifier: BSD-3-Clause
// Cells, lanes and groups of the ring.
#include "collective/ring_layout.hpp"

#include <algorithm>

namespace laconic::collective {
namespace {

/// Arrays too short for full segments in every lane are cut finer, but not below this many quanta: there latency
/// costs more than overlap gains.
constexpr std::uint64_t min_quanta = 2;

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

ring_layout::ring_layout(std::size_t count, int ranks, int lanes, std::size_t segment_values,
                         std::size_t quantum) noexcept
    : count_(count), ranks_(static_cast<std::uint64_t>(ranks)), quantum_(quantum) {
    const auto max_lanes = static_cast<std::uint64_t>(lanes);
    const std::uint64_t quanta = divide_up(count_, quantum_);
    std::uint64_t per_cell = std::max<std::uint64_t>(segment_values / quantum_, 1);
    const std::uint64_t overlapping = divide_up(quanta, ranks_ * max_lanes);
    per_cell = std::min(per_cell, std::max(overlapping, min_quanta));
    const std::uint64_t blocks = std::max<std::uint64_t>(divide_up(quanta, ranks_ * per_cell), 1);
    lanes_ = std::min(blocks, max_lanes);
    groups_ = divide_up(blocks, lanes_);
    const std::uint64_t cells = groups_ * lanes_ * ranks_;
    quanta_per_cell_ = quanta / cells;
    extra_ = quanta % cells;
}

range ring_layout::cell(std::uint64_t index) const noexcept {
    const auto start = [&](std::uint64_t i) {
        return std::min(count_, (i * quanta_per_cell_ + std::min(i, extra_)) * quantum_);
    };
    return {start(index), start(index + 1) - start(index)};
}

range ring_layout::sent(std::uint64_t index, int rank) const noexcept {
    const std::uint64_t block = index / (steps() * lanes_) * lanes_ + index % lanes_;
    // steps() < 2 * ranks_, so the sum stays positive.
    const std::uint64_t piece = (static_cast<std::uint64_t>(rank) + 2 * ranks_ - step_of(index)) % ranks_;
    return cell(block * ranks_ + piece);
}

range ring_layout::received(std::uint64_t index, int rank) const noexcept {
    const int left = rank == 0 ? static_cast<int>(ranks_) - 1 : rank - 1;
    return sent(index, left);
}

std::size_t ring_layout::largest() const noexcept {
    return std::min(count_, (quanta_per_cell_ + (extra_ != 0 ? 1 : 0)) * quantum_);
}

}  // namespace laconic::collective
