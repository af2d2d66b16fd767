// SPDX-License-Identifier: BSD-3-Clause
// A part of a piece is the end of a row, whole rows, and the beginning of a row.
#include "redistribute/exchange/piece.hpp"

#include <algorithm>

namespace laconic::redistribute {
namespace {

/// Calls move(offset, packed, bytes, rows) for rows that lie strides[0][2] apart in memory, `packed` being where they
/// are in the packed form.
template <class Move>
void for_each_part(const rows_of_piece<1>& piece, std::int64_t begin, std::int64_t bytes, Move move) noexcept {
    const auto& strides = piece.strides[0];
    std::int64_t row = begin / piece.row_bytes;
    std::array<std::int64_t, 3> at{row / (piece.counts[1] * piece.counts[2]), row / piece.counts[2] % piece.counts[1],
                                   row % piece.counts[2]};
    const auto offset = [&] { return piece.first[0] + at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]; };
    const auto advance = [&](std::int64_t rows) {
        at[2] += rows;
        if (at[2] < piece.counts[2]) return;
        at[2] = 0;
        if (++at[1] < piece.counts[1]) return;
        at[1] = 0;
        ++at[0];
    };
    std::int64_t done = 0;
    if (const std::int64_t inside = begin - row * piece.row_bytes; inside > 0) {
        const std::int64_t rest = std::min(bytes, piece.row_bytes - inside);
        move(offset() + inside, 0, rest, 1);
        done = rest;
        advance(1);
    }
    for (std::int64_t rows = (bytes - done) / piece.row_bytes; rows > 0;) {
        const std::int64_t now = std::min(rows, piece.counts[2] - at[2]);
        move(offset(), done, piece.row_bytes, now);
        done += now * piece.row_bytes;
        rows -= now;
        advance(now);
    }
    if (done < bytes) move(offset(), done, bytes - done, 1);
}

}  // namespace

void gather(const rows_of_piece<1>& piece, const std::byte* base, std::int64_t begin, std::int64_t bytes, std::byte* to,
            stores how) noexcept {
    for_each_part(piece, begin, bytes,
                  [&](std::int64_t offset, std::int64_t packed, std::int64_t row_bytes, std::int64_t rows) {
                      copy_rows({to + packed, row_bytes}, {base + offset, piece.strides[0][2]},
                                static_cast<std::size_t>(row_bytes), rows, how);
                  });
}

void scatter(const rows_of_piece<1>& piece, std::byte* base, std::int64_t begin, std::int64_t bytes,
             const std::byte* from, stores how) noexcept {
    for_each_part(piece, begin, bytes,
                  [&](std::int64_t offset, std::int64_t packed, std::int64_t row_bytes, std::int64_t rows) {
                      copy_rows({base + offset, piece.strides[0][2]}, {from + packed, row_bytes},
                                static_cast<std::size_t>(row_bytes), rows, how);
                  });
}

void copy_piece(const rows_of_piece<2>& piece, const std::byte* from, std::byte* to, stores how) noexcept {
    const auto& given = piece.strides[0];
    const auto& taken = piece.strides[1];
    for (std::int64_t i = 0; i < piece.counts[0]; ++i)
        for (std::int64_t j = 0; j < piece.counts[1]; ++j)
            copy_rows({to + piece.first[1] + i * taken[0] + j * taken[1], taken[2]},
                      {from + piece.first[0] + i * given[0] + j * given[1], given[2]},
                      static_cast<std::size_t>(piece.row_bytes), piece.counts[2], how);
}

}  // namespace laconic::redistribute
