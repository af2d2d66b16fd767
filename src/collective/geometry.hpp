// SPDX-License-Identifier: BSD-3-Clause
// The shape of a call: arrays, counts and displacements flow in, checked; out flow the places of all pieces.
#pragma once

#include <cstddef>
#include <vector>

#include "collective/job.hpp"
#include "laconic/collective.hpp"

namespace laconic::collective {

/// Whether every rank knows the counts of all.
[[nodiscard]] constexpr bool knows_all_counts(operation op, bool varying) noexcept {
    return !varying || op == operation::allgather || op == operation::reduce_scatter;
}

/// What sums are divided by.
[[nodiscard]] constexpr unsigned divisor_of(operation op, reduction combine, int ranks) noexcept {
    return combine == reduction::avg && is_reduction(op) ? static_cast<unsigned>(ranks) : 1;
}

/// A call without its element type.
struct geometry {
    operation op = operation::allreduce;
    int rank = 0, ranks = 1, root = 0;
    bool varying = false;
    std::size_t in_count = 0, out_count = 0;  ///< elements of the arrays
    /// Empty where this rank does not read, or write, its array: there lists of the call say nothing.
    std::span<const std::size_t> in_counts, in_displacements, out_counts, out_displacements;

    [[nodiscard]] bool is_root() const noexcept { return rank == root; }
    /// Whether this rank reads, or writes, its array at all.
    [[nodiscard]] bool reads() const noexcept;
    [[nodiscard]] bool writes() const noexcept;
    /// What all ranks must give alike: see call_shape.
    [[nodiscard]] std::uint64_t common_count() const noexcept;
    [[nodiscard]] std::uint64_t counts_digest() const noexcept;
    /// Elements of the longest piece of any rank, or job::unknown_length where a rank does not know them all.
    [[nodiscard]] std::size_t longest_piece(std::uint32_t pieces) const noexcept;
    /// Elements that the operation is about, from this rank's point of view (collective.hpp: the buffer), gaps between
    /// parts left out. Where ranks do not know each other's counts the largest of all ranks' is that of the buffer.
    [[nodiscard]] std::size_t buffer_count() const noexcept;
};

template <class T>
[[nodiscard]] geometry geometry_of(const collective_call<T>& call, int rank, int ranks) noexcept {
    geometry all{call.op,
                 rank,
                 ranks,
                 call.root,
                 call.varying,
                 call.in.size(),
                 call.out.size(),
                 call.in_counts,
                 call.in_displacements,
                 call.out_counts,
                 call.out_displacements};
    if (!all.reads()) all.in_counts = all.in_displacements = {};
    if (!all.writes()) all.out_counts = all.out_displacements = {};
    return all;
}

/// ok, or invalid_argument naming what does not fit.
[[nodiscard]] status check_geometry(const geometry& call);

/// The elements of a call of one rank: one part, wherever the lists say that it lies.
struct own_part {
    std::size_t in_first = 0, out_first = 0, count = 0;
};
[[nodiscard]] own_part own_part_of(const geometry& call) noexcept;

/// Where every piece of a program lies. Precondition: check_geometry().
void place_pieces(const geometry& call, std::uint32_t pieces, std::vector<place>& places);

/// Piece k of `count` elements cut evenly into pieces of whole chunks, the first ones a chunk longer where it does not
/// come out even.
[[nodiscard]] range even_piece(std::size_t count, std::size_t pieces, std::size_t k) noexcept;
[[nodiscard]] std::size_t longest_even_piece(std::size_t count, std::size_t pieces) noexcept;
/// The places of all of them, in an array that is read and written alike.
void place_evenly(std::size_t count, std::uint32_t pieces, std::vector<place>& places);

}  // namespace laconic::collective
