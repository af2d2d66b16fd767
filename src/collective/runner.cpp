// SPDX-License-Identifier: BSD-3-Clause
// Steps are worked off in the program's order of time. Receives are posted ahead in that same order, at the largest
// size a message can have, so no sizes are exchanged.
//
// No deadlock: among all ranks look at the one whose step in work is earliest. The message that it waits for is sent in
// an earlier step, or in a step of the same time, by a rank that is there or beyond; so it has been sent. A send that
// it waits for belongs to an earlier step, whose receiver has passed it or, as it takes messages in the step after that
// in which they were sent, has posted its receive. Where programs send further ahead (program::sends_ahead) the send
// belongs to an earlier group of cells, which its receiver has passed. Bundles are received from the start, all of
// them, and one is sent in the step of its last part, which comes before the first step that waits for it.
//
// In place is safe: a range is written at the earliest when its final message arrives or is made, and that contains
// this rank's own contribution; of reductions payload_raw copies what it sends from the caller's array.
#include "collective/runner.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "collective/runner_shape.hpp"
#include "mpi/completion.hpp"

namespace laconic::collective {

using mpi::workspace;

std::size_t runner::memory_for(const payload& carrier, const job& work) noexcept { return shape(carrier, work).all(); }

runner::runner(mpi::channel& channel, const team& who, payload& carrier, const job& work, std::span<std::byte> memory,
               int first_tag, int tags, bool spoiled) noexcept
    : channel_(channel),
      who_(who),
      carrier_(carrier),
      work_(work),
      first_tag_(first_tag),
      tags_(tags),
      window_(work.converging()),
      pace_(channel.takes_turns()),
      spoiled_(spoiled) {
    const shape cut(carrier, work);
    if (work.coalesces())
        open_boxes(memory, cut);
    else
        receives_ = workspace::take_table<receive>(memory, cut.receives);
    sends_ = workspace::take_table<send>(memory, cut.sends);
    states_ = workspace::take_table<kept>(memory, cut.states);
    pool_ = slot_pool(memory.first(cut.pool_bytes), cut.slot_bytes, cut.slots);
    carrier.poll_with(&poll, this);
    memory = memory.subspan(cut.pool_bytes);
    carrier.use_memory(memory.first(cut.private_bytes));
    if (work.bundled())
        bundles_.emplace(channel, who, work, cut.slot_bytes, memory.subspan(cut.private_bytes), first_tag);
}

result<runner::state> runner::advance() {
    bool moved = false;
    while (true) {
        if (!poll_failure_.ok()) return give_up(poll_failure_);
        if (auto done = reap_sends(); !done.ok()) return give_up(done);
        if (auto done = post_receives(); !done.ok()) return give_up(done);
        if (event_ >= work_.events()) break;
        if (!now_.made) {
            const auto made = make_message();
            if (!made) return give_up(made.error());
            if (!*made) return pause(moved);
            moved = true;
            note_length();
        }
        const auto gone = send_message();
        if (!gone) return give_up(gone.error());
        if (!*gone) return pause(moved);
        end_step();
    }
    if (auto done = send_all_out(); !done.ok()) return give_up(done);
    write_results();
    if (send_count_ > 0 || (bundles_ && !bundles_->is_idle())) return moved ? state::moved : state::waiting;
    if (!carrier_.failure().ok()) return carrier_.failure();
    if (poisoned_)
        return status{errc::corrupt,
                      "another rank could not read a message of this collective; run it again, and if it stays so look "
                      "for the machine whose memory or network spoils it"};
    return state::done;
}

result<runner::state> runner::pause(bool moved) {
    pace_.paused();
    if (auto done = send_all_out(); !done.ok()) return give_up(done);
    const bool wrote = unwritten_count_ > 0;
    write_results();
    return moved || wrote ? state::moved : state::waiting;
}

std::uint64_t runner::ahead(std::uint64_t more) const noexcept {
    return std::min(work_.events(), event_ + 4 * work_.lanes() + more);
}

status runner::post_receives() {
    if (bundles_) return bundles_->post();
    if (work_.coalesces()) return post_coalesced();
    for (const std::uint64_t horizon = ahead(far); to_post_ < horizon && receive_count_ < receives_.size();
         ++to_post_) {
        const step& ahead = work_.step_of(to_post_);
        const part piece = work_.part_of(to_post_);
        if (ahead.from == nobody || piece.in.count == 0) continue;
        receive& next = receives_[(first_receive_ + receive_count_) % receives_.size()];
        next = room_for(ahead, piece);
        next.event = to_post_;
        const int code = MPI_Irecv(next.memory.data(), static_cast<int>(next.memory.size()), MPI_BYTE,
                                   who_.on_channel(ahead.from), tag_of(to_post_), channel_.comm(), &next.request);
        if (auto done = channel_.check(code, "MPI_Irecv"); !done.ok()) return done;
        ++receive_count_;
    }
    return {};
}

result<bool> runner::make_message() {
    const std::uint64_t event = event_in_work();
    const step& now = work_.step_of(event);
    const part piece = work_.part_of(event);
    now_ = {};
    now_.made = true;
    if (piece.in.count == 0) {
        now_.sent = now.to_count;
        return true;
    }
    if (now.from == nobody) {
        make_from_here(now, piece);
        return true;
    }
    receive came;
    auto is_there = take_message(now, piece, came);
    now_.made = is_there.ok() && *is_there;
    if (now_.made) make_from_received(now, piece, came);
    return is_there;
}

void runner::note_length() noexcept {
    const std::uint64_t event = event_in_work();
    if (work_.step_of(event).to_count == 0 || work_.part_of(event).in.count != work_.largest()) return;
    sent_.full.add(static_cast<double>(now_.what.bytes.size()));
}

/// False: it has not come yet.
result<bool> runner::take_message(const step& now, part piece, receive& came) {
    if (bundles_) {
        auto is_there = bundles_->has_come(now);
        if (is_there.ok() && *is_there) came = unpack(now, piece);
        return is_there;
    }
    if (work_.coalesces()) return take_coalesced(now, came);
    receive& first = receives_[first_receive_];
    if (auto done = test(first); !done.ok()) return done;
    if (!first.arrived) return false;
    came = first;
    first_receive_ = (first_receive_ + 1) % receives_.size();
    --receive_count_;
    return true;
}

/// Where it would have been received on its own.
runner::receive runner::unpack(const step& now, part piece) {
    receive came = room_for(now, piece);
    const std::span<const std::byte> bytes = bundles_->message_of(now);
    if (!bytes.empty() && bytes.size() <= came.memory.size()) {
        std::memcpy(came.memory.data(), bytes.data(), bytes.size());
        came.size = static_cast<int>(bytes.size());
    }
    return came;
}

/// Final values may come where they belong, everything else into a slot.
runner::receive runner::room_for(const step& now, part piece) {
    receive next;
    if (now.finishes && !now.combines) next.memory = carrier_.landing(piece);
    if (next.memory.empty()) {
        next.slot = pool_.take();
        next.memory = pool_.bytes(next.slot);
    }
    return next;
}

void runner::make_from_here(const step& now, part piece) {
    if (now.copies) {
        carrier_.copy(piece);
        return;
    }
    const int scratch = pool_.take();
    const message what = spoiled_ ? message{} : carrier_.begin(piece, pool_.bytes(scratch));
    settle(scratch, slot_pool::none, slot_pool::none, what);
}

void runner::make_from_received(const step& now, part piece, const receive& came) {
    const std::span<const std::byte> received = came.memory.first(static_cast<std::size_t>(came.size));
    if (received.empty()) poisoned_ = true;
    kept held;
    if (now.combines && now.uses_state) held = std::exchange(state_of(event_), {});
    const bool lacks = now.combines && (spoiled_ || (now.uses_state && held.bytes.empty()));
    const bool broken = received.empty() || lacks;
    const int scratch = pool_.take();
    message what;
    if (!broken && now.combines)
        what = carrier_.combine(piece,
                                {received, came.memory, held.bytes, pool_.bytes(scratch), now.last, now.ours_first});
    else if (!broken && now.to_count > 0)
        what = carrier_.relay(piece, received, pool_.bytes(scratch), now.finishes);
    else if (!broken)
        what = {received, home::received, false};
    settle(scratch, came.slot, held.slot, what);
}

/// Keeps the slot that the message lives in.
void runner::settle(int scratch, int received, int held, message what) {
    now_.what = what;
    now_.slot = what.where == home::scratch ? scratch : what.where == home::received ? received : slot_pool::none;
    for (const int slot : {scratch, received, held})
        if (slot != now_.slot) pool_.let_go(slot);
}

result<bool> runner::send_message() {
    const std::uint64_t event = event_in_work();
    const step& now = work_.step_of(event);
    const auto targets = work_.steps().targets(now);
    if (bundles_) {
        for (; now_.sent < now.to_count; ++now_.sent) {
            const auto gone = bundles_->add(now.first_to + now_.sent, now.piece, now_.what.bytes);
            if (!gone) return gone.error();
            if (*gone > 0) ++sent_.messages;
            sent_.sent_bytes += *gone;
            sent_.sent_values += work_.part_of(event).in.count;
        }
        return true;
    }
    if (work_.coalesces()) {
        if (now_.sent == now.to_count) return true;
        return send_coalesced(now, work_.part_of(event).in.count);
    }
    for (; now_.sent < now.to_count; ++now_.sent) {
        if (!may_send(now_.what.bytes.size())) return false;
        if (auto done = start_send(now_.what.bytes, targets[now_.sent], tag_of(event), now_.slot); !done.ok())
            return done;
        sent_.sent_values += work_.part_of(event).in.count;
    }
    return true;
}

bool runner::may_send(std::size_t bytes) const noexcept {
    return send_count_ + open_boxes_ < sends_.size() && window_.has_room_for(bytes);
}

status runner::start_send(std::span<const std::byte> bytes, int target, int tag, int slot) {
    send& next = sends_[(first_send_ + send_count_) % sends_.size()];
    next = {MPI_REQUEST_NULL, slot, bytes.size()};
    // As if every step that follows sent as much. After a message of several parts that is too much: one more may be
    // confirmed than has to be.
    const std::uint64_t left = work_.events() - std::min(work_.events(), event_ + 1);
    const auto rest = static_cast<std::size_t>(left) * bytes.size();
    const bool confirmed = window_.leaves(bytes.size(), rest);
    const int code = (confirmed ? MPI_Issend : MPI_Isend)(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                                          who_.on_channel(target), tag, channel_.comm(), &next.request);
    if (auto done = channel_.check(code, confirmed ? "MPI_Issend" : "MPI_Isend"); !done.ok()) return done;
    pool_.hold(slot);
    ++send_count_;
    ++sent_.messages;
    sent_.sent_bytes += bytes.size();
    return {};
}

void runner::end_step() {
    const std::uint64_t event = event_in_work();
    const step& now = work_.step_of(event);
    const part piece = work_.part_of(event);
    // Only now, with the message on its way: others wait for it.
    if (open_boxes_ == 0) write_results();
    if (now.finishes && piece.in.count != 0 && !now_.what.bytes.empty() && !now_.what.finished) {
        if (open_boxes_ > 0 && now.to_count > 0)
            write_later(piece);
        else
            carrier_.finish(piece, now_.what.bytes);
    }
    if (now.keeps && piece.in.count != 0)
        state_of(event) = {now_.what.bytes, now_.slot};
    else
        pool_.let_go(now_.slot);
    now_ = {};
    if (!early_ && work_.runs_early(event_ + work_.lanes())) {
        early_ = true;
        return;
    }
    early_ = false;
    do ++event_;
    while (event_ < work_.events() && work_.runs_early(event_));
}

status runner::reap_sends() {
    if (bundles_) return bundles_->reap();
    while (send_count_ > 0) {
        send& oldest = sends_[first_send_];
        bool done = false;
        if (auto ok = channel_.check(mpi::test(oldest.request, done), "MPI_Test of a send"); !ok.ok()) return ok;
        if (!done) break;
        pool_.let_go(oldest.slot);
        window_.is_over(oldest.size);
        first_send_ = (first_send_ + 1) % sends_.size();
        --send_count_;
    }
    return {};
}

status runner::test(receive& pending) {
    if (pending.arrived) return {};
    const auto came = channel_.test_receive(pending.request, pending.size);
    pending.arrived = came.ok() && *came;
    return came.error();
}

/// MPI's chance to move bytes in the middle of long codec work.
void runner::poll(void* self) {
    auto& run = *static_cast<runner*>(self);
    if (!run.poll_failure_.ok()) return;
    run.poll_failure_ = run.reap_sends();
    if (run.poll_failure_.ok()) run.poll_failure_ = run.look_into_boxes();
    if (run.poll_failure_.ok() && run.receive_count_ > 0)
        run.poll_failure_ = run.test(run.receives_[run.first_receive_]);
}

runner::kept& runner::state_of(std::uint64_t event) noexcept {
    return states_[work_.lane_of(event) * work_.steps().pieces + work_.step_of(event).piece];
}

int runner::tag_of(std::uint64_t event) const noexcept {
    return first_tag_ + static_cast<int>(work_.cell_of(event) % static_cast<std::uint64_t>(tags_));
}

/// After an error nobody will complete what is still pending, and it may still read from and write into the memory.
void runner::drop_requests() noexcept {
    if (bundles_) bundles_->drop();
    for (coalesced::inbox& box : inboxes_) box.drop();
    for (receive& pending : receives_) mpi::drop_receive(pending.request);
    for (send& pending : sends_) mpi::drop_send(pending.request);
}

result<runner::state> runner::give_up(const status& why) {
    drop_requests();
    channel_.mark_broken();
    return why;
}

}  // namespace laconic::collective
