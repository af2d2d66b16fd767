// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on the id of a new communicator: the members unite the sets of ids they use and take the lowest free one.
// Another thread may have taken it meanwhile on some rank: then all try again without it.
#include "record/agreement.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace laconic::record {
namespace {

/// Unites sets over all members. In an intercommunicator each side receives the other's union; a second round sends it
/// back.
bool unite(MPI_Comm comm, bool inter, const std::uint64_t* own, std::uint64_t* all, int words) {
    if (PMPI_Allreduce(own, all, words, MPI_UINT64_T, MPI_BOR, comm) != MPI_SUCCESS) return false;
    if (!inter) return true;
    std::uint64_t returned[64] = {};
    if (PMPI_Allreduce(all, returned, words, MPI_UINT64_T, MPI_BOR, comm) != MPI_SUCCESS) return false;
    for (int i = 0; i < words; ++i) all[i] |= returned[i];
    return true;
}

/// Frees the group.
bool is_part_of(MPI_Group group, MPI_Group world) {
    int size = 0;
    PMPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> in_world(ranks.size(), MPI_UNDEFINED);
    std::iota(ranks.begin(), ranks.end(), 0);
    PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    PMPI_Group_free(&group);
    return std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) == in_world.end();
}

constexpr std::uint64_t symbolic(std::uint64_t id) noexcept { return 2 * id + 2; }

}  // namespace

std::uint64_t communicator_ids::together(MPI_Comm comm, bool inter, spin_lock& lock) {
    id_set refused{};
    for (;;) {
        id_set own;
        {
            const spin_guard guard(lock);
            own = used_;
        }
        for (std::size_t i = 0; i < words; ++i) own[i] |= refused[i];
        id_set all{};
        if (!unite(comm, inter, own.data(), all.data(), words)) return alone(lock);
        std::size_t word = 0;
        while (word < words && ~all[word] == 0) ++word;
        if (word == words) return alone(lock);
        const auto bit = static_cast<unsigned>(std::countr_one(all[word]));
        const std::uint64_t mark = std::uint64_t{1} << bit;
        std::uint64_t taken = 0;
        {
            const spin_guard guard(lock);
            taken = (used_[word] & mark) != 0 ? 1 : 0;
            used_[word] |= mark;
        }
        std::uint64_t taken_anywhere = 0;
        const bool answered = unite(comm, inter, &taken, &taken_anywhere, 1);
        if (answered && taken_anywhere == 0) return symbolic(word * 64 + bit);
        refused[word] |= mark;
        const spin_guard guard(lock);
        if (taken == 0) used_[word] &= ~mark;
        if (!answered) break;
    }
    return alone(lock);
}

std::uint64_t communicator_ids::alone(spin_lock& lock) {
    const spin_guard guard(lock);
    return symbolic(agreed_limit + alone_.acquire());
}

std::uint64_t communicator_ids::after(std::uint64_t parent_code, spin_lock& lock) {
    // 1024 ids per parent, then again from the first: a program has fewer copies of one communicator alive.
    constexpr std::uint32_t per_parent = 1024;
    const spin_guard guard(lock);
    const std::uint32_t seen = children_.find(parent_code);
    const std::uint32_t number = seen == flat_map::none ? 0 : seen;
    children_.set(parent_code, (number + 1) % per_parent);
    return symbolic(alone_limit + parent_code * per_parent + number);
}

void communicator_ids::release(std::uint64_t code) noexcept {
    const std::uint64_t id = code / 2 - 1;
    children_.erase(code);
    if (id < agreed_limit) {
        used_[id / 64] &= ~(std::uint64_t{1} << (id % 64));
    } else if (id < alone_limit) {
        alone_.release(static_cast<std::uint32_t>(id - agreed_limit));
    }
}

place agreement::look_at(MPI_Comm comm) {
    place found;
    int inter = 0;
    PMPI_Comm_rank(comm, &found.rank);
    PMPI_Comm_size(comm, &found.size);
    found.peers = found.size;
    if (PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter) {
        found.inter = true;
        PMPI_Comm_remote_size(comm, &found.peers);
    }
    return found;
}

bool agreement::within_world(MPI_Comm comm) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    int inter = 0;
    // A program of sessions only has no world.
    int started = 0;
    PMPI_Initialized(&started);
    if (started == 0 || PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return false;
    bool all = PMPI_Comm_group(comm, &group) == MPI_SUCCESS && is_part_of(group, world);
    if (all && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter != 0)
        all = PMPI_Comm_remote_group(comm, &group) == MPI_SUCCESS && is_part_of(group, world);
    PMPI_Group_free(&world);
    return all;
}

}  // namespace laconic::record
