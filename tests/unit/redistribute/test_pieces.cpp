// SPDX-License-Identifier: BSD-3-Clause
// Pieces are packed, unpacked and copied right for all lengths of rows, in any portions, and streams are cut alike.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "redistribute/exchange/chunk.hpp"

namespace laconic::redistribute {
namespace {

std::vector<std::byte> numbered(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 167 >> 3);
    return bytes;
}

TEST(Rows, AreCopiedForEveryLengthAlignmentAndKindOfStores) {
    const std::vector<std::byte> source = numbered(40000);
    for (const stores how : {stores::cached, stores::streamed})
        for (std::size_t row = 0; row < 4200; row = row < 300 ? row + 1 : row + 617)
            for (const std::size_t shift : {0U, 1U, 8U, 16U}) {
                const std::size_t from_stride = row + 5, to_stride = row + (shift == 0 ? 16 - row % 16 : 3);
                std::vector<std::byte> target(3 * to_stride + 100, std::byte{0xEE}), wanted = target;
                copy_rows({target.data() + shift, static_cast<std::int64_t>(to_stride)},
                          {source.data() + 3, static_cast<std::int64_t>(from_stride)}, row, 3, how);
                finish_streams();
                for (std::size_t r = 0; r < 3; ++r)
                    for (std::size_t i = 0; i < row; ++i)
                        wanted[shift + r * to_stride + i] = source[3 + r * from_stride + i];
                ASSERT_EQ(target, wanted) << "rows of " << row << " bytes, shifted by " << shift;
            }
}

TEST(Pieces, JoinDimensionsWithoutGaps) {
    const box whole{3, {0, 0, 0}, {4, 5, 6}};
    const auto dense = rows_of<1>(whole, {piece_place{0, {30 * 8, 6 * 8, 8}}}, 8);
    EXPECT_EQ(dense.row_bytes, 4 * 5 * 6 * 8);
    EXPECT_EQ(dense.rows(), 1);
    const auto padded = rows_of<1>(whole, {piece_place{0, {35 * 8, 7 * 8, 8}}}, 8);
    EXPECT_EQ(padded.row_bytes, 6 * 8);
    EXPECT_EQ(padded.counts[2], 20);  // rows go on at the same spacing from one plane to the next
}

TEST(Pieces, AreGatheredAndScatteredInAnyPortions) {
    const box region{4, {0, 0, 0, 0}, {3, 2, 4, 5}};
    const auto piece = rows_of<1>(region, {piece_place{7, {600, 240, 50, 4}}}, 4);
    const std::vector<std::byte> source = numbered(2500);
    std::vector<std::byte> wanted;
    for (std::int64_t a = 0; a < 3; ++a)
        for (std::int64_t b = 0; b < 2; ++b)
            for (std::int64_t c = 0; c < 4; ++c)
                for (std::int64_t i = 0; i < 20; ++i)
                    wanted.push_back(source[static_cast<std::size_t>(7 + a * 600 + b * 240 + c * 50 + i)]);
    ASSERT_EQ(piece.bytes(), static_cast<std::int64_t>(wanted.size()));
    for (std::int64_t portion = 1; portion <= piece.bytes(); ++portion) {
        std::vector<std::byte> packed(wanted.size()), back(source.size());
        for (std::int64_t at = 0; at < piece.bytes(); at += portion) {
            const std::int64_t now = std::min(portion, piece.bytes() - at);
            gather(piece, source.data(), at, now, packed.data() + at, stores::cached);
            scatter(piece, back.data(), at, now, packed.data() + at, stores::cached);
        }
        ASSERT_EQ(packed, wanted) << "portions of " << portion;
        std::vector<std::byte> again(wanted.size());
        gather(piece, back.data(), 0, piece.bytes(), again.data(), stores::cached);
        ASSERT_EQ(again, wanted) << "portions of " << portion;
    }
}

/// Chunks follow each other without gaps, whatever the size; beyond 2^32 bytes, too.
TEST(Chunks, CoverAStream) {
    for (const bool by_field : {false, true})
        for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{5} << 32})
            for (const std::int64_t size : {bytes / 7 + 1, bytes, bytes + 3}) {
                stream all;
                all.field_bytes = bytes;
                all.fields = 3;
                all.by_field = by_field;
                std::int64_t at = 0;
                for (std::int64_t i = 0; i < chunks_of(all, size); ++i) {
                    const chunk next = chunk_at(all, size, i);
                    EXPECT_EQ(next.begin, at);
                    EXPECT_GT(next.bytes, 0);
                    EXPECT_LE(next.bytes, size);
                    if (by_field) {
                        EXPECT_EQ(next.begin / bytes, static_cast<std::int64_t>(next.field));
                        EXPECT_EQ((next.begin + next.bytes - 1) / bytes, static_cast<std::int64_t>(next.field));
                    }
                    at += next.bytes;
                }
                EXPECT_EQ(at, all.bytes());
            }
}

}  // namespace
}  // namespace laconic::redistribute
