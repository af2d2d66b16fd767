// SPDX-License-Identifier: BSD-3-Clause
// Steps whose messages are coalesced. What a rank sends waits for company as long as the rank goes on without waiting
// for others, and makes the next part sooner than a message costs; then all of it leaves. Results of what was passed on
// are written after that, since others wait for it.
//
// There is always a send for an outbox that is to leave: no part enters an empty one unless there is. And every inbox
// can hold one message, so that what comes early from one rank takes no room of what another one is waited for.
//
// No deadlock, as in runner.cpp, but that a receiver may have posted a single receive, that of the next message due
// from a rank. What a rank waits for it gets: everything before it from that rank has been taken, and before the sender
// waits it sends all that its boxes hold. And a rank that waits for its oldest send M has sent as many messages after M
// as may be on their way, less one for each other partner whose box was opened before: lanes and more in rings and
// chains, where there is none, and with at most 7 partners no less than lanes - 2. So it is in a time, or a lane,
// beyond that in which the receiver of M takes M; the rank that is behind all others waits for nobody who has not got
// that far, and takes it. With more partners fewer messages would lie between: that, besides memory, is why
// program_builder::finish_direct() has a limit.
//
// Where messages converge (program::converging) fewer may be on their way, but senders receive nothing and the receiver
// sends nothing. It waits only for the next message due from one rank; if that rank waits, everything before its
// oldest send has been taken, so that a receive for that one is posted.
#include <algorithm>
#include <cassert>

#include "collective/runner.hpp"
#include "collective/runner_shape.hpp"

namespace laconic::collective {

void runner::open_boxes(std::span<std::byte>& memory, const shape& cut) noexcept {
    using mpi::workspace;
    slots_in_ = cut.receives;
    const auto receives = workspace::take_table<coalesced::inbox::receive>(memory, cut.boxes_in * cut.receives_of_box);
    inboxes_ = workspace::take_table<coalesced::inbox>(memory, cut.boxes_in);
    outboxes_ = workspace::take_table<coalesced::outbox>(memory, cut.boxes_out);
    for (std::size_t i = 0; i < inboxes_.size(); ++i)
        inboxes_[i] = coalesced::inbox(channel_, who_.on_channel(work_.steps().incoming[i].rank), first_tag_, pool_,
                                       receives.subspan(i * cut.receives_of_box, cut.receives_of_box));
}

status runner::post_coalesced() {
    // Of several boxes only those that are due soon.
    for (const std::uint64_t horizon = ahead(inboxes_.size() > 1 ? 0 : far); to_post_ < horizon; ++to_post_) {
        const step& then = work_.step_of(to_post_);
        if (then.from != nobody && work_.part_of(to_post_).in.count != 0) inboxes_[then.bundle].expect();
    }
    // A slot is kept for every box that has none; the others go to those that are due first.
    std::size_t spare = slots_in_;
    for (const coalesced::inbox& box : inboxes_) spare -= std::max<std::size_t>(box.held(), 1);
    for (std::size_t i = 0; i < inboxes_.size(); ++i) {
        coalesced::inbox& box = inboxes_[(last_box_ + i) % inboxes_.size()];
        while (box.wants_more() && (box.held() == 0 || spare > 0)) {
            if (box.held() > 0) --spare;
            if (auto done = box.post(); !done.ok()) return done;
        }
    }
    return {};
}

result<bool> runner::take_coalesced(const step& now, receive& came) {
    coalesced::inbox::part next;
    auto is_there = inboxes_[now.bundle].take(next);
    if (!is_there.ok() || !*is_there) return is_there;
    last_box_ = now.bundle;
    came.slot = next.slot;
    came.memory = next.memory;
    came.size = static_cast<int>(next.size);
    return true;
}

/// False: too many sends are on their way.
result<bool> runner::send_coalesced(const step& now, std::size_t values) {
    const std::span<const std::byte> part = now_.what.bytes;
    const std::size_t index = work_.steps().to_bundle[now.first_to];
    coalesced::outbox& box = outboxes_[index];
    if (!box.has_room_for(part.size()))
        if (auto done = send_out(index); !done.ok()) return done;
    if (!box.is_empty()) {
        box.append(part);
    } else {
        if (!may_send(part.size())) return false;
        // Nothing of a payload that compresses lies elsewhere; a message that says of itself that it is none does not
        // lie anywhere.
        if (now_.slot == slot_pool::none) now_.slot = pool_.take();
        assert(part.empty() || part.data() == pool_.bytes(now_.slot).data());
        pool_.hold(now_.slot);
        box.begin(now_.slot, pool_.bytes(now_.slot), part.size());
        ++open_boxes_;
    }
    pace_.made(MPI_Wtime());
    sent_.sent_values += values;
    now_.sent = now.to_count;
    if (!box.is_full() && pace_.is_worth_waiting()) return true;
    if (auto done = send_out(index); !done.ok()) return done;
    return true;
}

status runner::send_out(std::size_t box) {
    const auto letter = outboxes_[box].seal(!pace_.is_worth_waiting());
    --open_boxes_;
    const double start = MPI_Wtime();
    auto done = start_send(letter.bytes, work_.steps().outgoing[box].rank, first_tag_, letter.slot);
    pace_.sent(letter.bytes.size(), MPI_Wtime() - start);
    pool_.let_go(letter.slot);
    return done;
}

status runner::send_all_out() {
    for (std::size_t box = 0; open_boxes_ > 0 && box < outboxes_.size(); ++box) {
        if (outboxes_[box].is_empty()) continue;
        if (auto done = send_out(box); !done.ok()) return done;
    }
    return {};
}

status runner::look_into_boxes() {
    for (coalesced::inbox& box : inboxes_)
        if (auto done = box.look(); !done.ok()) return done;
    return {};
}

void runner::write_later(part piece) {
    if (unwritten_count_ == unwritten_.size()) write_results();
    pool_.hold(now_.slot);
    unwritten_[unwritten_count_++] = {piece, now_.what.bytes, now_.slot};
}

void runner::write_results() {
    for (std::size_t i = 0; i < unwritten_count_; ++i) {
        carrier_.finish(unwritten_[i].piece, unwritten_[i].bytes);
        pool_.let_go(unwritten_[i].slot);
    }
    unwritten_count_ = 0;
}

}  // namespace laconic::collective
