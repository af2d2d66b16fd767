// SPDX-License-Identifier: BSD-3-Clause
// What `auto` remembers of its decisions: a call that ends with stock paid for asking and got nothing for it, so the
// next calls like it go to stock unasked, twice as many after every answer that is stock again. Calls and answers flow
// in; whether to ask flows out. The same on all ranks when all of them see the same calls and answers in the same
// order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace laconic::model {

/// What makes calls alike, as numbers that all ranks have in common.
struct call_likeness {
    std::uint64_t what = 0;  ///< a digest of operation, type, bound and the like
    std::uint64_t bytes = 0;

    friend bool operator==(const call_likeness&, const call_likeness&) = default;
};

/// Of everything besides the size that the decision depends on.
template <class... Part>
[[nodiscard]] constexpr call_likeness likeness_of(std::uint64_t bytes, Part... parts) noexcept {
    std::uint64_t digest = 0;
    ((digest = (digest ^ static_cast<std::uint64_t>(parts)) * 0x100000001b3u), ...);
    return {digest, bytes};
}

class recollection {
public:
    /// After so many calls the data may have become others: at most one call in so many is asked in vain.
    static constexpr unsigned longest_silence = 64;
    static constexpr std::size_t most = 16;

    /// Whether this call should ask; counts it. Allocates nothing.
    [[nodiscard]] bool should_ask(const call_likeness& call) noexcept {
        entry* const known = find(call);
        if (known == nullptr || known->silent == 0) return true;
        --known->silent;
        return false;
    }

    /// What a call that asked was answered.
    void learn(const call_likeness& call, bool stock) noexcept {
        entry* known = find(call);
        if (known == nullptr) {
            if (!stock) return;
            // The oldest makes room.
            known = &entries_[next_];
            next_ = (next_ + 1) % most;
            *known = {call, 0, 0};
        }
        known->silence = stock ? known->silence * 2 + 1 : 0;
        if (known->silence >= longest_silence) known->silence = longest_silence - 1;
        known->silent = known->silence;
    }

private:
    struct entry {
        call_likeness call;
        unsigned silence = 0, silent = 0;
    };
    entry* find(const call_likeness& call) noexcept {
        for (entry& one : entries_)
            if (one.call == call && call.bytes > 0) return &one;
        return nullptr;
    }

    std::array<entry, most> entries_{};
    std::size_t next_ = 0;
};

}  // namespace laconic::model
