// SPDX-License-Identifier: BSD-3-Clause
// How much of what a rank sends may be on its way where many ranks send to one. Sizes of messages flow in; whether
// another one may leave flows out, and which ones the receiver has to confirm (MPI_Issend). Else a link that they share
// gets from each of them all that it has, and what the queue before that link has no room for is lost and sent again
// (docs/adr/0025).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace laconic::collective {

class send_window {
public:
    /// Of all senders together, up to the messages that are to be confirmed; as many again may leave before those are
    /// taken.
    static constexpr std::size_t most_bytes = 700 * 1024;

    /// No limit.
    send_window() = default;
    /// senders   that send to the same rank
    explicit send_window(std::uint32_t senders) noexcept
        : limit_(senders > 1 ? std::max<std::size_t>(most_bytes / senders, 1) : 0) {}

    /// A message of any length finds room where nothing else is on its way.
    [[nodiscard]] bool has_room_for(std::size_t bytes) const noexcept {
        return limit_ == 0 || on_way_ == 0 || on_way_ + bytes <= limit_;
    }
    /// A message leaves.
    /// rest   about as many bytes will follow
    /// returns whether its receiver has to confirm it: what follows could not all leave unconfirmed.
    [[nodiscard]] bool leaves(std::size_t bytes, std::size_t rest) noexcept {
        on_way_ += bytes;
        unconfirmed_ += bytes;
        if (limit_ == 0 || unconfirmed_ < limit_ || rest <= limit_) return false;
        unconfirmed_ = 0;
        return true;
    }
    /// The message that left first, of those that were not over, is.
    void is_over(std::size_t bytes) noexcept { on_way_ -= bytes; }

private:
    std::size_t limit_ = 0;
    std::size_t on_way_ = 0;
    std::size_t unconfirmed_ = 0;  // since the last one that is to be confirmed
};

}  // namespace laconic::collective
