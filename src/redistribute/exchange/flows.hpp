// SPDX-License-Identifier: BSD-3-Clause
// Streams between ranks, cut into chunks, and the slots that chunks go through: which chunk is next.
//
// Nobody waits for ever: a rank meets its peers in the order of their distance, sending upwards and receiving from
// below. Where there are slots for all peers each of these has its own, and all get their bytes at the same pace, so
// that no link is done before the others. Else slots go to the nearest peers that have chunks left, so of all
// unfinished pairs of ranks the nearest one has slots on both sides, whatever the others do.
//
// Where all ranks have slots for all peers, what arrives lets the next chunks leave: no flow gets further than a lead
// beyond the part that its rank has received of all that it is to receive. Ranks that send no faster than they receive
// keep the queues between them short, and no link idles while others have what it lacks. Nobody waits for ever here
// either: of the ranks that wait, take the one whose slowest flow is behind all others. What it has received is a part
// of flows that are at least as far, so this flow is not ahead of it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "redistribute/exchange/chunk.hpp"
#include "redistribute/exchange/message_codec.hpp"

namespace laconic::redistribute {

constexpr std::size_t slot_alignment = 64;

/// How streams are cut, and how many chunks may be under way.
struct chunking {
    std::size_t chunk_bytes = 0;  ///< whole elements
    std::size_t slots = 0;        ///< for sending, and as many for receiving
    bool at_once = false;         ///< instead, a slot for every chunk, and everything is packed and sent first
    std::int64_t opening = 0;     ///< chunks of each stream that may leave before ranks agree: on all ranks the same
    bool clocked = false;         ///< what arrives lets the next chunks leave: on all ranks the same
};

/// The chunks of one stream.
struct flow {
    const stream* bytes = nullptr;
    std::int64_t chunks = 0, begun = 0, under_way = 0;
    std::int64_t allowed = 0;  ///< of the chunks: while a run is open not all
};

/// So many chunks of a flow may have begun beyond the part of everything that has arrived; `of` 0: all may.
struct pace {
    std::int64_t lead = 0, arrived = 0, of = 0;

    [[nodiscard]] bool exceeded_by(const flow& each) const noexcept {
        return of > 0 && (each.begun - lead) * of > arrived * each.chunks;
    }
};

/// One direction: flows in the order in which their peers are met, and the slots that their chunks go through.
struct flows_and_slots {
    std::vector<flow> flows;
    std::size_t first_open = 0;       ///< the first flow that has chunks left
    std::int64_t each = 0;            ///< chunks of a flow that may be under way
    bool roomy = false;               ///< all flows may have as many at the same time
    std::int64_t chunks = 0;          ///< of all flows
    std::int64_t chunks_left = 0;     ///< of those allowed
    std::span<MPI_Request> requests;  ///< of each slot
    std::vector<std::size_t> flow_of;
    std::vector<chunk> chunk_of;
    std::vector<int> idle;  ///< slots
    std::size_t idle_count = 0;
    std::vector<std::size_t> slot_at;  ///< bytes from the beginning; one more than slots

    /// Cuts flows and memory that begins at `first`; returns where it ends. Takes memory only when more is needed than
    /// ever before.
    std::size_t lay_out(const chunking& cut, const message_codec& codec, std::size_t first);
    /// Nothing has begun, and so many chunks of each flow may.
    void reset(std::int64_t allowed) noexcept;
    void allow_all() noexcept;
    /// The flow whose chunk is next; null: none may begin.
    [[nodiscard]] flow* next(const pace& most) noexcept;
};

}  // namespace laconic::redistribute
