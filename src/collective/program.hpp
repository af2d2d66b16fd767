// SPDX-License-Identifier: BSD-3-Clause
// The schedule axis: who sends which piece to whom at which step. An operation, a schedule, ranks and a root flow in;
// out flows this rank's program, a list of steps. A schedule knows no codec, no bytes and no MPI.
//
// An operation's arrays are cut into pieces (see pieces_of()). A program says what a rank does with each of them; a
// long piece is cut into cells, and the runner repeats the program for the cells of every piece. Programs of all ranks
// agree on an order of time: a message that a rank waits for in a step is sent in an earlier one, or in the same one by
// a rank that waits for nothing later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collective/registry.hpp"

namespace laconic::collective {

inline constexpr int nobody = -1;

/// One step: perhaps a message comes in and is combined or taken; what results is perhaps written, kept, sent.
struct step {
    std::uint32_t piece = 0;
    std::int32_t from = nobody;  ///< rank whose message comes in
    std::uint32_t first_to = 0;  ///< index into program::to
    std::uint32_t to_count = 0;  ///< ranks that get the result of this step
    bool combines : 1 = false;   ///< the message is combined with what is here; else it replaces it
    /// What is here comes before what comes in: of two NaN the processor keeps the first, which has to be the same one
    /// on ranks that make the same sum. A custom operation is not told (arrays::combine).
    bool ours_first : 1 = false;
    bool uses_state : 1 = false;  ///< what is here was kept by an earlier step; else it is the local values
    bool keeps : 1 = false;       ///< a later step uses the result
    bool last : 1 = false;        ///< nothing will be added any more
    bool finishes : 1 = false;    ///< the result is this rank's to have
    bool copies : 1 = false;      ///< local values are the result as they are; nothing else happens
    std::uint32_t bundle = 0;     ///< index into program::incoming, where messages may travel together
};

/// Messages between this rank and another one that may travel together.
struct bundle {
    std::int32_t rank = nobody;
    bool results = false;  ///< final values; else partial sums, or everything where messages are taken in order

    friend bool operator==(const bundle&, const bundle&) = default;
};

struct program {
    std::vector<step> steps;
    std::vector<std::int32_t> to;
    /// None where all messages travel alone.
    std::vector<bundle> incoming, outgoing;
    std::vector<std::uint32_t> to_bundle;  ///< index into outgoing, for every element of `to`
    /// Where nobody needs the first message of a bundle before the last one is there: pieces in the longest bundle of
    /// any rank. Else 0.
    std::uint32_t most_bundled = 0;
    /// Every rank takes what another one sends it in the order in which it is sent, and no step sends to several.
    bool in_order = false;
    std::uint32_t pieces = 1;
    std::uint32_t kept_pieces = 0;  ///< most states that are kept at a time
    std::uint32_t most_to = 0;      ///< largest to_count
    std::uint32_t sending = 0;      ///< steps with targets
    /// Messages of one lane that may be there at a time, the same on all ranks: many of them leave few lanes.
    std::uint32_t weight = 1;
    /// What a step sends may be received many steps later. Ranks that wait for each other's receives would wait for
    /// ever: everything that a group of cells sends must find room.
    bool sends_ahead = false;
    /// Ranks that send to the same one, where those that send receive nothing and that one sends nothing; 0: none do.
    std::uint32_t converging = 0;
    /// The two ranks of a pair number the same piece differently, but there is only one each way.
    bool one_piece_per_pair = false;

    [[nodiscard]] bool has_bundles() const noexcept { return most_bundled > 0; }
    [[nodiscard]] std::span<const std::int32_t> targets(const step& now) const noexcept {
        return std::span(to).subspan(now.first_to, now.to_count);
    }
};

/// The program of `rank` among `ranks` >= 2. Precondition: serves(op, {schedule, ...}); not stock, hierarchical, auto.
/// root   of reduce, gather, scatter, bcast
[[nodiscard]] program make_program(operation op, schedule_kind schedule, int ranks, int rank, int root);

/// Pieces of an operation: how its arrays are cut.
enum class cutting : std::uint8_t {
    evenly,    ///< the array in as many parts as there are pieces
    by_rank,   ///< piece k belongs to rank k
    outgoing,  ///< piece k goes to rank k, piece ranks + k comes from rank k
};
[[nodiscard]] cutting cutting_of(operation op) noexcept;

/// Quantisations that an element of the result sees when every send of a partial result quantises it, and so does the
/// end of the sum.
[[nodiscard]] std::uint32_t quantisations_of(operation op, schedule_kind schedule, int ranks) noexcept;

}  // namespace laconic::collective
