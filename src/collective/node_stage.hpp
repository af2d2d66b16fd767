// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a node reduce an array, or share its parts, through memory that all of them see. It never blocks: a
// round is written when the others have read what was in the slot, and read when all have written it.
#pragma once

#include "collective/arrays.hpp"
#include "collective/hierarchy.hpp"
#include "collective/node_board.hpp"
#include "collective/runner.hpp"

namespace laconic::collective {

enum class node_task : std::uint8_t {
    reduce,   ///< local rank k gets part k of the sum of all, for k < lanes
    share,    ///< all ranks get part k from local rank k
    deal,     ///< local rank k gets part k from the root
    collect,  ///< the root gets part k from local rank k
};

/// What a rank does with its node's memory.
template <class T>
struct node_request {
    node_task task = node_task::reduce;
    arrays<T> data;     ///< in: the whole array where this rank's is read; out: where it is written
    std::span<T> part;  ///< where this rank's part stands, if it has one
    int root = 0;       ///< local, of deal and collect
};

template <class T>
class node_stage {
public:
    /// count     elements of the whole array
    /// spoiled   what this rank has is no result: the others learn of it
    void start(hierarchy& levels, const node_request<T>& what, std::size_t count, bool spoiled) noexcept;
    /// returns done, or corrupt when a rank had no result to share.
    [[nodiscard]] result<runner::state> advance();

    [[nodiscard]] double combine_s() const noexcept { return combine_s_; }

private:
    /// The elements of a lane's part that a round is about.
    [[nodiscard]] range elements(int lane, std::uint64_t round) const noexcept;
    [[nodiscard]] bool may_write() const noexcept;
    [[nodiscard]] bool may_read() const noexcept;
    void write_round() noexcept;
    void reduce_round() noexcept;
    void read_round() noexcept;
    /// Parts of a slot that this rank fills, or takes from the others' slots.
    [[nodiscard]] bool writes(int lane) const noexcept;
    [[nodiscard]] bool reads(int lane) const noexcept;
    [[nodiscard]] const T* source(int lane, range what) const noexcept;

    hierarchy* levels_ = nullptr;
    node_board board_;
    node_request<T> what_;
    std::size_t count_ = 0;
    std::size_t cell_ = 1;  // elements of a part in a round
    std::uint64_t rounds_ = 0, written_ = 0, read_ = 0;
    bool spoiled_ = false;
    bool failed_ = false;
    double combine_s_ = 0;
};

}  // namespace laconic::collective
