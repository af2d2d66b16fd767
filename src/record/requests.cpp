// SPDX-License-Identifier: BSD-3-Clause
// Requests by handle, as short lists, and their pools by the hash of the signature that makes them. Two signatures with
// one hash share a pool: ids stay unique.
#include "record/requests.hpp"

#include <xxhash.h>

namespace laconic::record {

request_table::request& request_table::made(std::uint64_t bits, std::span<const std::byte> signature,
                                            std::uint32_t thread) {
    const std::uint64_t hash = XXH3_64bits(signature.data(), signature.size());
    std::uint32_t pool = pools_by_signature_.find(hash);
    if (pool == flat_map::none) {
        if (pools_.size() < most_pools) {
            pool = static_cast<std::uint32_t>(pools_.size());
            pools_.emplace_back();
            pools_by_signature_.set(hash, pool);
        } else {
            pool = most_pools - 1;
        }
    }
    std::uint32_t index = 0;
    if (free_.empty()) {
        index = static_cast<std::uint32_t>(requests_.size());
        requests_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
        requests_[index] = request{};
    }
    request& fresh = requests_[index];
    fresh.pool = pool;
    fresh.thread = thread;
    fresh.slot = pools_[pool].acquire();
    const std::uint32_t first = by_handle_.find(bits);
    if (first == flat_map::none) {
        by_handle_.set(bits, index);
    } else {
        std::uint32_t last = first;
        while (requests_[last].next != none) last = requests_[last].next;
        requests_[last].next = index;
    }
    return fresh;
}

std::uint32_t request_table::claim(std::uint64_t bits, std::uint32_t thread) noexcept {
    std::uint32_t found = none;
    for (std::uint32_t index = by_handle_.find(bits); index != none; index = requests_[index].next) {
        if (requests_[index].claimed) continue;
        if (found == none) found = index;
        if (requests_[index].thread != thread) continue;
        found = index;
        break;
    }
    if (found != none) requests_[found].claimed = true;
    return found;
}

void request_table::over(std::uint64_t bits, std::uint32_t index) noexcept {
    const request& done = requests_[index];
    pools_[done.pool].release(done.slot);
    const std::uint32_t first = by_handle_.find(bits);
    if (first == index) {
        if (done.next == none) {
            by_handle_.erase(bits);
        } else {
            by_handle_.set(bits, done.next);
        }
    } else {
        std::uint32_t before = first;
        while (before != none && requests_[before].next != index) before = requests_[before].next;
        if (before != none) requests_[before].next = done.next;
    }
    free_.push_back(index);
}

}  // namespace laconic::record
