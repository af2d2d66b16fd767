// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share, divided into one ring of slots for each ordered pair of them. A sender fills
// slots, the receiver empties them; two counters tell each how far the other is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/shared_memory.hpp"
#include "mpi/channel.hpp"

namespace laconic::redistribute {

class node_rings final : public mpi::channel::attachment {
public:
    /// Since the beginning of time; each side has a cache line of its own.
    struct head {
        alignas(64) std::atomic<std::uint64_t> written;  ///< slots
        std::atomic<std::uint64_t>
            offered;  ///< runs of exchanges with node_arrays; x 2, + 1 when the last comes from there
        alignas(64) std::atomic<std::uint64_t> read;
        std::atomic<std::uint64_t> taken;  ///< what was `offered` when that run was taken, or went through slots
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "counters are shared between processes");

    struct ring {
        head* counters = nullptr;
        std::byte* slots = nullptr;
    };

    /// The rings of a channel, which keeps them. Collective over the channel at the first call, local afterwards.
    /// returns null where there is no such memory, or no two ranks share any: on all ranks alike; or mpi,
    ///         out_of_memory.
    [[nodiscard]] static result<node_rings*> of(mpi::channel& channel);

    void close() noexcept override { memory_ = {}; }

    [[nodiscard]] bool has(int rank) const noexcept { return local_[static_cast<std::size_t>(rank)] >= 0; }
    /// Precondition: has() both.
    [[nodiscard]] ring between(int sender, int receiver) const noexcept;
    [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }
    static constexpr std::uint64_t slots = 4;

private:
    /// Local; may throw bad_alloc. Whether any two ranks of the channel share memory.
    [[nodiscard]] bool look_around(const mpi::channel& channel);
    [[nodiscard]] status meet(mpi::channel& channel);
    [[nodiscard]] std::size_t ring_bytes() const noexcept { return sizeof(head) + slots * slot_bytes_; }

    std::vector<base::shared_memory::address> addresses_;  // of each rank, while they meet
    std::vector<int> local_;  // of each rank of the channel its number in this node; -1: it is elsewhere
    std::size_t members_ = 0, slot_bytes_ = 0;
    bool usable_ = false;
    base::shared_memory memory_;
};

}  // namespace laconic::redistribute
