// SPDX-License-Identifier: BSD-3-Clause
// A plan and where boxes and patches lie in memory flow in; what one rank has to do flows out: the pieces that it
// copies, and for each other rank the stream of bytes that goes there or comes from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "redistribute/exchange/piece.hpp"

namespace laconic::redistribute {

/// Arrays of one run: where each field's elements begin.
struct run_arrays {
    std::span<const std::byte* const> in;
    std::span<std::byte* const> out;
    /// Lossy: the absolute bound of each field; else empty.
    std::span<const double> bounds;
};

/// MPI counts in int, and so does what is inside it, here and there.
inline constexpr std::int64_t most_part_bytes = std::int64_t{1} << 30;

/// A piece in a stream, or a slab of one: of one field at most most_part_bytes.
struct part {
    rows_of_piece<1> rows;
    std::int64_t begin = 0;   ///< bytes of one field before it
    std::uint32_t patch = 0;  ///< receiving: its position among the rank's patches
};

/// A piece from one place to another: one that stays, or one that is read where its sender has it.
struct placed_piece {
    rows_of_piece<2> rows;
    std::uint32_t patch = 0;  ///< its position among the rank's patches
};

/// All that goes from one rank to another in one run, as a sequence of bytes that both sides number alike: piece by
/// piece, and of each piece field by field; or field by field.
struct stream {
    int peer = 0;
    std::vector<part> parts;
    /// Receiving, where the sender's own arrays can be seen: the parts, from there.
    std::vector<placed_piece> straight;
    std::int64_t field_bytes = 0;  ///< of one field
    std::int64_t fields = 1;
    bool by_field = false;

    [[nodiscard]] std::int64_t bytes() const noexcept { return field_bytes * fields; }
};

struct owned_patch {
    patch_number number = 0;
    std::size_t offset = 0;  ///< of its first element
    std::int64_t bytes = 0;  ///< of all fields
    bool held = false;
};

/// One rank's part of a plan.
struct work {
    std::vector<rows_of_piece<1>> boxes;  ///< that it gives
    std::vector<placed_piece> kept;       ///< those of patches that are held first, then by patch
    std::vector<stream> outgoing;         ///< by (peer - rank) modulo ranks
    std::vector<stream> incoming;         ///< by (rank - peer) modulo ranks
    std::vector<owned_patch> patches;
    std::vector<patch_number> numbers;  ///< of those patches
    std::size_t held = 0;               ///< how many of the patches are
    std::size_t in_elements = 0, out_elements = 0;
    std::size_t element_bytes = 0, fields = 1;
    std::int64_t kept_bytes = 0;
};

/// Where boxes lie: as `given` says, or, where that is empty, one behind the other without gaps.
struct storage {
    std::vector<stored_box> boxes;
    std::size_t elements = 0;  ///< that reach from the beginning to the last of any box
};

/// What the plan says, for one rank. May throw bad_alloc.
/// seen  by rank: where the boxes lie in that rank's own arrays, empty where these cannot be seen; or nothing at all
[[nodiscard]] work work_of(const plan& what, rank_number rank, const storage& in, const storage& out,
                           std::size_t element_bytes, std::size_t fields, bool by_field,
                           std::span<const std::span<const stored_box>> seen = {});

/// `bytes`: of an element in all fields, of which no box may reach beyond 2^61.
/// returns invalid_argument when `given` is neither empty nor usable; `what` names a box in the text.
[[nodiscard]] result<storage> storage_of(std::span<const box> boxes, std::span<const stored_box> given,
                                         std::size_t bytes, std::string_view what);

}  // namespace laconic::redistribute
