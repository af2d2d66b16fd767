// SPDX-License-Identifier: BSD-3-Clause
// How well the messages of earlier calls shrank, so that those of the next call like them are as long as suits
// (model::grown_segment_bytes_of). What a rank saw flows in, and what all ranks agreed on; that flows out, the same on
// all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "collective/registry.hpp"
#include "laconic/bound.hpp"
#include "laconic/codec.hpp"

namespace laconic::collective {

class message_shares {
public:
    /// Calls whose messages are taken to shrink alike: of what all ranks compare before they run, that which decides
    /// it. Not the schedule: of rows that are tried in turn each knows what the others saw.
    struct kind {
        operation op = operation::allreduce;
        payload_kind payload = payload_kind::raw;
        codec_id codec = codec_id::raw;
        element_type type = element_type::f32;
        reduction combine = reduction::sum;
        std::int64_t limit = 0;  ///< comparable()
        scope bound_scope = scope::result;
        double rate = 0;

        friend bool operator==(const kind&, const kind&) = default;
    };

    /// Bytes of a message / bytes of what it holds, of the message that stands for all (message_lengths.hpp): what the
    /// ranks agreed on at the last such call. 0: not known. Asked and told in the order of turns.
    [[nodiscard]] double agreed(const kind& alike) const noexcept {
        const entry* const known = find(alike);
        return known == nullptr || gave_up_ ? 0 : known->agreed;
    }
    /// Precondition: all ranks are about to run such a call. 0: no rank knows.
    void agree_on(const kind& alike, double share) noexcept {
        entry* known = find(alike);
        if (known == nullptr) {
            known = &entries_[next_++ % entries_.size()];
            *known = {alike, 0, 0, true};
        }
        if (share > 0) known->agreed = share;
    }
    /// What this rank saw when such a call last ended here, whenever that was.
    [[nodiscard]] double seen(const kind& alike) const noexcept {
        const entry* const known = find(alike);
        return known == nullptr ? 0 : known->seen;
    }
    void see(const kind& alike, double share) noexcept {
        if (entry* const known = find(alike)) known->seen = share;
    }
    /// A rank has no memory for more: as if nothing were known from now on. Precondition: all ranks are told.
    void give_up() noexcept { gave_up_ = true; }

private:
    struct entry {
        kind alike;
        double agreed = 0;
        double seen = 0;
        bool used = false;
    };
    [[nodiscard]] const entry* find(const kind& alike) const noexcept {
        const auto found = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const entry& one) { return one.used && one.alike == alike; });
        return found == entries_.end() ? nullptr : &*found;
    }
    [[nodiscard]] entry* find(const kind& alike) noexcept {
        return const_cast<entry*>(std::as_const(*this).find(alike));
    }

    std::array<entry, 16> entries_;  // no call allocates; the oldest makes room
    std::size_t next_ = 0;
    bool gave_up_ = false;
};

}  // namespace laconic::collective
