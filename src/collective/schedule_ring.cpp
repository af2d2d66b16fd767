// SPDX-License-Identifier: BSD-3-Clause
// The ring in motion. Every received message causes exactly one send, lanes() later in the order of sends; receives
// are posted ahead in that same order, at the largest size a message can have, so no sizes are exchanged.
//
// No deadlock: the rank that is furthest behind waits for message m; its neighbour has posted the send of m, because
// it only ever blocks on sends later than m, and the receive of m is posted before anything else is waited for.
// In place is safe: a range is written at the earliest when its final message arrives, and that message contains this
// rank's own contribution.
#include "collective/schedule_ring.hpp"

#include <algorithm>
#include <array>

#include "collective/slot_pool.hpp"
#include "mpi/wait.hpp"

namespace laconic::collective {
namespace {

// Room in the tables below; how much of it a call uses follows from its lanes.
constexpr int most_lanes = 32;
constexpr int window_for(int lanes) noexcept { return lanes + 2; }     // receives posted ahead
constexpr int max_sends_for(int lanes) noexcept { return lanes + 4; }  // sends on their way
constexpr int slots_for(int lanes) noexcept {
    return window_for(lanes) + max_sends_for(lanes) + 2;  // the message in work and its successor
}
static_assert(slots_for(most_lanes) <= slot_pool::capacity);
constexpr int ring_tag = 1;

constexpr std::size_t round_up(std::size_t bytes) noexcept {
    constexpr std::size_t a = mpi::workspace::alignment;
    return (bytes + a - 1) / a * a;
}

int lanes_of(const ring_layout& layout) noexcept { return std::min(static_cast<int>(layout.lanes()), most_lanes); }

std::size_t slot_size(const payload& carrier, const ring_layout& layout) noexcept {
    return round_up(carrier.wire_bound(layout.largest()));
}

std::size_t slots_size(const payload& carrier, const ring_layout& layout) noexcept {
    return slot_size(carrier, layout) * static_cast<std::size_t>(slots_for(lanes_of(layout)));
}

class ring_run {
public:
    ring_run(mpi::channel& channel, payload& carrier, const ring_layout& layout, ring_traffic& traffic) noexcept
        : channel_(channel),
          carrier_(carrier),
          layout_(layout),
          traffic_(traffic),
          last_reduce_(static_cast<std::uint64_t>(channel.size()) - 2),
          total_(layout.messages()),
          window_(static_cast<std::size_t>(window_for(lanes_of(layout)))),
          max_sends_(static_cast<std::size_t>(max_sends_for(lanes_of(layout)))),
          pool_(channel.memory().bytes(), slot_size(carrier, layout), slots_for(lanes_of(layout))),
          left_((channel.rank() + channel.size() - 1) % channel.size()),
          right_((channel.rank() + 1) % channel.size()) {}

    [[nodiscard]] status run() {
        if (auto done = post_receives(); !done.ok()) return done;
        for (std::uint64_t index = 0; index < layout_.lanes(); ++index)
            if (auto done = send_first(index); !done.ok()) return done;
        for (handled_ = 0; handled_ < total_; ++handled_) {
            if (auto done = post_receives(); !done.ok()) return done;
            if (auto done = handle(); !done.ok()) return done;
            if (auto done = reap_sends(); !done.ok()) return done;
        }
        while (send_count_ > 0)
            if (auto done = finish_oldest_send(); !done.ok()) return done;
        if (!carrier_.failure().ok()) return carrier_.failure();
        if (poisoned_) return {errc::corrupt, "another rank could not read a message of this collective"};
        return {};
    }

    /// After an error nobody will complete what is still pending.
    void drop_requests() noexcept {
        for (receive& pending : receives_) {
            if (pending.request == MPI_REQUEST_NULL) continue;
            MPI_Cancel(&pending.request);
            MPI_Request_free(&pending.request);
        }
        for (send& pending : sends_)
            if (pending.request != MPI_REQUEST_NULL) MPI_Request_free(&pending.request);
    }

private:
    struct receive {
        MPI_Request request = MPI_REQUEST_NULL;
        range part;
        std::span<std::byte> memory;
        int slot = slot_pool::none;
    };
    struct send {
        MPI_Request request = MPI_REQUEST_NULL;
        std::uint64_t index = 0;
        int slot = slot_pool::none;
    };

    status post_receives() {
        const std::uint64_t ahead =
            std::min<std::uint64_t>(window_, static_cast<std::uint64_t>(channel_.size()) * layout_.lanes());
        for (; posted_ < std::min(total_, handled_ + ahead); ++posted_) {
            receive& next = receives_[posted_ % window_];
            next = {};
            next.part = layout_.received(posted_, channel_.rank());
            if (next.part.count == 0) continue;
            const std::uint64_t step = layout_.step_of(posted_);
            if (step > last_reduce_) next.memory = carrier_.landing(next.part);
            if (next.memory.empty()) {
                next.slot = pool_.take();
                next.memory = pool_.bytes(next.slot);
            } else if (step == last_reduce_ + 1) {
                // The same range left this rank as a first message, perhaps straight from the memory that the
                // result is about to land in.
                const std::uint64_t first_send = posted_ - step * layout_.lanes();
                while (send_count_ > 0 && sends_[oldest_send_].index <= first_send) {
                    if (posted_ > handled_ && !oldest_send_is_done()) return check_failure();
                    if (auto done = finish_oldest_send(); !done.ok()) return done;
                }
            }
            const int code = MPI_Irecv(next.memory.data(), static_cast<int>(next.memory.size()), MPI_BYTE, left_,
                                       ring_tag, channel_.comm(), &next.request);
            if (auto done = channel_.check(code, "MPI_Irecv"); !done.ok()) return done;
        }
        return {};
    }

    /// Message `index` starts a block: it carries local values only.
    status send_first(std::uint64_t index) {
        const range part = layout_.sent(index, channel_.rank());
        if (part.count == 0) return {};
        const int scratch = pool_.take();
        const message first = carrier_.begin(part, pool_.bytes(scratch));
        return post_send(index, part, first, slot_pool::none, scratch);
    }

    status handle() {
        receive& now = receives_[handled_ % window_];
        const std::uint64_t step = layout_.step_of(handled_);
        const std::uint64_t next = handled_ + layout_.lanes();
        const bool ends_block = step + 1 == layout_.steps();
        if (now.part.count != 0) {
            std::size_t size = 0;
            if (auto done = wait_for(now, size); !done.ok()) return done;
            const std::span<const std::byte> received = now.memory.first(size);
            if (size == 0) poisoned_ = true;
            if (step <= last_reduce_) {
                if (auto done = reduce(now, received, step == last_reduce_, next); !done.ok()) return done;
            } else if (auto done = gather(now, received, ends_block, next); !done.ok()) {
                return done;
            }
        }
        if (ends_block && next < total_) return send_first(next);
        return {};
    }

    status reduce(receive& now, std::span<const std::byte> received, bool last, std::uint64_t next) {
        const int scratch = pool_.take();
        message sum;
        if (!received.empty()) sum = carrier_.combine(now.part, received, now.memory, pool_.bytes(scratch), last);
        // The owner of a finished range reads the message that it also sends, after the send is on its way: the slot
        // stays valid because only reap_sends() gives it back.
        const std::span<const std::byte> bytes = sum.bytes;
        if (auto done = post_send(next, now.part, sum, now.slot, scratch); !done.ok()) return done;
        if (last && !bytes.empty()) carrier_.finish(now.part, bytes);
        return {};
    }

    status gather(receive& now, std::span<const std::byte> received, bool ends_block, std::uint64_t next) {
        bool finished = received.empty();
        if (ends_block) {
            if (!finished) carrier_.finish(now.part, received);
            pool_.give_back(now.slot);
            return {};
        }
        const int scratch = pool_.take();
        message passed_on;
        if (!received.empty()) passed_on = carrier_.relay(now.part, received, pool_.bytes(scratch));
        finished = finished || passed_on.finished;
        // Memory of the caller that the message landed in is no slot.
        if (now.slot == slot_pool::none && passed_on.where == home::received) passed_on.where = home::user;
        if (auto done = post_send(next, now.part, passed_on, now.slot, scratch); !done.ok()) return done;
        if (!finished) carrier_.finish(now.part, received);
        return {};
    }

    /// Sends a message and keeps the slot that it lives in; the other one is free again.
    status post_send(std::uint64_t index, range part, const message& what, int received, int scratch) {
        while (send_count_ >= max_sends_)
            if (auto done = finish_oldest_send(); !done.ok()) return done;
        const bool in_scratch = what.where == home::scratch;
        const bool in_received = what.where == home::received;
        if (!in_scratch) pool_.give_back(scratch);
        if (!in_received) pool_.give_back(received);
        send& next = sends_[(oldest_send_ + send_count_) % max_sends_];
        next = {MPI_REQUEST_NULL, index, in_scratch ? scratch : in_received ? received : slot_pool::none};
        const int code = MPI_Isend(what.bytes.data(), static_cast<int>(what.bytes.size()), MPI_BYTE, right_, ring_tag,
                                   channel_.comm(), &next.request);
        if (auto done = channel_.check(code, "MPI_Isend"); !done.ok()) return done;
        ++send_count_;
        ++traffic_.messages;
        traffic_.sent_bytes += what.bytes.size();
        traffic_.sent_values += part.count;
        return {};
    }

    status wait_for(receive& now, std::size_t& size) {
        const stopwatch watch(traffic_.wait_s);
        MPI_Status done;
        if (auto ok = channel_.check(mpi::wait(now.request, &done), "MPI_Irecv"); !ok.ok()) return ok;
        int count = 0;
        if (auto ok = channel_.check(MPI_Get_count(&done, MPI_BYTE, &count), "MPI_Get_count"); !ok.ok()) return ok;
        size = static_cast<std::size_t>(count);
        return {};
    }

    /// Also MPI's chance to move bytes between two pieces of codec work.
    status reap_sends() {
        while (send_count_ > 0 && oldest_send_is_done()) release_oldest_send();
        return check_failure();
    }

    bool oldest_send_is_done() {
        int done = 0;
        code_ = MPI_Test(&sends_[oldest_send_].request, &done, MPI_STATUS_IGNORE);
        return code_ == MPI_SUCCESS && done != 0;
    }
    status check_failure() { return channel_.check(code_, "MPI_Isend"); }

    status finish_oldest_send() {
        const stopwatch watch(traffic_.wait_s);
        const int code = mpi::wait(sends_[oldest_send_].request, MPI_STATUS_IGNORE);
        if (auto done = channel_.check(code, "MPI_Isend"); !done.ok()) return done;
        release_oldest_send();
        return {};
    }

    void release_oldest_send() {
        pool_.give_back(sends_[oldest_send_].slot);
        oldest_send_ = (oldest_send_ + 1) % max_sends_;
        --send_count_;
    }

    mpi::channel& channel_;
    payload& carrier_;
    const ring_layout& layout_;
    ring_traffic& traffic_;
    std::uint64_t last_reduce_;
    std::uint64_t total_;
    std::uint64_t posted_ = 0;
    std::uint64_t handled_ = 0;
    std::size_t window_;
    std::size_t max_sends_;
    slot_pool pool_;
    std::array<receive, window_for(most_lanes)> receives_;
    std::array<send, max_sends_for(most_lanes)> sends_;
    std::size_t oldest_send_ = 0;
    std::size_t send_count_ = 0;
    int left_;
    int right_;
    int code_ = MPI_SUCCESS;
    bool poisoned_ = false;
};

}  // namespace

std::size_t ring_memory(const payload& carrier, const ring_layout& layout) noexcept {
    return slots_size(carrier, layout) + round_up(carrier.private_bytes(layout.largest()));
}

status run_ring(mpi::channel& channel, payload& carrier, const ring_layout& layout, ring_traffic& traffic) {
    carrier.use_memory(channel.memory().bytes().subspan(slots_size(carrier, layout)));
    ring_run run(channel, carrier, layout, traffic);
    status outcome = run.run();
    if (outcome.code() == errc::mpi) {
        // What was on its way may still be read from and written into the slots.
        run.drop_requests();
        channel.mark_broken();
        channel.memory().abandon();
    }
    return outcome;
}

}  // namespace laconic::collective
