// SPDX-License-Identifier: BSD-3-Clause
// A job in motion: a program's steps over the cells of an array, a payload that makes and reads the messages, and a
// channel flow in; messages travel, and the payload writes the result. It never blocks by itself: advance() goes as
// far as messages allow, so that the same code serves blocking, nonblocking and persistent calls.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>

#include "collective/bundles.hpp"
#include "collective/coalescing.hpp"
#include "collective/hierarchy.hpp"
#include "collective/job.hpp"
#include "collective/message_lengths.hpp"
#include "collective/payload.hpp"
#include "collective/send_window.hpp"
#include "collective/slot_pool.hpp"
#include "laconic/status.hpp"
#include "mpi/channel.hpp"

namespace laconic::collective {

struct traffic {
    std::uint64_t sent_bytes = 0;
    std::uint64_t sent_values = 0;
    std::uint64_t messages = 0;
    message_lengths full;  ///< of messages, or parts of them, that hold as many values as any may
};

class runner {
public:
    /// Memory that a run of the job needs, the payload's own included.
    [[nodiscard]] static std::size_t memory_for(const payload& carrier, const job& work) noexcept;

    /// who      the ranks of the channel that run the program
    /// memory   memory_for() bytes, aligned to 64 bytes, kept alive and untouched until the run is over
    /// tags     first tag and number of tags that no other run between these ranks uses meanwhile
    /// spoiled  what this rank has is no result: its messages say so, and those who get them report `corrupt`
    runner(mpi::channel& channel, const team& who, payload& carrier, const job& work, std::span<std::byte> memory,
           int first_tag, int tags, bool spoiled) noexcept;
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    enum class state : std::uint8_t { waiting, moved, done };
    /// Does what can be done without waiting. `waiting`: nothing could.
    /// returns done after the last message has left, or the reason why the run is over: mpi (the channel is then
    ///         broken and the memory must not be used again); else, with all messages moved so that no rank is left
    ///         waiting, the payload's failure or `corrupt` when another rank's payload failed.
    [[nodiscard]] result<state> advance();

    [[nodiscard]] const traffic& sent() const noexcept { return sent_; }
    /// Gives up a run that is not over: nothing is received any more, but what is being sent may still be read.
    void drop_requests() noexcept;

private:
    struct receive {
        MPI_Request request = MPI_REQUEST_NULL;
        std::span<std::byte> memory;
        int slot = slot_pool::none;
        std::uint64_t event = 0;
        bool arrived = false;
        int size = 0;
    };
    struct send {
        MPI_Request request = MPI_REQUEST_NULL;
        int slot = slot_pool::none;
        std::size_t size = 0;
    };
    struct kept {
        std::span<const std::byte> bytes;
        int slot = slot_pool::none;
    };
    /// The step in work: its message, once made, and how many of its targets have got it.
    struct current {
        bool made = false;
        message what;
        int slot = slot_pool::none;
        std::uint32_t sent = 0;
    };
    /// A final message that has still to be written: with the fourth part their message leaves.
    static constexpr std::size_t most_unwritten = coalesced::most_parts - 1;
    struct unwritten {
        part piece;
        std::span<const std::byte> bytes;
        int slot = slot_pool::none;
    };
    struct shape;

    [[nodiscard]] status post_receives();
    /// False: its message has not come yet.
    [[nodiscard]] result<bool> make_message();
    /// What is made is to be sent.
    void note_length() noexcept;
    [[nodiscard]] result<bool> take_message(const step& now, part piece, receive& came);
    [[nodiscard]] receive room_for(const step& now, part piece);
    [[nodiscard]] receive unpack(const step& now, part piece);
    void make_from_received(const step& now, part piece, const receive& came);
    void make_from_here(const step& now, part piece);
    void settle(int scratch, int received, int held, message what);
    /// False: too many sends are on their way.
    [[nodiscard]] result<bool> send_message();
    [[nodiscard]] bool may_send(std::size_t bytes) const noexcept;
    [[nodiscard]] status start_send(std::span<const std::byte> bytes, int target, int tag, int slot);
    void end_step();
    /// Nothing more can be done before other ranks do something.
    [[nodiscard]] result<state> pause(bool moved);
    [[nodiscard]] status reap_sends();
    [[nodiscard]] status test(receive& pending);

    // Where messages are coalesced (runner_coalesced.cpp).
    void open_boxes(std::span<std::byte>& memory, const shape& cut) noexcept;
    [[nodiscard]] status post_coalesced();
    [[nodiscard]] result<bool> take_coalesced(const step& now, receive& came);
    [[nodiscard]] result<bool> send_coalesced(const step& now, std::size_t values);
    [[nodiscard]] status send_out(std::size_t box);
    /// Nothing waits for company any longer.
    [[nodiscard]] status send_all_out();
    [[nodiscard]] status look_into_boxes();
    void write_later(part piece);
    void write_results();

    /// Receives are posted for events before this one, those of the next time of every lane included.
    [[nodiscard]] std::uint64_t ahead(std::uint64_t more) const noexcept;
    static constexpr std::uint64_t far = 64;
    [[nodiscard]] kept& state_of(std::uint64_t event) noexcept;
    [[nodiscard]] int tag_of(std::uint64_t event) const noexcept;
    [[nodiscard]] result<state> give_up(const status& why);
    static void poll(void* self);
    /// In the order of time.
    [[nodiscard]] std::uint64_t event_in_work() const noexcept { return early_ ? event_ + work_.lanes() : event_; }

    mpi::channel& channel_;
    const team& who_;
    payload& carrier_;
    const job& work_;
    int first_tag_;
    int tags_;
    slot_pool pool_;
    std::span<receive> receives_;
    std::span<send> sends_;
    std::span<kept> states_;
    std::uint64_t event_ = 0;  // in the order of time
    bool early_ = false;       // in work is not event_ but the step that follows it in its lane
    current now_;
    std::uint64_t to_post_ = 0;  // receives are posted for all events before this one
    std::size_t first_receive_ = 0, receive_count_ = 0;
    std::size_t first_send_ = 0, send_count_ = 0;
    send_window window_;
    std::optional<bundles> bundles_;         // in place of receives_ and sends_
    std::span<coalesced::inbox> inboxes_;    // in place of receives_: by program::incoming
    std::span<coalesced::outbox> outboxes_;  // by program::outgoing
    std::size_t slots_in_ = 0;               // that inboxes may hold
    std::size_t last_box_ = 0;               // that something was taken from
    std::size_t open_boxes_ = 0;             // outboxes with something in them; each will be one of sends_
    coalesced::pace pace_;                   // whether they wait for company
    std::array<unwritten, most_unwritten> unwritten_;
    std::size_t unwritten_count_ = 0;
    bool poisoned_ = false;  // a message of another rank said that it is no result
    bool spoiled_ = false;
    status poll_failure_;  // of a request that poll() looked at, and that will not show it again
    traffic sent_;
};

}  // namespace laconic::collective
