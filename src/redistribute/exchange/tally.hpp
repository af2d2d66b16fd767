// SPDX-License-Identifier: BSD-3-Clause
// Bytes that arrive flow in, patches that are complete flow out: first those that the rank held, in order, then the
// others as they come.
#pragma once

#include <cstdint>
#include <vector>

#include "redistribute/exchange/work.hpp"

namespace laconic::redistribute {

class tally {
public:
    /// May throw bad_alloc; nothing later does.
    explicit tally(const work& todo) : work_(&todo), missing_(todo.patches.size()), ready_(todo.patches.size()) {}

    void reset() noexcept {
        for (std::size_t i = 0; i < missing_.size(); ++i) missing_[i] = work_->patches[i].bytes;
        held_seen_ = held_at_ = ready_count_ = told_ = 0;
    }
    void arrived(std::uint32_t patch, std::int64_t bytes) noexcept {
        missing_[patch] -= bytes;
        if (missing_[patch] == 0 && !work_->patches[patch].held) ready_[ready_count_++] = patch;
    }
    /// The position of a patch that is complete and has not been told before; -1: none yet.
    [[nodiscard]] std::int64_t next() noexcept {
        if (held_seen_ < work_->held) {
            while (!work_->patches[held_at_].held) ++held_at_;
            if (missing_[held_at_] > 0) return -1;
            ++held_seen_;
            return static_cast<std::int64_t>(held_at_++);
        }
        return told_ < ready_count_ ? static_cast<std::int64_t>(ready_[told_++]) : -1;
    }

private:
    const work* work_;
    std::vector<std::int64_t> missing_;
    std::vector<std::uint32_t> ready_;  // complete, and not held, in the order of completion
    std::size_t held_seen_ = 0, held_at_ = 0, ready_count_ = 0, told_ = 0;
};

}  // namespace laconic::redistribute
