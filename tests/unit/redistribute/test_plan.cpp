// SPDX-License-Identifier: BSD-3-Clause
// What every plan promises, over random layouts, grids and placements: each element arrives exactly once, at the owner
// of its patch, from the rank that had it; ranks agree on what flies between them; figures are the sums of the ranks'
// parts.
#include <gtest/gtest.h>

#include <map>

#include "random_layouts.hpp"

namespace laconic {
namespace {

placement any_placement(tests::random_layouts& random, const layout& from, const patch_grid& to) {
    placement how;
    how.kind = static_cast<placement_kind>(random.number(0, 4));
    how.balance = 1 + 0.1 * static_cast<double>(random.number(0, 8));
    how.load = random.number(0, 1) ? load_measure::patches : load_measure::elements;
    if (how.kind == placement_kind::given)
        for (patch_number p = 0; p < to.patches(); ++p)
            how.owners.push_back(static_cast<rank_number>(random.number(0, from.ranks() - 1)));
    if (random.number(0, 2) == 0)
        for (rank_number rank = 0; rank < from.ranks(); ++rank) how.node_of.push_back(rank % 3 * 7);
    return how;
}

void expect_sound(const plan& made, const placement& how) {
    const box& domain = made.to().domain();
    const auto elements = static_cast<std::size_t>(domain.volume());
    std::vector<rank_number> holder(elements, -1), target(elements, -1);
    for (rank_number rank = 0; rank < made.from().ranks(); ++rank)
        for (const box& mine : made.from().boxes_of(rank))
            tests::for_each_element(mine, domain, [&](std::size_t i) { holder[i] = rank; });
    for (patch_number patch = 0; patch < made.to().patches(); ++patch)
        tests::for_each_element(made.to().patch(patch), domain, [&](std::size_t i) {
            ASSERT_EQ(target[i], -1) << "patches overlap";
            target[i] = made.owners()[static_cast<std::size_t>(patch)];
        });
    std::vector<int> arrived(elements, 0);
    std::map<std::pair<rank_number, rank_number>, std::vector<transfer>> sent, received;
    std::int64_t moved = 0, between_nodes = 0;
    const auto node = [&](rank_number rank) { return how.node_of[static_cast<std::size_t>(rank)]; };
    for (rank_number rank = 0; rank < made.from().ranks(); ++rank) {
        const rank_plan mine = made.of_rank(rank);
        EXPECT_TRUE(std::is_sorted(mine.patches.begin(), mine.patches.end()));
        for (const transfer& each : mine.receives) {
            received[{each.peer, rank}].push_back(each);
            moved += each.region.volume();
            if (!how.node_of.empty() && node(rank) != node(each.peer)) between_nodes += each.region.volume();
            tests::for_each_element(each.region, domain, [&](std::size_t i) {
                ++arrived[i];
                EXPECT_EQ(holder[i], each.peer);
                EXPECT_EQ(target[i], rank);
            });
        }
        for (const transfer& each : mine.copies) {
            EXPECT_EQ(each.peer, rank);
            tests::for_each_element(each.region, domain, [&](std::size_t i) {
                ++arrived[i];
                EXPECT_EQ(holder[i], rank);
                EXPECT_EQ(target[i], rank);
            });
        }
        for (const transfer& each : mine.sends) sent[{rank, each.peer}].push_back(each);
    }
    EXPECT_EQ(std::count(arrived.begin(), arrived.end(), 1), static_cast<std::ptrdiff_t>(elements));
    ASSERT_EQ(sent.size(), received.size());
    for (const auto& [pair, pieces] : sent) {
        const auto& other = received[pair];
        ASSERT_EQ(pieces.size(), other.size());
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            EXPECT_EQ(pieces[i].patch, other[i].patch);
            EXPECT_EQ(pieces[i].region, other[i].region);
        }
    }
    const plan_figures figures = made.figures();
    EXPECT_EQ(figures.moved_elements, moved);
    EXPECT_EQ(figures.between_nodes, between_nodes);
    EXPECT_EQ(figures.elements, domain.volume());
    EXPECT_EQ(figures.rank_messages, static_cast<std::int64_t>(sent.size()));
    EXPECT_EQ(figures.patches.sum, made.to().patches());
    EXPECT_EQ(figures.volume.sum, domain.volume());
    EXPECT_LE(figures.received.max, figures.received_at_most);
}

TEST(plan, brings_every_element_to_its_place_exactly_once) {
    tests::random_layouts random(1);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const auto extents = random.extents();
        const layout from = random.any_layout(extents);
        const patch_grid to = random.grid(extents);
        const placement how = any_placement(random, from, to);
        const result<plan> made = plan::make(from, to, how);
        ASSERT_TRUE(made.ok()) << made.error().message();
        expect_sound(*made, how);
        // Another time, the same plan.
        const plan again = plan::make(from, to, how).value();
        EXPECT_TRUE(std::equal(again.owners().begin(), again.owners().end(), made->owners().begin()));
    }
}

TEST(plan, of_boxes_is_that_of_the_same_regular_layout) {
    const std::vector<std::int64_t> extents{40, 33}, blocks{3, 4}, patch{7, 5};
    const layout regular = layout::regular(extents, blocks).value();
    std::vector<owned_box> owned;
    for (rank_number rank = 12; rank-- > 0;) owned.push_back({rank, regular.boxes_of(rank)[0]});
    const layout boxes = layout::boxes(extents, owned, 12).value();
    const patch_grid to = patch_grid::of_size(extents, patch).value();
    for (const placement_kind kind : {placement_kind::greedy, placement_kind::balanced, placement_kind::optimal}) {
        placement how;
        how.kind = kind;
        const plan a = plan::make(regular, to, how).value(), b = plan::make(boxes, to, how).value();
        EXPECT_TRUE(std::equal(a.owners().begin(), a.owners().end(), b.owners().begin())) << name_of(kind);
    }
}

}  // namespace
}  // namespace laconic
