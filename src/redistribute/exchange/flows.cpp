// SPDX-License-Identifier: BSD-3-Clause
#include "redistribute/exchange/flows.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"

namespace laconic::redistribute {

std::size_t flows_and_slots::lay_out(const chunking& cut, const message_codec& codec, std::size_t first) {
    const auto chunk_bytes = static_cast<std::int64_t>(cut.chunk_bytes);
    chunks = 0;
    for (flow& one : flows) {
        one.chunks = chunks_of(*one.bytes, chunk_bytes);
        chunks += one.chunks;
    }
    const auto all = static_cast<std::size_t>(chunks);
    const std::size_t slots = cut.at_once ? all : std::min(cut.slots, all);
    if (slots > 0)
        each = cut.at_once ? chunks : std::max<std::int64_t>(2, static_cast<std::int64_t>(slots / flows.size()));
    roomy = !cut.at_once && (slots == all || static_cast<std::size_t>(each) * flows.size() <= slots);
    flow_of.resize(slots);
    chunk_of.resize(slots);
    idle.resize(slots);
    slot_at.assign(1, first);
    slot_at.reserve(slots + 1);
    const auto add = [&](std::size_t bytes) {
        first += base::round_up(codec.capacity(bytes), slot_alignment);
        slot_at.push_back(first);
    };
    if (!cut.at_once) {
        for (std::size_t i = 0; i < slots; ++i) add(cut.chunk_bytes);
        return first;
    }
    for (const flow& one : flows)
        for (std::int64_t i = 0; i < one.chunks; ++i)
            add(static_cast<std::size_t>(chunk_at(*one.bytes, chunk_bytes, i).bytes));
    return first;
}

void flows_and_slots::reset(std::int64_t allowed) noexcept {
    first_open = 0;
    chunks_left = 0;
    idle_count = idle.size();
    for (std::size_t i = 0; i < idle.size(); ++i) idle[i] = static_cast<int>(idle.size() - 1 - i);
    for (flow& one : flows) {
        one.begun = one.under_way = 0;
        one.allowed = std::min(one.chunks, allowed);
        chunks_left += one.allowed;
    }
}

void flows_and_slots::allow_all() noexcept {
    first_open = 0;
    for (flow& one : flows) {
        chunks_left += one.chunks - one.allowed;
        one.allowed = one.chunks;
    }
}

flow* flows_and_slots::next(const pace& most) noexcept {
    if (idle_count == 0) return nullptr;
    while (first_open < flows.size() && flows[first_open].begun == flows[first_open].allowed) ++first_open;
    flow* next = nullptr;
    // Where there is no room for all, no flow of those looked at is without a chunk under way: there are no more of
    // them than slots.
    for (std::size_t i = first_open; i < flows.size(); ++i) {
        flow& one = flows[i];
        if (one.begun == one.allowed || one.under_way >= each || most.exceeded_by(one)) continue;
        if (!roomy) return &one;
        if (next == nullptr || one.begun * next->chunks < next->begun * one.chunks) next = &one;
    }
    return next;
}

}  // namespace laconic::redistribute
