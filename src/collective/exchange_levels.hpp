// SPDX-License-Identifier: BSD-3-Clause
// An alltoall over a hierarchy: what the ranks of a node have for the ranks of a lane in another node goes there in one
// message (or segments of one). Inside the node every rank hands each lane's rank what it has for that lane; the
// k-th ranks of all nodes exchange; ranks without a lane get their elements from their lane's rank.
#pragma once

#include "collective/levels_run.hpp"

namespace laconic::collective {

template <class T>
class exchange_levels final : public levels_run<T> {
public:
    /// request   the call, on the whole channel. Allocates nothing that an earlier such call has not left behind.
    /// told      see told_counts; empty where counts follow from the call
    [[nodiscard]] status reserve(const stage_request<T>& request, hierarchy& levels, const geometry& shape,
                                 std::span<const std::size_t> told);

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

    [[nodiscard]] bool by_messages() const noexcept { return this->several_inside() && !this->in_memory(); }
    /// Elements that a rank of this node has for another rank, and gets from it.
    [[nodiscard]] std::size_t sent(int local, int rank) const noexcept { return told(local, rank); }
    [[nodiscard]] std::size_t got(int local, int rank) const noexcept { return told(local, shape_.ranks + rank); }
    [[nodiscard]] std::size_t told(int local, int entry) const noexcept {
        if (told_.empty()) return equal();
        return told_[static_cast<std::size_t>(local) * 2 * static_cast<std::size_t>(shape_.ranks) +
                     static_cast<std::size_t>(entry)];
    }
    [[nodiscard]] std::size_t equal() const noexcept {
        return shape_.in_count / static_cast<std::size_t>(shape_.ranks);
    }
    /// All that a rank of this node gets.
    [[nodiscard]] std::size_t all_got(int local) const noexcept;
    /// Where this rank's array has what is for a rank, or comes from one.
    [[nodiscard]] std::size_t in_first(int rank) const noexcept;
    [[nodiscard]] std::size_t out_first(int rank) const noexcept;
    /// What comes in, in order: f(rank that it comes from, local rank that it is for, elements).
    template <class F>
    void for_each_come(F f) const {
        for (const int source : layout().sources)
            for (int local = own_lane(); local < levels_->inside.size; local += levels_->lanes)
                f(source, local, got(local, source));
    }

    // Scratch memory: the part that goes out (later what is handed out of the part that comes in), and the part that
    // comes in (before that what the node's ranks hand each other by messages).
    [[nodiscard]] std::span<T> outgoing() const noexcept { return this->scratch(out_length_); }
    [[nodiscard]] std::span<T> incoming() const noexcept {
        if (levels_->nodes == 1) return outgoing();
        return this->scratch(second_ + in_length_).subspan(second_);
    }
    [[nodiscard]] std::span<T> packed() const noexcept {
        return this->scratch(second_ + packed_length_).subspan(second_);
    }
    [[nodiscard]] std::span<T> queues() const noexcept {
        return this->scratch(second_ + packed_length_ + layout().queue_first.back()).subspan(second_ + packed_length_);
    }
    [[nodiscard]] std::span<T> handed_out() const noexcept { return this->scratch(layout().member_first.back()); }

    void lay_out_sources();
    void lay_out_runs();
    void lay_out_outgoing();
    void lay_out_incoming();
    void find_longest();
    void hand_out() noexcept;
    [[nodiscard]] bool lands_together() const noexcept;
    /// Where what comes from a node goes: into its section, or straight into the caller's array.
    [[nodiscard]] std::size_t place_of(const range& section) const noexcept;
    [[nodiscard]] std::size_t memory_needed() noexcept;
    [[nodiscard]] status reserve_first();
    [[nodiscard]] status reserve_across();
    [[nodiscard]] status reserve_last();

    geometry shape_;
    std::span<const std::size_t> told_;
    std::size_t out_length_ = 0, in_length_ = 0, packed_length_ = 0;
    std::size_t second_ = 0;        // where the second half of scratch memory begins
    std::size_t most_between_ = 0;  // elements between two nodes in this lane at most, where all have equal counts
    bool lands_ = false;            // what comes in goes straight into the caller's array
};

}  // namespace laconic::collective
