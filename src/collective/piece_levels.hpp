// SPDX-License-Identifier: BSD-3-Clause
// A reduce_scatter or an allgather over a hierarchy: every rank has a piece, and every lane moves the pieces of the
// ranks that it is for. In the smallest node each lane has one rank; ranks of larger nodes beyond the lanes hand their
// pieces to a rank that has one, or get them from it.
#pragma once

#include "collective/levels_run.hpp"

namespace laconic::collective {

template <class T>
class piece_levels final : public levels_run<T> {
public:
    /// request   the call, on the whole channel. Allocates nothing that an earlier such call has not left behind.
    [[nodiscard]] status reserve(const stage_request<T>& request, hierarchy& levels, const geometry& shape);

private:
    using typename levels_run<T>::level;
    using levels_run<T>::request_;
    using levels_run<T>::levels_;
    using levels_run<T>::scratch_;

    [[nodiscard]] bool takes_part(level at) const noexcept override;
    [[nodiscard]] node_request<T> task_of(level at) const noexcept override;
    void prepare(level at) noexcept override;
    void conclude() noexcept override;

    [[nodiscard]] bool reduces() const noexcept { return request_.op == operation::reduce_scatter; }
    /// Whether ranks of this node have no lane.
    [[nodiscard]] bool hands_over() const noexcept { return levels_->inside.size > levels_->lanes; }
    [[nodiscard]] const lane_layout& layout() const noexcept { return scratch_->layout; }
    [[nodiscard]] int own_lane() const noexcept { return levels_->inside.rank % levels_->lanes; }
    [[nodiscard]] std::size_t length_of(int lane) const noexcept {
        const auto k = static_cast<std::size_t>(lane);
        return layout().lane_first[k + 1] - layout().lane_first[k];
    }
    /// Whether scratch memory holds all lanes in a row; else this rank's alone.
    [[nodiscard]] bool holds_all() const noexcept { return !this->in_memory(); }
    [[nodiscard]] std::span<T> all_lanes() const noexcept { return this->scratch(layout().lane_first.back()); }
    /// The part of this rank's lane. Empty where it has none.
    [[nodiscard]] std::span<T> part() const noexcept;
    [[nodiscard]] std::span<T> own_section() const noexcept;
    void lay_out(const geometry& shape);
    [[nodiscard]] status reserve_lanes(level at);
    [[nodiscard]] status reserve_handing_over(level at);
    [[nodiscard]] status reserve_across();
};

}  // namespace laconic::collective
