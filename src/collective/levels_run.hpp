// SPDX-License-Identifier: BSD-3-Clause
// A collective over a hierarchy: inside the nodes, across them, inside again. Inside a node values are raw and move
// through shared memory where there is some. What moves at each level is said by array_levels and piece_levels.
#pragma once

#include <algorithm>
#include <array>

#include "collective/geometry.hpp"
#include "collective/node_stage.hpp"
#include "collective/stage.hpp"

namespace laconic::collective {

template <class T>
class levels_run : public moving<T> {
public:
    ~levels_run() override { release(); }

    void start(const quantisation<T>& plan) final;
    [[nodiscard]] result<runner::state> advance() final;
    void release() noexcept final;
    void add_to(collective_report& report) const final;
    [[nodiscard]] double message_share(std::size_t least_bytes) const noexcept final {
        return messages_[static_cast<std::size_t>(level::across)].message_share(least_bytes);
    }

protected:
    enum class level : std::uint8_t { first, across, last, over };

    /// Whether this rank has anything to do with the others then.
    [[nodiscard]] virtual bool takes_part(level at) const noexcept = 0;
    /// What the first or the last level does in memory.
    [[nodiscard]] virtual node_request<T> task_of(level at) const noexcept = 0;
    /// What this rank does by itself before a level.
    virtual void prepare(level /*at*/) noexcept {}
    /// And after all of them.
    virtual void conclude() noexcept = 0;

    /// Forgets an earlier call, and borrows memory for this one.
    [[nodiscard]] status begin(const stage_request<T>& request, hierarchy& levels);
    [[nodiscard]] bool several_inside() const noexcept { return levels_->inside.size > 1; }
    [[nodiscard]] bool goes_across() const noexcept { return levels_->across.size > 1; }
    /// Whether ranks of this node have no lane.
    [[nodiscard]] bool hands_over() const noexcept { return levels_->inside.size > levels_->lanes; }
    /// The root's place in its node. Precondition: it is in this one.
    [[nodiscard]] int root_inside() const noexcept {
        const auto& ranks = levels_->inside.ranks;
        return static_cast<int>(std::find(ranks.begin(), ranks.end(), request_.root) - ranks.begin());
    }
    [[nodiscard]] int own_lane() const noexcept { return levels_->inside.rank % levels_->lanes; }
    [[nodiscard]] const lane_layout& layout() const noexcept { return scratch_->layout; }
    [[nodiscard]] bool in_memory() const noexcept { return several_inside() && !levels_->memory.bytes().empty(); }
    [[nodiscard]] stage<T>& messages(level at) noexcept { return messages_[static_cast<std::size_t>(at)]; }
    /// A request for messages of raw values inside the node.
    [[nodiscard]] stage_request<T> raw_inside(operation op, schedule_kind schedule) const;
    /// One for messages between nodes.
    [[nodiscard]] stage_request<T> between_nodes() const;
    [[nodiscard]] std::span<T> scratch(std::size_t count) const noexcept {
        return {reinterpret_cast<T*>(scratch_->bytes.bytes().data()), count};
    }

    stage_request<T> request_;
    hierarchy* levels_ = nullptr;
    call_memory* scratch_ = nullptr;

private:
    void prepare_level() noexcept;
    void start_level();
    [[nodiscard]] result<runner::state> advance_level();
    [[nodiscard]] result<runner::state> wait_in_mpi();

    std::array<stage<T>, 3> messages_;  // by level; those inside only where there is no memory
    node_stage<T> memory_;
    quantisation<T> plan_;
    level at_ = level::over;
    bool started_ = false;  // the level in work
    std::uint64_t drawn_ = 0;
    bool in_motion_ = false;  // started, and not over
    bool holds_ = false;      // has drawn a number for the memory, and not ended
    status failure_;          // of an earlier level
    phase_times times_;       // in memory, and of what is prepared and concluded
};

}  // namespace laconic::collective
