// SPDX-License-Identifier: BSD-3-Clause
// The words for what a collective does: operations, schedules, payloads, and a cell of schedule x payload. The table of
// algorithms (src/collective) is made of them, and the cost model speaks them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "laconic/codec.hpp"
#include "laconic/collective_options.hpp"

namespace laconic::model {

using laconic::operation;
inline constexpr int operation_count = 8;
inline constexpr std::array<std::string_view, operation_count> operation_names{
    "allreduce", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "bcast", "alltoall"};

enum class schedule_kind : std::uint8_t {
    stock,               ///< the MPI library's own call
    ring,                ///< around the ring; with one source or destination: a chain
    recursive_doubling,  ///< everything exchanged with partners at doubling distances
    rabenseifner,        ///< recursive halving, then recursive doubling
    binomial,            ///< trees
    pairwise,            ///< straight from source to destination
    hierarchical,        ///< shared memory inside a node, a ring between nodes
    chosen,              ///< what the cost model says
};
inline constexpr std::array<std::string_view, 8> schedule_names{
    "stock", "ring", "recursive_doubling", "rabenseifner", "binomial", "pairwise", "hierarchical", "auto"};
enum class payload_kind : std::uint8_t { raw, per_hop, once, pipelined, homomorphic, quantised, fused };
inline constexpr std::array<std::string_view, 7> payload_names{"raw",         "per_hop",   "once", "pipelined",
                                                               "homomorphic", "quantised", "fused"};

/// The value whose place in `names` a name has.
template <class Enum, std::size_t N>
constexpr std::optional<Enum> value_named(const std::array<std::string_view, N>& names, std::string_view name) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<Enum>(i);
    return std::nullopt;
}

/// A cell of the table.
struct cell {
    schedule_kind schedule = schedule_kind::stock;
    payload_kind payload = payload_kind::raw;
    codec_id codec = codec_id::raw;

    friend bool operator==(const cell&, const cell&) = default;
};

/// Shorter arrays travel raw in Rabenseifner's algorithm: latency is all that counts. Not half by half, as the thesis
/// proposes: docs/adr/0024.
inline constexpr std::uint64_t rabenseifner_raw_bytes = 64 * 1024;

/// What a row does with a buffer of so many bytes.
[[nodiscard]] constexpr cell as_run(const cell& what, std::uint64_t buffer_bytes) noexcept {
    if (what.schedule != schedule_kind::rabenseifner || buffer_bytes >= rabenseifner_raw_bytes) return what;
    return {what.schedule, payload_kind::raw, codec_id::raw};
}

/// Uncompressed bytes of a message of a collective. What an MPI library sends between nodes without asking the receiver
/// first (`eager_bytes`) is there sooner than the same bytes in larger messages (docs/adr/0015): what travels as it is
/// fits into that, what is compressed does from a ratio of 4 on.
/// asked   what the caller wants; 0: what suits
[[nodiscard]] constexpr std::uint64_t segment_bytes_of(payload_kind payload, std::uint64_t asked, int nodes,
                                                       std::uint64_t eager_bytes) noexcept {
    constexpr std::uint64_t longest = 128 * 1024;
    if (asked != 0) return asked;
    if (nodes < 2) return longest;
    const std::uint64_t fitting = payload == payload_kind::raw ? eager_bytes : 4 * eager_bytes;
    return fitting < longest ? fitting : longest;
}

/// The same for calls like earlier ones, whose messages may have shrunk well: doubled while so much longer ones still
/// leave unasked (docs/adr/0021). Of the schedules that hold few messages; once at most where every rank works on a
/// message before it goes on.
///
/// between   what runs between nodes
/// share     bytes of a message / bytes of what it holds, of the message that stands for all; 0: not known
[[nodiscard]] constexpr std::uint64_t grown_segment_bytes_of(schedule_kind between, payload_kind payload, double share,
                                                             std::uint64_t asked, int nodes,
                                                             std::uint64_t eager_bytes) noexcept {
    const std::uint64_t segment = segment_bytes_of(payload, asked, nodes, eager_bytes);
    const bool holds_few = between == schedule_kind::ring || between == schedule_kind::pairwise;
    if (asked != 0 || nodes < 2 || !holds_few || !(share > 0)) return segment;
    int doublings = payload == payload_kind::once ? 2 : payload == payload_kind::raw ? 0 : 1;
    while (doublings > 0 && share * static_cast<double>(segment << doublings) > static_cast<double>(eager_bytes))
        --doublings;
    return segment << doublings;
}

/// Values that `pipelined` rows compress between two looks at their messages: three chunks of fle. C-Coll (papers/000)
/// takes 5120.
inline constexpr std::size_t pipeline_values = 6144;

/// Into so many messages at least a piece is cut where it is compressed, unless they become very short: they overlap.
inline constexpr int compressed_cuts = 8;

/// Messages of a rank that should be on their way at a time: the wire stays busy while ranks wait for the processor or
/// for an answer. Those beyond that wait in queues, and in an alltoall hold up other ranks' (docs/adr/0015).
/// message_bytes   uncompressed
[[nodiscard]] constexpr int lanes_of(schedule_kind schedule, payload_kind payload,
                                     std::uint64_t message_bytes) noexcept {
    if (payload != payload_kind::raw) return schedule == schedule_kind::pairwise ? 4 : 8;
    const std::uint64_t ahead = schedule == schedule_kind::ring ? 256 * 1024 : 128 * 1024;
    constexpr std::uint64_t least = 2, most = 32;
    if (message_bytes == 0) return most;
    return static_cast<int>(std::clamp((ahead + message_bytes - 1) / message_bytes, least, most));
}

/// allreduce, reduce, reduce_scatter.
[[nodiscard]] constexpr bool is_reduction(operation op) noexcept { return op <= operation::reduce_scatter; }

/// What runs between nodes.
[[nodiscard]] constexpr schedule_kind schedule_between(schedule_kind all, operation op) noexcept {
    if (all != schedule_kind::hierarchical) return all;
    const bool straight = op == operation::gather || op == operation::scatter || op == operation::alltoall;
    return straight ? schedule_kind::pairwise : schedule_kind::ring;
}

}  // namespace laconic::model
