// SPDX-License-Identifier: BSD-3-Clause
// How a ring allreduce cuts an array. Element count, ranks and segment size flow in; out flows, for every message of
// the whole call, which range it carries. Pure arithmetic, the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collective/payload.hpp"

namespace laconic::collective {

/// The array is a sequence of cells of whole chunks. `ranks` consecutive cells are a block: one small ring allreduce
/// of 2 (ranks - 1) steps, one message per step and rank. Blocks run in groups of lanes() that advance together, so
/// lanes() messages of every rank are on their way at any time, and a group follows the one before without a pause.
class ring_layout {
public:
    /// ranks >= 2; lanes: at most so many; segment_values: wanted elements per message; quantum: cells are cut at
    /// multiples of it.
    ring_layout(std::size_t count, int ranks, int lanes, std::size_t segment_values, std::size_t quantum) noexcept;

    /// Messages that each rank sends, and receives, in the whole call; empty ranges included.
    [[nodiscard]] std::uint64_t messages() const noexcept { return groups_ * steps() * lanes_; }
    [[nodiscard]] std::uint64_t lanes() const noexcept { return lanes_; }
    [[nodiscard]] std::uint64_t steps() const noexcept { return 2 * (ranks_ - 1); }
    /// Step of a message: 0 .. ranks-2 reduce, ranks-1 .. 2 ranks - 3 gather.
    [[nodiscard]] std::uint64_t step_of(std::uint64_t index) const noexcept { return index / lanes_ % steps(); }

    /// What `rank` sends as its message `index`.
    [[nodiscard]] range sent(std::uint64_t index, int rank) const noexcept;
    /// What `rank` receives as its message `index`: what its left neighbour sends.
    [[nodiscard]] range received(std::uint64_t index, int rank) const noexcept;
    /// No range has more elements.
    [[nodiscard]] std::size_t largest() const noexcept;

private:
    [[nodiscard]] range cell(std::uint64_t index) const noexcept;

    std::uint64_t count_;
    std::uint64_t ranks_;
    std::uint64_t quantum_;
    std::uint64_t lanes_ = 1;
    std::uint64_t groups_ = 1;
    std::uint64_t quanta_per_cell_ = 0;  // the first extra_ cells have one more
    std::uint64_t extra_ = 0;
};

}  // namespace laconic::collective
