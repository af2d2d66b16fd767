// SPDX-License-Identifier: BSD-3-Clause
// The first rank of a node makes the memory and tells where it is. Pages that no pair of ranks uses are never touched,
// so they cost address space alone.
#include "redistribute/exchange/node_rings.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "redistribute/exchange/agreement.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic::redistribute {
namespace {

constexpr std::size_t largest_slot_bytes = std::size_t{256} << 10, smallest_slot_bytes = std::size_t{1} << 10;
/// Of the rings that a rank fills; where there are other nodes, half of it, which leaves the rest for messages.
constexpr std::size_t rank_bytes = std::size_t{8} << 20;

}  // namespace

bool node_rings::look_around(const mpi::channel& channel) {
    const std::span<const int> leaders = channel.leaders();
    const int leader = leaders[static_cast<std::size_t>(channel.rank())];
    local_.assign(leaders.size(), -1);
    bool several = false;
    std::vector<std::size_t> members(leaders.size(), 0);
    for (std::size_t rank = 0; rank < leaders.size(); ++rank) {
        if (leaders[rank] == leader) local_[rank] = static_cast<int>(members_++);
        several = several || ++members[static_cast<std::size_t>(leaders[rank])] > 1;
    }
    if (!several) return false;
    addresses_.resize(leaders.size());
    const std::size_t peers = std::max<std::size_t>(members_ - 1, 1);
    const std::size_t all_bytes = members_ == leaders.size() ? rank_bytes : rank_bytes / 2;
    slot_bytes_ = std::clamp(std::bit_floor(all_bytes / peers / slots), smallest_slot_bytes, largest_slot_bytes);
    return true;
}

status node_rings::meet(mpi::channel& channel) {
    const int leader = channel.leaders()[static_cast<std::size_t>(channel.rank())];
    const std::size_t bytes = members_ * members_ * ring_bytes();
    base::shared_memory::address& mine = addresses_[static_cast<std::size_t>(channel.rank())];
    if (leader == channel.rank() && members_ > 1) {
        // Where there is none the others find out.
        try {
            if (auto made = base::shared_memory::create(bytes); made.ok()) {
                memory_ = std::move(*made);
                mine = memory_.where();
            }
        } catch (const std::bad_alloc&) {
            memory_ = {};
        }
    }
    static_assert(sizeof mine == 3 * sizeof(std::int64_t));
    if (status bad = channel.check(
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, addresses_.data(), 3, MPI_INT64_T, channel.comm()),
            "MPI_Allgather");
        !bad.ok())
        return bad;
    // Whatever fails here, the others wait below.
    try {
        if (leader != channel.rank())
            if (auto opened = base::shared_memory::open(addresses_[static_cast<std::size_t>(leader)], bytes);
                opened.ok())
                memory_ = std::move(*opened);
    } catch (const std::bad_alloc&) {
        memory_ = {};
    }
    int all = members_ == 1 || !memory_.bytes().empty() ? 1 : 0;
    if (status bad =
            channel.check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, channel.comm()), "MPI_Allreduce");
        !bad.ok())
        return bad;
    memory_.seal();
    usable_ = all != 0;
    if (!usable_) memory_ = {};
    return {};
}

result<node_rings*> node_rings::of(mpi::channel& channel) {
    if (channel.attached() == nullptr) {
        // Whoever has no memory says so before the others wait for it.
        std::unique_ptr<node_rings> made;
        bool several = false;
        status mine;
        try {
            made = std::make_unique<node_rings>();
            several = made->look_around(channel);
        } catch (const std::bad_alloc&) {
            const auto ranks = static_cast<std::size_t>(channel.size());
            mine = no_memory("a look at the node",
                             ranks * (2 * sizeof(std::size_t) + sizeof(base::shared_memory::address)),
                             "use no shared_memory");
        }
        if (status bad = all_ok(channel, mine); !bad.ok()) return bad;
        if (several)
            if (status bad = made->meet(channel); !bad.ok()) return bad;
        channel.attached() = std::move(made);
    }
    auto* const rings = static_cast<node_rings*>(channel.attached().get());
    return rings->usable_ ? rings : nullptr;
}

node_rings::ring node_rings::between(int sender, int receiver) const noexcept {
    const auto from = static_cast<std::size_t>(local_[static_cast<std::size_t>(sender)]);
    const auto to = static_cast<std::size_t>(local_[static_cast<std::size_t>(receiver)]);
    std::byte* const at = memory_.bytes().data() + (from * members_ + to) * ring_bytes();
    return {reinterpret_cast<head*>(at), at + sizeof(head)};
}

}  // namespace laconic::redistribute
