// SPDX-License-Identifier: BSD-3-Clause
// Which calls of a communicator are under way on this rank, and which tags their messages have.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>

namespace laconic::collective {

/// Tags that one call needs, and how many calls can have tags of their own at a time.
inline constexpr int tags_per_call = 4096;
/// MPI guarantees 32768 tags, for eight calls; both MPIs have enough for 1024. They are the same for all communicators,
/// but Open MPI tells of them on MPI_COMM_WORLD alone. Tests set less, on all ranks, while no call is under way.
[[nodiscard]] inline std::uint64_t& calls_with_tags() noexcept {
    static std::uint64_t calls = [] {
        void* attribute = nullptr;
        int found = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&attribute), &found);
        const int most = found != 0 ? *static_cast<int*>(attribute) : 32767;
        return static_cast<std::uint64_t>(std::min((most - tags_per_call + 1) / tags_per_call + 1, 1024));
    }();
    return calls;
}
[[nodiscard]] inline int first_tag(std::uint64_t call) noexcept {
    return static_cast<int>(call % calls_with_tags()) * tags_per_call;
}

/// In the order of their numbers.
class calls_under_way {
public:
    /// Of one call; lives where the call does.
    class place {
    public:
        place() = default;
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        ~place() { leave(); }

        [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
        /// It was none on this rank (call_store::take_back_call), and the program does not know yet: it keeps its
        /// place, and its tags, until it leaves; a turn of call_store that it had goes by.
        /// Precondition: it is under way.
        void give_up(bool had_turn) noexcept {
            is_given_up_ = true;
            had_turn_ = had_turn;
            if (had_turn) ++line_->turns_gone_by_;
        }
        [[nodiscard]] bool is_given_up() const noexcept { return is_given_up_; }
        /// The call is over. Nothing, if it was before.
        void leave() noexcept {
            if (line_ == nullptr) return;
            if (had_turn_) --line_->turns_gone_by_;
            is_given_up_ = had_turn_ = false;
            (before_ != nullptr ? before_->after_ : line_->first_) = after_;
            (after_ != nullptr ? after_->before_ : line_->last_) = before_;
            line_ = nullptr;
        }

    private:
        friend class calls_under_way;
        std::uint64_t number_ = 0;
        bool is_given_up_ = false, had_turn_ = false;
        calls_under_way* line_ = nullptr;
        place* before_ = nullptr;
        place* after_ = nullptr;
    };
    calls_under_way() = default;
    calls_under_way(const calls_under_way&) = delete;
    calls_under_way& operator=(const calls_under_way&) = delete;
    ~calls_under_way() {
        for (place* one = first_; one != nullptr; one = one->after_) one->line_ = nullptr;
    }

    void enter(place& one, std::uint64_t number) noexcept {
        one.leave();
        place* before = last_;
        while (before != nullptr && before->number_ > number) before = before->before_;
        place* const after = before != nullptr ? before->after_ : first_;
        one.number_ = number, one.line_ = this, one.before_ = before, one.after_ = after;
        (before != nullptr ? before->after_ : first_) = &one;
        (after != nullptr ? after->before_ : last_) = &one;
    }
    /// Whether no earlier call that is not over here has the tags of this one. Another rank may not have got as far,
    /// but messages between two ranks arrive in order: it takes those of the earlier call first.
    /// Precondition: it is under way.
    [[nodiscard]] bool has_tags(const place& one) const noexcept {
        return &one == first_ || one.number() - first_->number() < calls_with_tags();
    }

    /// Whether the earliest one keeps its place for a program that does not know that it is over.
    [[nodiscard]] bool is_first_given_up() const noexcept { return first_ != nullptr && first_->is_given_up_; }
    /// Of calls that were given up.
    [[nodiscard]] int turns_gone_by() const noexcept { return turns_gone_by_; }

private:
    place* first_ = nullptr;
    place* last_ = nullptr;
    int turns_gone_by_ = 0;
};

}  // namespace laconic::collective
