// SPDX-License-Identifier: BSD-3-Clause
// An allreduce, a reduce or a bcast over a hierarchy: one array, cut into a part for each lane.
#pragma once

#include "collective/levels_run.hpp"

namespace laconic::collective {

template <class T>
class array_levels final : public levels_run<T> {
public:
    /// request   the call, on the whole channel. Allocates nothing that an earlier such call has not left behind.
    [[nodiscard]] status reserve(const stage_request<T>& request, hierarchy& levels);

private:
    using typename levels_run<T>::level;
    using levels_run<T>::request_;
    using levels_run<T>::levels_;
    using levels_run<T>::scratch_;
    using levels_run<T>::several_inside;
    using levels_run<T>::messages;

    [[nodiscard]] bool takes_part(level at) const noexcept override;
    [[nodiscard]] node_request<T> task_of(level at) const noexcept override;
    void conclude() noexcept override;

    /// Whether the root is in this rank's node; always where there is none.
    [[nodiscard]] bool near_root() const noexcept {
        return request_.op == operation::allreduce || levels_->has_inside(request_.root);
    }
    [[nodiscard]] bool is_root() const noexcept { return request_.channel->rank() == request_.root; }
    [[nodiscard]] node_task kind_of(level at) const noexcept;
    [[nodiscard]] std::size_t count() const noexcept { return request_.data.in.size(); }
    [[nodiscard]] range part_of(std::size_t lane) const noexcept {
        return even_piece(count(), static_cast<std::size_t>(levels_->lanes), lane);
    }
    [[nodiscard]] range own_part() const noexcept;
    /// Where this rank's part stands between the levels.
    [[nodiscard]] std::span<T> part() const noexcept;
    /// Whether that is no place in the caller's arrays.
    [[nodiscard]] bool needs_scratch() const noexcept;
    void lay_out();
    [[nodiscard]] status reserve_inside(level at);
    [[nodiscard]] status reserve_across();
};

}  // namespace laconic::collective
