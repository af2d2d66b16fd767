// SPDX-License-Identifier: BSD-3-Clause
// The hash table of call signatures: bytes in, terminals out.
#include "trace/signature_table.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace laconic::trace {
namespace {

constexpr std::size_t first_slots = 256;
constexpr std::size_t first_block_bytes = 4096;
constexpr std::size_t largest_block_bytes = std::size_t{1} << 20;

/// memcmp, in place for the short ones that nearly all signatures are.
bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t size) noexcept {
    if (size < 8 || size > 64) return std::memcmp(a, b, size) == 0;
    const auto word = [](const std::byte* from) {
        std::uint64_t value;
        std::memcpy(&value, from, sizeof value);
        return value;
    };
    // The last eight bytes may be looked at twice.
    std::uint64_t differs = word(a + size - 8) ^ word(b + size - 8);
    for (std::size_t at = 0; at + 8 < size; at += 8) differs |= word(a + at) ^ word(b + at);
    return differs == 0;
}

}  // namespace

signature_table::signature_table() : slots_(first_slots, 0) {}

std::uint32_t signature_table::number_of(view signature) {
    if (before_ != none && entries_[before_].next != none) {
        const std::uint32_t expected = entries_[before_].next;
        const entry& known = entries_[expected];
        if (known.size == signature.size() && equal_bytes(known.data, signature.data(), signature.size())) {
            before_ = expected;
            return expected;
        }
    }
    const std::uint32_t found = find_or_add(signature);
    if (before_ != none) entries_[before_].next = found;
    before_ = found;
    return found;
}

std::uint32_t signature_table::find_or_add(view signature) {
    const auto hash = static_cast<std::uint32_t>(XXH3_64bits(signature.data(), signature.size()));
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
        const entry& known = entries_[slots_[at] - 1];
        if (known.hash == hash && known.size == signature.size() &&
            equal_bytes(known.data, signature.data(), signature.size()))
            return slots_[at] - 1;
    }
    if (entries_.size() + 1 > slots_.size() / 4 * 3) {
        grow();
        const std::size_t wider = slots_.size() - 1;
        for (at = hash & wider; slots_[at] != 0;) at = (at + 1) & wider;
    }
    entries_.push_back({keep(signature), static_cast<std::uint32_t>(signature.size()), hash, none});
    slots_[at] = static_cast<std::uint32_t>(entries_.size());
    return slots_[at] - 1;
}

std::size_t signature_table::bytes_used() const noexcept {
    return slots_.capacity() * sizeof(slots_[0]) + entries_.capacity() * sizeof(entry) + block_bytes_;
}

const std::byte* signature_table::keep(view signature) {
    if (signature.size() > free_bytes_) {
        // Blocks grow with the table, so that small traces stay small and large ones make few of them.
        const std::size_t wanted = std::clamp(block_bytes_, first_block_bytes, largest_block_bytes);
        const std::size_t size = std::max(wanted, signature.size());
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
        free_ = blocks_.back().get();
        free_bytes_ = size;
        block_bytes_ += size;
    }
    std::byte* const kept = free_;
    if (!signature.empty()) std::memcpy(kept, signature.data(), signature.size());
    free_ += signature.size();
    free_bytes_ -= signature.size();
    return kept;
}

void signature_table::grow() {
    std::vector<std::uint32_t> wider(slots_.size() * 2, 0);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        std::size_t at = entries_[i].hash & mask;
        while (wider[at] != 0) at = (at + 1) & mask;
        wider[at] = static_cast<std::uint32_t>(i + 1);
    }
    slots_.swap(wider);
}

}  // namespace laconic::trace
