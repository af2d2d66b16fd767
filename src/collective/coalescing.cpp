// SPDX-License-Identifier: BSD-3-Clause
#include "collective/coalescing.hpp"

#include <cassert>
#include <cstring>

#include "base/arithmetic.hpp"
#include "mpi/completion.hpp"

namespace laconic::collective::coalesced {

namespace {

/// What stands in the place of the length that is `back` lengths before the end.
length word_at(std::span<const std::byte> message, std::size_t back) noexcept {
    length found = 0;
    std::memcpy(&found, message.data() + message.size() - back * sizeof found, sizeof found);
    return found;
}
length length_at(std::span<const std::byte> message, std::size_t back) noexcept {
    return word_at(message, back) & ~promise;
}

}  // namespace

std::uint32_t parts_in(std::span<const std::byte> message) noexcept {
    std::size_t used = 0;
    for (std::uint32_t parts = 1; parts <= most_parts; ++parts) {
        if (message.size() < used + parts * sizeof(length)) return 0;
        used += length_at(message, parts);
        if (message.size() == used + parts * sizeof(length)) return parts;
    }
    return 0;
}

void outbox::begin(int slot, std::span<std::byte> memory, std::size_t part_bytes) noexcept {
    assert(is_empty());
    slot_ = slot;
    memory_ = memory;
    used_ = part_bytes;
    lengths_[0] = static_cast<length>(part_bytes);
    parts_ = 1;
}

void outbox::append(std::span<const std::byte> part) noexcept {
    assert(!is_empty() && parts_ < most_parts && has_room_for(part.size()));
    if (!part.empty()) std::memcpy(memory_.data() + used_, part.data(), part.size());
    used_ += part.size();
    lengths_[parts_++] = static_cast<length>(part.size());
}

outbox::letter outbox::seal(bool alone) noexcept {
    alone_ -= std::min(alone_, parts_);
    if (alone || (used_ > longest_part && parts_ == 1)) {
        lengths_[parts_ - 1] |= promise;
        alone_ = most_parts;
    }
    std::memcpy(memory_.data() + used_, lengths_.data(), parts_ * sizeof(length));
    const letter sealed{memory_.first(used_ + parts_ * sizeof(length)), slot_};
    memory_ = {};
    slot_ = slot_pool::none;
    used_ = 0;
    parts_ = 0;
    return sealed;
}

bool inbox::wants_more() const noexcept {
    const auto due = static_cast<std::uint64_t>(std::max<std::int64_t>(expected_, 0));
    const std::uint64_t alone = std::min<std::uint64_t>(due, alone_);
    // A receive too many would take what belongs to another run.
    const std::uint64_t messages = alone + base::divide_up(due - alone, most_parts);
    const std::uint64_t under_way = count_ - (parts_ > 0 ? 1 : 0);
    return count_ < receives_.size() && under_way < messages;
}

status inbox::post() {
    receive& next = receives_[(first_ + count_) % receives_.size()];
    next = {};
    next.slot = pool_->take();
    ++count_;
    const std::span<std::byte> memory = pool_->bytes(next.slot);
    return channel_->check(MPI_Irecv(memory.data(), static_cast<int>(memory.size()), MPI_BYTE, source_, tag_,
                                     channel_->comm(), &next.request),
                           "MPI_Irecv");
}

status inbox::look() {
    if (count_ == 0 || first().arrived) return {};
    const auto came = channel_->test_receive(first().request, first().size);
    first().arrived = came.ok() && *came;
    return came.error();
}

result<bool> inbox::take(part& next) {
    if (auto done = look(); !done.ok()) return done;
    if (count_ == 0 || !first().arrived) return false;
    const receive& from = first();
    const std::span<std::byte> memory = pool_->bytes(from.slot);
    const std::span<const std::byte> message = memory.first(static_cast<std::size_t>(from.size));
    if (parts_ == 0) {
        parts_ = parts_in(message);
        // What else will come is not known any more: as after an error of MPI nothing here can be waited for.
        if (parts_ == 0) return channel_->check(MPI_ERR_OTHER, "reading what is no message of this collective");
        expected_ -= parts_;
        alone_ = (word_at(message, 1) & promise) != 0 ? most_parts : alone_ - std::min(alone_, parts_);
        taken_ = 0;
        cursor_ = 0;
    }
    next.size = length_at(message, parts_ - taken_);
    if (parts_ == 1) {
        next.slot = from.slot;
        next.memory = memory;
    } else {
        next.slot = pool_->take();
        next.memory = pool_->bytes(next.slot);
        if (next.size > 0) std::memcpy(next.memory.data(), memory.data() + cursor_, next.size);
        cursor_ += next.size;
    }
    if (++taken_ < parts_) return true;
    if (parts_ > 1) pool_->let_go(from.slot);
    parts_ = 0;
    first_ = (first_ + 1) % receives_.size();
    --count_;
    return true;
}

void inbox::drop() noexcept {
    for (receive& pending : receives_) mpi::drop_receive(pending.request);
}

}  // namespace laconic::collective::coalesced
