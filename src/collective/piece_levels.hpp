// SPDX-License-Identifier: BSD-3-Clause
// A reduce_scatter, an allgather, a gather or a scatter over a hierarchy: every rank has a piece, and every lane moves
// the pieces of the ranks that it is for. In the smallest node each lane has one rank; ranks of larger nodes beyond the
// lanes hand their pieces to a rank that has one, or get them from it. Where there is a root, lanes begin or end in its
// node, and what its node has for itself travels raw.
#pragma once

#include "collective/levels_run.hpp"

namespace laconic::collective {

template <class T>
class piece_levels final : public levels_run<T> {
public:
    /// request   the call, on the whole channel. Allocates nothing that an earlier such call has not left behind.
    /// told      the counts of all ranks; empty where they follow from the call
    [[nodiscard]] status reserve(const stage_request<T>& request, hierarchy& levels, const geometry& shape,
                                 std::span<const std::size_t> told = {});

private:
    using typename levels_run<T>::level;
    using levels_run<T>::request_;
    using levels_run<T>::levels_;
    using levels_run<T>::scratch_;
    using levels_run<T>::hands_over;
    using levels_run<T>::layout;
    using levels_run<T>::own_lane;

    [[nodiscard]] bool takes_part(level at) const noexcept override;
    [[nodiscard]] node_request<T> task_of(level at) const noexcept override;
    void prepare(level at) noexcept override;
    void conclude() noexcept override;

    [[nodiscard]] bool reduces() const noexcept { return request_.op == operation::reduce_scatter; }
    /// Whether whole arrays go into the lanes and pieces come out; else the other way round.
    [[nodiscard]] bool spreads() const noexcept { return reduces() || request_.op == operation::scatter; }
    /// Whether whole arrays go into lanes, or come out of them, at this level; else ranks hand over pieces.
    [[nodiscard]] bool is_over_lanes(level at) const noexcept { return spreads() == (at == level::first); }
    [[nodiscard]] bool has_root() const noexcept {
        return request_.op == operation::gather || request_.op == operation::scatter;
    }
    [[nodiscard]] bool is_root() const noexcept { return has_root() && request_.channel->rank() == request_.root; }
    /// Whether ranks of this node have whole arrays.
    [[nodiscard]] bool near_root() const noexcept { return !has_root() || levels_->has_inside(request_.root); }
    /// Whether this rank reads or writes a whole array.
    [[nodiscard]] bool has_whole() const noexcept { return !has_root() || is_root(); }
    [[nodiscard]] std::size_t length_of(int lane) const noexcept {
        const auto k = static_cast<std::size_t>(lane);
        return layout().lane_first[k + 1] - layout().lane_first[k];
    }
    /// Whether scratch memory holds all lanes in a row; else this rank's alone.
    [[nodiscard]] bool holds_all() const noexcept { return !this->in_memory() && has_whole(); }
    /// Where this rank's part begins in its lane: far from the root it is its node's section alone.
    [[nodiscard]] std::size_t part_first() const noexcept { return near_root() ? 0 : layout().section.first; }
    [[nodiscard]] std::size_t part_length() const noexcept {
        return near_root() ? length_of(own_lane()) : layout().section.count;
    }
    [[nodiscard]] std::span<T> all_lanes() const noexcept { return this->scratch(layout().lane_first.back()); }
    /// The part of this rank's lane. Empty where it has none.
    [[nodiscard]] std::span<T> part() const noexcept;
    [[nodiscard]] std::span<T> own_section() const noexcept;
    /// Where a run's elements stand in scratch memory. Precondition: holds_all(), or the run is of this rank's part.
    [[nodiscard]] T* lane_at(const lane_run& run) const noexcept {
        const auto lane = static_cast<std::size_t>(run.lane);
        return (holds_all() ? all_lanes().data() + layout().lane_first[lane] : part().data()) + run.first;
    }
    void lay_out(const geometry& shape, std::span<const std::size_t> told);
    void lay_out_hand_over();
    [[nodiscard]] status reserve_lanes(level at);
    [[nodiscard]] status reserve_handing_over(level at);
    [[nodiscard]] status reserve_across();
};

}  // namespace laconic::collective
