// SPDX-License-Identifier: BSD-3-Clause
// Layouts and grids: the remainder rule, and what is refused, with the rank, the box and the value in the text.
#include <gtest/gtest.h>

#include "random_layouts.hpp"

namespace laconic {
namespace {

using numbers = std::vector<std::int64_t>;

owned_box owned(rank_number rank, numbers lower, numbers upper) {
    owned_box made{rank, {lower.size(), {}, {}}};
    std::copy(lower.begin(), lower.end(), made.region.lower.begin());
    std::copy(upper.begin(), upper.end(), made.region.upper.begin());
    return made;
}

template <class T>
void expect_refused(const result<T>& got, errc code, const std::vector<std::string>& words) {
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().code(), code) << got.error().message();
    for (const std::string& word : words)
        EXPECT_NE(got.error().context().find(word), std::string::npos) << word << " in: " << got.error().context();
}

TEST(layout, spreads_the_longer_blocks_evenly) {
    const layout made = layout::regular(numbers{10}, numbers{4}).value();
    EXPECT_EQ(made.boxes_of(0)[0].text(), "[0, 2)");
    EXPECT_EQ(made.boxes_of(1)[0].text(), "[2, 5)");
    EXPECT_EQ(made.boxes_of(2)[0].text(), "[5, 7)");
    EXPECT_EQ(made.boxes_of(3)[0].text(), "[7, 10)");
}

TEST(layout, counts_ranks_in_c_order) {
    const layout made = layout::regular(numbers{4, 6}, numbers{2, 3}).value();
    EXPECT_EQ(made.boxes_of(1)[0].text(), "[0, 2) x [2, 4)");
    EXPECT_EQ(made.boxes_of(3)[0].text(), "[2, 4) x [0, 2)");
    EXPECT_EQ(made.volume(5), 4);
}

TEST(layout, refuses_what_is_no_tiling) {
    const numbers extents{8, 8};
    const auto left = owned(0, {0, 0}, {8, 4}), right = owned(1, {0, 4}, {8, 8});
    EXPECT_TRUE(layout::boxes(extents, std::vector{left, right}, 2).ok());
    expect_refused(layout::boxes(extents, std::vector{left, owned(1, {0, 3}, {8, 8})}, 2), errc::mismatch,
                   {"rank 0", "rank 1", "[0, 8) x [3, 8)", "(0, 3)"});
    expect_refused(layout::boxes(extents, std::vector{left, owned(1, {1, 4}, {8, 8})}, 2), errc::mismatch,
                   {"(0, 4)", "no rank's box"});
    expect_refused(layout::boxes(extents, std::vector{left}, 2), errc::mismatch, {"(0, 4)"});
    expect_refused(layout::boxes(extents, std::vector<owned_box>{}, 2), errc::mismatch, {"(0, 0)"});
    expect_refused(layout::boxes(extents, std::vector{left, right, owned(1, {5, 5}, {6, 6})}, 2), errc::mismatch,
                   {"[5, 6) x [5, 6)", "overlap"});
    expect_refused(layout::boxes(extents, std::vector{left, owned(1, {0, 4}, {8, 9})}, 2), errc::mismatch,
                   {"rank 1", "[4, 9)", "dimension 1"});
    expect_refused(layout::boxes(extents, std::vector{left, owned(1, {0, -4}, {8, 8})}, 2), errc::mismatch, {"-4"});
    expect_refused(layout::boxes(extents, std::vector{left, right, owned(1, {3, 3}, {3, 5})}, 2), errc::mismatch,
                   {"empty", "rank 1"});
    expect_refused(layout::boxes(extents, std::vector{left, owned(2, {0, 4}, {8, 8})}, 2), errc::mismatch, {"rank 2"});
    expect_refused(layout::boxes(extents, std::vector{left, owned(1, {4}, {8})}, 2), errc::mismatch, {"1 dimensions"});
}

TEST(layout, finds_any_single_fault) {
    tests::random_layouts random(2);
    for (int i = 0; i < 300; ++i) {
        const auto extents = random.extents();
        auto boxes = random.boxes(extents, 5);
        ASSERT_TRUE(layout::boxes(extents, boxes, 5).ok());
        auto& hit = boxes[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(boxes.size()) - 1))];
        const auto d = static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(extents.size()) - 1));
        hit.region.lower[d] += random.number(0, 1) ? 1 : -1;
        EXPECT_FALSE(layout::boxes(extents, boxes, 5).ok());
    }
}

TEST(layout, refuses_numbers_out_of_range) {
    constexpr std::int64_t huge = INT64_MAX;
    expect_refused(layout::regular(numbers{}, numbers{}), errc::invalid_argument, {"0 dimensions"});
    expect_refused(layout::regular(numbers{2, 2, 2, 2, 2}, numbers{1, 1, 1, 1, 1}), errc::invalid_argument, {"5 dim"});
    expect_refused(layout::regular(numbers{4, 0}, numbers{1, 1}), errc::invalid_argument, {"extent 0", "dimension 1"});
    expect_refused(layout::regular(numbers{4, -3}, numbers{1, 1}), errc::invalid_argument, {"-3"});
    expect_refused(layout::regular(numbers{huge, huge}, numbers{1, 1}), errc::invalid_argument, {"2^60"});
    expect_refused(layout::regular(numbers{4, 4}, numbers{5, 1}), errc::invalid_argument, {"5 blocks", "dimension 0"});
    expect_refused(layout::regular(numbers{4, 4}, numbers{1, 0}), errc::invalid_argument, {"0 blocks"});
    expect_refused(layout::regular(numbers{4, 4}, numbers{4}), errc::invalid_argument, {"2 dimensions"});
    expect_refused(layout::regular(numbers{100000, 100000}, numbers{100000, 100000}), errc::invalid_argument, {"2^31"});
    expect_refused(layout::boxes(numbers{4}, std::vector<owned_box>{}, 0), errc::invalid_argument, {"0 ranks"});
    expect_refused(patch_grid::of_size(numbers{4, 4}, numbers{5, 1}), errc::invalid_argument, {"patch extent 5"});
    expect_refused(patch_grid::of_size(numbers{4, 4}, numbers{2, -1}), errc::invalid_argument, {"-1", "dimension 1"});
    expect_refused(patch_grid::of_size(numbers{1 << 20, 1 << 20}, numbers{1, 1}), errc::invalid_argument, {"2^31"});
    expect_refused(even_blocks(0, numbers{4}), errc::invalid_argument, {"0 ranks"});
    expect_refused(even_blocks(1009, numbers{100, 100}), errc::invalid_argument, {"1009 ranks", "100 x 100"});
}

TEST(even_blocks, are_those_of_mpi_dims_create) {
    const numbers cube{1000, 1000, 1000};
    EXPECT_EQ(even_blocks(1024, cube).value(), (numbers{16, 8, 8}));
    EXPECT_EQ(even_blocks(2048, cube).value(), (numbers{16, 16, 8}));
    EXPECT_EQ(even_blocks(16384, cube).value(), (numbers{32, 32, 16}));
    EXPECT_EQ(even_blocks(30, cube).value(), (numbers{5, 3, 2}));
    EXPECT_EQ(even_blocks(1, cube).value(), (numbers{1, 1, 1}));
    // A thin dimension takes few blocks.
    EXPECT_EQ(even_blocks(64, numbers{2, 1000}).value(), (numbers{2, 32}));
}

}  // namespace
}  // namespace laconic
