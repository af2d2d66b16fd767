// SPDX-License-Identifier: BSD-3-Clause
// Boxes in memory: the extents and strides of a piece flow in, runs of bytes and their spacing flow out, with as few
// dimensions as they can be told in; from them bytes are gathered, scattered and copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "laconic/redistribute.hpp"
#include "redistribute/exchange/rows.hpp"

namespace laconic::redistribute {

/// A piece in two places at once: a place's strides belong to the dimensions that are left when those without gaps in
/// both places have been joined. Counts and strides are outermost first; dimension 2 is the spacing of the rows.
template <std::size_t Places>
struct rows_of_piece {
    std::array<std::int64_t, Places> first{};  ///< bytes from where the place begins
    std::int64_t row_bytes = 0;
    std::array<std::int64_t, 3> counts{1, 1, 1};
    std::array<std::array<std::int64_t, 3>, Places> strides{};

    [[nodiscard]] std::int64_t rows() const noexcept { return counts[0] * counts[1] * counts[2]; }
    [[nodiscard]] std::int64_t bytes() const noexcept { return row_bytes * rows(); }
};

/// Offset and strides of a piece in one place, in bytes.
struct piece_place {
    std::int64_t first = 0;
    std::array<std::int64_t, most_dimensions> strides{};
};

template <std::size_t Places>
[[nodiscard]] rows_of_piece<Places> rows_of(const box& region, const std::array<piece_place, Places>& places,
                                            std::int64_t element_bytes) noexcept {
    rows_of_piece<Places> made;
    for (std::size_t k = 0; k < Places; ++k) made.first[k] = places[k].first;
    std::size_t d = region.dimensions;
    made.row_bytes = element_bytes;
    const auto joins = [&](std::size_t dimension, std::int64_t inner_bytes) {
        for (const piece_place& place : places)
            if (place.strides[dimension] != inner_bytes) return false;
        return true;
    };
    for (; d > 0 && (region.extent(d - 1) == 1 || joins(d - 1, made.row_bytes)); --d)
        made.row_bytes *= region.extent(d - 1);
    for (std::size_t at = 3; d > 0; --d) {
        const std::int64_t extent = region.extent(d - 1);
        if (extent == 1) continue;
        // Joined with the dimension inside where it goes on at the same spacing.
        bool goes_on = at < 3;
        for (std::size_t k = 0; k < Places && goes_on; ++k)
            goes_on = places[k].strides[d - 1] == made.strides[k][at] * made.counts[at];
        if (goes_on) {
            made.counts[at] *= extent;
            continue;
        }
        --at;
        made.counts[at] = extent;
        for (std::size_t k = 0; k < Places; ++k) made.strides[k][at] = places[k].strides[d - 1];
    }
    return made;
}

/// Bytes `begin` to `begin + bytes` of the piece in C order, from memory that begins at `base` to `to`, and back.
void gather(const rows_of_piece<1>& piece, const std::byte* base, std::int64_t begin, std::int64_t bytes, std::byte* to,
            stores how) noexcept;
void scatter(const rows_of_piece<1>& piece, std::byte* base, std::int64_t begin, std::int64_t bytes,
             const std::byte* from, stores how) noexcept;
/// The whole piece from place 0 to place 1.
void copy_piece(const rows_of_piece<2>& piece, const std::byte* from, std::byte* to, stores how) noexcept;

}  // namespace laconic::redistribute
