// SPDX-License-Identifier: BSD-3-Clause
// An allreduce, a reduce or a bcast over a hierarchy: inside the nodes, across them, inside again. Inside a node values
// are raw and move through shared memory where there is some.
#pragma once

#include <array>

#include "collective/geometry.hpp"
#include "collective/node_stage.hpp"
#include "collective/stage.hpp"

namespace laconic::collective {

template <class T>
class levels_run final : public moving<T> {
public:
    ~levels_run() override { release(); }

    /// request   the call, on the whole channel. Allocates nothing that an earlier such call has not left behind.
    [[nodiscard]] status reserve(const stage_request<T>& request, hierarchy& levels);

    void start(const quantisation<T>& plan) override;
    [[nodiscard]] result<runner::state> advance() override;
    void release() noexcept override;
    void add_to(collective_report& report) const override;

private:
    enum class level : std::uint8_t { first, across, last, over };

    [[nodiscard]] bool several_inside() const noexcept { return levels_->inside.size > 1; }
    [[nodiscard]] bool goes_across() const noexcept { return levels_->across.size > 1; }
    [[nodiscard]] bool in_memory() const noexcept { return several_inside() && !levels_->memory.bytes().empty(); }
    /// Whether the root is in this rank's node; always where there is none.
    [[nodiscard]] bool near_root() const noexcept {
        return request_.op == operation::allreduce || levels_->has_inside(request_.root);
    }
    [[nodiscard]] bool is_root() const noexcept { return request_.channel->rank() == request_.root; }
    /// What the first or the last level does.
    [[nodiscard]] node_task task_of(level at) const noexcept;
    [[nodiscard]] bool takes_part(level at) const noexcept;
    [[nodiscard]] int root_inside() const noexcept;
    [[nodiscard]] std::size_t count() const noexcept { return request_.data.in.size(); }
    [[nodiscard]] range part_of(std::size_t lane) const noexcept {
        return even_piece(count(), static_cast<std::size_t>(levels_->lanes), lane);
    }
    [[nodiscard]] range own_part() const noexcept;
    /// Where this rank's part stands between the levels.
    [[nodiscard]] std::span<T> part() const noexcept;
    [[nodiscard]] bool needs_scratch() const noexcept;
    [[nodiscard]] status reserve_scratch();
    [[nodiscard]] status reserve_inside(level at);
    [[nodiscard]] status reserve_across();
    [[nodiscard]] stage<T>& messages(level at) noexcept { return messages_[static_cast<std::size_t>(at)]; }
    void start_level();
    [[nodiscard]] result<runner::state> advance_level();
    [[nodiscard]] result<runner::state> wait_in_mpi();

    stage_request<T> request_;
    hierarchy* levels_ = nullptr;
    std::array<stage<T>, 3> messages_;  // by level; those inside only where there is no memory
    node_stage<T> memory_;
    quantisation<T> plan_;
    level at_ = level::over;
    bool started_ = false;  // the level in work
    std::uint64_t drawn_ = 0;
    call_memory* scratch_ = nullptr;  // for a part that has no place in the caller's arrays
    bool in_motion_ = false;          // started, and not over
    bool holds_ = false;              // has drawn a number for the memory, and not ended
    status failure_;                  // of an earlier level
    double combine_s_ = 0;
};

}  // namespace laconic::collective
