// SPDX-License-Identifier: BSD-3-Clause
// How the memory of a node is divided: counters by which its ranks follow each other, and slots that each fills for
// the others, round after round.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace laconic::collective {

class node_board {
public:
    /// Of a rank: one is read while the next is filled. Small enough to stay in a processor's own cache.
    static constexpr std::uint64_t slots = 2;
    static constexpr std::size_t slot_bytes = std::size_t{256} << 10;

    struct slot {
        alignas(64) bool no_result;  ///< its rank has none to share
        alignas(64) std::array<std::byte, slot_bytes> values;
    };

    /// What a rank has done, counted over all calls. Every counter has its own cache line: it has one writer and many
    /// readers that spin on it.
    struct progress {
        alignas(64) std::atomic<std::uint64_t> written;  ///< rounds whose slot is filled
        alignas(64) std::atomic<std::uint64_t> read;     ///< rounds that it has taken from all others
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "counters are shared between processes");

    [[nodiscard]] static constexpr std::size_t bytes_for(int ranks) noexcept {
        return static_cast<std::size_t>(ranks) * (sizeof(progress) + slots * sizeof(slot));
    }

    node_board() = default;
    /// memory: bytes_for(ranks), aligned to 64 bytes, all zero at first.
    node_board(std::span<std::byte> memory, int ranks) noexcept
        : progress_(reinterpret_cast<progress*>(memory.data())),
          slots_(reinterpret_cast<slot*>(memory.data() + static_cast<std::size_t>(ranks) * sizeof(progress))) {}

    [[nodiscard]] progress& of(int rank) const noexcept { return progress_[rank]; }
    [[nodiscard]] slot& slot_of(int rank, std::uint64_t round) const noexcept {
        return slots_[static_cast<std::uint64_t>(rank) * slots + round % slots];
    }

private:
    progress* progress_ = nullptr;
    slot* slots_ = nullptr;
};

}  // namespace laconic::collective
