// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a node reduce an array, or share its parts, through memory that all of them see. It never blocks: a
// round is written when the others have read what was in the slot, and read when all have written it. A part need not
// lie together in the array: runs say where its elements are.
#pragma once

#include "collective/arrays.hpp"
#include "collective/hierarchy.hpp"
#include "collective/lane_runs.hpp"
#include "collective/node_board.hpp"
#include "collective/runner.hpp"

namespace laconic::collective {

enum class node_task : std::uint8_t {
    reduce,    ///< local rank k gets part k of the sum of all, for k < lanes
    share,     ///< all ranks get part k from local rank k
    deal,      ///< local rank k gets part k from the root
    collect,   ///< the root gets part k from local rank k
    exchange,  ///< local rank k gets from every other rank what that one has for lane k
};

/// What a rank does with its node's memory.
template <class T>
struct node_request {
    node_task task = node_task::reduce;
    arrays<T> data;     ///< in: the whole array where this rank's is read; out: where it is written
    std::span<T> part;  ///< where this rank's part stands, if it has one
    int root = 0;       ///< local, of deal and collect
    /// Where the parts lie in the array that this rank reads or writes, in the order of lanes and of elements; of an
    /// array that is written, what this rank does not want may be missing.
    std::span<const lane_run> runs;
    /// Longest part; exchange: the most that a rank has for a lane. The same on all ranks of the node, in elements.
    std::size_t longest = 0;
    /// Of exchange: where what the ranks have for this rank's lane belongs in its part. A run's lane is the local rank
    /// that it comes from, `first` where it stands in what that one has; ordered by both.
    std::span<const lane_run> arrivals = {};
};

template <class T>
class node_stage {
public:
    /// spoiled   what this rank has is no result: the others learn of it
    void start(hierarchy& levels, const node_request<T>& what, bool spoiled) noexcept;
    /// returns done, or corrupt when a rank had no result to share.
    [[nodiscard]] result<runner::state> advance();

    [[nodiscard]] const phase_times& times() const noexcept { return times_; }

private:
    [[nodiscard]] bool may_write() const noexcept;
    [[nodiscard]] bool may_read() const noexcept;
    void write_round() noexcept;
    void reduce_round() noexcept;
    void read_round() noexcept;
    void take_runs() noexcept;
    /// Parts of a slot that this rank fills, or takes from the others' slots.
    [[nodiscard]] bool writes(int lane) const noexcept;
    [[nodiscard]] bool reads(int lane) const noexcept;
    /// The elements of a part that a round is about.
    [[nodiscard]] range window(std::uint64_t round) const noexcept { return {round * cell_, cell_}; }
    /// Where they stand in the slot that a rank has filled for this call's round.
    [[nodiscard]] std::byte* cell_of(int rank, int lane, std::uint64_t round) const noexcept;

    hierarchy* levels_ = nullptr;
    node_board board_;
    node_request<T> what_;
    std::size_t cell_ = 1;  // elements of a part in a round
    std::uint64_t rounds_ = 0, written_ = 0, read_ = 0;
    bool spoiled_ = false;
    bool failed_ = false;
    phase_times times_;
};

}  // namespace laconic::collective
