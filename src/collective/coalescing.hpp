// SPDX-License-Identifier: BSD-3-Clause
// Short messages of one rank to another that leave together. Parts flow in, in the order in which the other rank takes
// them; messages of several parts travel; the same parts flow out. Through TCP a message costs some 10 us of a
// processor on either side, more than the bytes of a short one, and ranks that share processors wait for it
// (docs/adr/0019, 0020).
//
// A message is its parts, one after the other, and then the length of each of them as a 32-bit integer. Lengths come
// last so that a long part, which travels alone, is sent from where it was made and read from where it was received.
// A message can promise that the next `most_parts` parts travel alone (the top bit of its last length): their receives
// can be posted before they come. Without a promise no more can be than messages would come if all were full. Long
// parts promise it, and so does a rank for which messages are cheap.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collective/slot_pool.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective::coalesced {

using length = std::uint32_t;
inline constexpr length promise = length{1} << 31;
/// A longer part travels alone.
inline constexpr std::size_t longest_part = 8 * 1024;
/// Of several parts, lengths included: MPI libraries send as much unasked (docs/adr/0015).
inline constexpr std::size_t most_bytes = 16 * 1024;
inline constexpr std::uint32_t most_parts = 4;

/// What a slot has to hold where no part is longer than part_bytes.
[[nodiscard]] constexpr std::size_t slot_bytes(std::size_t part_bytes) noexcept {
    const std::size_t together = most_parts * (std::min(part_bytes, longest_part) + sizeof(length));
    return std::max(part_bytes + sizeof(length), std::min(together, most_bytes));
}

/// How many parts a message has; 0: it is none.
[[nodiscard]] std::uint32_t parts_in(std::span<const std::byte> message) noexcept;

/// Whether company is worth waiting for: where the next part is made sooner than a message costs. Where messages are
/// cheap nothing should wait: what a ring passes on in groups is one group late at every rank.
/// Both are what a rank has seen lately in this run, whoever it sent to; before it has seen them, it waits. Ranks that
/// take turns on processors always do: a message may cost them a turn.
class pace {
public:
    explicit pace(bool takes_turns) noexcept : takes_turns_(takes_turns) {}

    /// A message took so long to be sent. It takes its receiver as long, and as long again whoever wakes it. A long
    /// one, which is announced, tells nothing of others.
    void sent(std::size_t bytes, double took_s) noexcept {
        if (bytes <= most_bytes) follow(message_s_, 3 * took_s);
        sending_s_ += took_s;
    }
    /// A part is made; now, by MPI_Wtime().
    void made(double now_s) noexcept {
        now_s -= sending_s_;
        if (!paused_) follow(part_s_, now_s - made_s_);
        made_s_ = now_s;
        paused_ = false;
    }
    /// The next part has to wait for others: when it is made says nothing.
    void paused() noexcept { paused_ = true; }
    [[nodiscard]] bool is_worth_waiting() const noexcept {
        return takes_turns_ || part_s_ < 0 || message_s_ < 0 || part_s_ <= message_s_;
    }

private:
    static void follow(double& mean, double seen) noexcept { mean = mean < 0 ? seen : mean + (seen - mean) / 8; }

    bool takes_turns_;
    double message_s_ = -1, part_s_ = -1;  // less than 0: not seen yet
    double made_s_ = 0;                    // by a clock that stands still while messages are sent
    double sending_s_ = 0;
    bool paused_ = true;
};

/// What is to leave for one rank. It grows in the slot of its first part.
class outbox {
public:
    [[nodiscard]] bool is_empty() const noexcept { return parts_ == 0; }
    [[nodiscard]] bool has_room_for(std::size_t part_bytes) const noexcept {
        return parts_ == 0 || (part_bytes <= longest_part && size_with(part_bytes) <= most_bytes);
    }
    /// Nothing should wait any longer: another part like those there would not fit, or it was promised that none waits.
    [[nodiscard]] bool is_full() const noexcept {
        return parts_ == most_parts || alone_ > 0 || size_with(used_ / std::max(parts_, 1U)) > most_bytes;
    }
    /// The first part lies at the beginning of `memory`, slot_bytes() long, whose slot is the outbox's to let go.
    void begin(int slot, std::span<std::byte> memory, std::size_t part_bytes) noexcept;
    /// Precondition: has_room_for() it, and it is not empty.
    void append(std::span<const std::byte> part) noexcept;

    struct letter {
        std::span<const std::byte> bytes;
        int slot = slot_pool::none;
    };
    /// The message, complete; the outbox is empty again.
    /// alone   it promises that the next most_parts travel alone, as a long part does anyway
    [[nodiscard]] letter seal(bool alone) noexcept;

private:
    [[nodiscard]] std::size_t size_with(std::size_t part_bytes) const noexcept {
        return used_ + part_bytes + (parts_ + 1) * sizeof(length);
    }

    std::span<std::byte> memory_;
    int slot_ = slot_pool::none;
    std::size_t used_ = 0;
    std::array<length, most_parts> lengths_{};
    std::uint32_t parts_ = 0;
    std::uint32_t alone_ = 0;  // so many parts were promised to travel alone
};

/// What comes from one rank. Its receives are posted ahead, never more than messages will come.
class inbox {
public:
    struct receive {
        MPI_Request request = MPI_REQUEST_NULL;
        int slot = slot_pool::none;
        int size = 0;
        bool arrived = false;
    };
    struct part {
        int slot = slot_pool::none;
        std::span<std::byte> memory;  ///< of the slot
        std::size_t size = 0;
    };

    inbox() = default;
    /// receives   room for those that hold a slot at a time: posted, arrived, being read
    inbox(mpi::channel& channel, int source, int tag, slot_pool& pool, std::span<receive> receives) noexcept
        : channel_(&channel), pool_(&pool), receives_(receives), source_(source), tag_(tag) {}

    /// One more part will come.
    void expect() noexcept { ++expected_; }
    /// One more receive would get its message.
    [[nodiscard]] bool wants_more() const noexcept;
    /// Posts it. Precondition: wants_more(), and a slot is free.
    [[nodiscard]] status post();
    /// Slots that it holds.
    [[nodiscard]] std::size_t held() const noexcept { return count_; }
    /// The next part, in a slot of the caller's. False: it has not come. mpi: also if what came is no message of parts.
    [[nodiscard]] result<bool> take(part& next);
    /// Looks whether the next message is there.
    [[nodiscard]] status look();
    void drop() noexcept;

private:
    [[nodiscard]] receive& first() noexcept { return receives_[first_]; }

    mpi::channel* channel_ = nullptr;
    slot_pool* pool_ = nullptr;
    std::span<receive> receives_;
    int source_ = 0, tag_ = 0;
    std::size_t first_ = 0, count_ = 0;
    std::int64_t expected_ = 0;  // parts of messages that have not been opened; less than 0 if more came than were due
    std::uint32_t parts_ = 0;    // of the message that is being read; 0: none is
    std::uint32_t taken_ = 0;    // of them
    std::uint32_t alone_ = 0;    // so many of the parts to come were promised to travel alone
    std::size_t cursor_ = 0;     // where the next one begins
};

}  // namespace laconic::collective::coalesced
