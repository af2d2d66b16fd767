// SPDX-License-Identifier: BSD-3-Clause
// Plans as C asks for them and reads them: everything that the C++ plan of the same problem says, for random problems;
// what zeros mean; calls that are wrong.
#include <gtest/gtest.h>

#include <cstring>

#include "laconic/laconic.h"
#include "random_layouts.hpp"

namespace laconic {
namespace {

using numbers = std::vector<std::int64_t>;

/// A random problem, for both.
struct problem {
    numbers extents, patch, lower, upper;
    std::vector<std::int32_t> box_ranks;
    rank_number ranks = 0;
    placement how;

    explicit problem(tests::random_layouts& random)
        : extents(random.extents()),
          patch(random.up_to(extents)),
          ranks(static_cast<rank_number>(random.number(1, 7))) {
        for (const owned_box& each : random.boxes(extents, ranks)) {
            box_ranks.push_back(each.rank);
            lower.insert(lower.end(), each.region.lower.begin(), each.region.lower.begin() + extents.size());
            upper.insert(upper.end(), each.region.upper.begin(), each.region.upper.begin() + extents.size());
        }
        how.kind = static_cast<placement_kind>(random.number(0, 4));
        how.balance = 1 + 0.25 * static_cast<double>(random.number(0, 4));
        how.load = random.number(0, 2) == 0 ? load_measure::elements : load_measure::patches;
        how.exact = random.number(0, 1) == 1;
        how.between_nodes = random.number(1, 20);
        if (random.number(0, 1) == 1)
            for (rank_number rank = 0; rank < ranks; ++rank)
                how.node_of.push_back(static_cast<std::int32_t>(random.number(0, 2)));
        for (patch_number number = 0; how.kind == placement_kind::given && number < grid().patches(); ++number)
            how.owners.push_back(static_cast<rank_number>(random.number(0, ranks - 1)));
    }
    [[nodiscard]] patch_grid grid() const { return patch_grid::of_size(extents, patch).value(); }
    [[nodiscard]] plan planned() const {
        std::vector<owned_box> owned;
        for (std::size_t i = 0; i < box_ranks.size(); ++i) {
            owned.push_back({box_ranks[i], {extents.size(), {}, {}}});
            std::copy_n(&lower[i * extents.size()], extents.size(), owned.back().region.lower.begin());
            std::copy_n(&upper[i * extents.size()], extents.size(), owned.back().region.upper.begin());
        }
        return plan::make(layout::boxes(extents, owned, ranks).value(), grid(), how).value();
    }
    [[nodiscard]] laconic_plan_request asked() const {
        laconic_plan_request made{};
        made.dimensions = static_cast<int>(extents.size());
        made.extents = extents.data();
        made.ranks = ranks;
        made.boxes = box_ranks.size();
        made.box_ranks = box_ranks.data();
        made.lower = lower.data();
        made.upper = upper.data();
        made.patch = patch.data();
        made.placement = static_cast<laconic_placement>(how.kind);
        made.balance = how.balance;
        made.owners = how.owners.empty() ? nullptr : how.owners.data();
        made.load = how.load == load_measure::elements ? LACONIC_LOAD_ELEMENTS : LACONIC_LOAD_PATCHES;
        made.exact = how.exact ? 1 : 0;
        made.node_of = how.node_of.empty() ? nullptr : how.node_of.data();
        made.between_nodes = how.between_nodes;
        return made;
    }
};

laconic_plan plan_of(const laconic_plan_request& asked) {
    laconic_plan made = LACONIC_PLAN_NULL;
    EXPECT_EQ(laconic_plan_make(&asked, &made), LACONIC_OK) << laconic_last_message();
    return made;
}

void expect_figures(laconic_plan planned, const plan_figures& wanted) {
    laconic_plan_figures got{};
    ASSERT_EQ(laconic_plan_describe(planned, &got), LACONIC_OK);
    const auto all = [](const laconic_plan_figures& figures) {
        return numbers{figures.elements,       figures.moved_elements, figures.patches,       figures.shared_patches,
                       figures.patch_messages, figures.rank_messages,  figures.patches_min,   figures.patches_max,
                       figures.received_max,   figures.proven_optimal, figures.between_nodes, figures.received_at_most,
                       figures.forced,         figures.received_min,   figures.sent_min,      figures.sent_max,
                       figures.volume_min,     figures.volume_max};
    };
    EXPECT_EQ(all(got), (numbers{wanted.elements, wanted.moved_elements, wanted.patches.sum, wanted.shared_patches,
                                 wanted.patch_messages, wanted.rank_messages, wanted.patches.min, wanted.patches.max,
                                 wanted.received.max, wanted.proven_optimal, wanted.between_nodes,
                                 wanted.received_at_most, wanted.forced, wanted.received.min, wanted.sent.min,
                                 wanted.sent.max, wanted.volume.min, wanted.volume.max}));
}

void expect_transfers(laconic_plan planned, rank_number rank, laconic_transfer_kind kind,
                      const std::vector<transfer>& wanted) {
    std::size_t count = 0;
    ASSERT_EQ(laconic_plan_transfers(planned, rank, kind, nullptr, 0, &count), LACONIC_OK);
    ASSERT_EQ(count, wanted.size());
    std::vector<laconic_transfer> got(count + 1);
    ASSERT_EQ(laconic_plan_transfers(planned, rank, kind, got.data(), got.size(), &count), LACONIC_OK);
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(got[i].peer, wanted[i].peer);
        EXPECT_EQ(got[i].patch, wanted[i].patch);
        EXPECT_EQ(got[i].part, wanted[i].part);
        EXPECT_TRUE(std::equal(wanted[i].region.lower.begin(), wanted[i].region.lower.end(), got[i].lower));
        EXPECT_TRUE(std::equal(wanted[i].region.upper.begin(), wanted[i].region.upper.end(), got[i].upper));
    }
}

void expect_boxes(laconic_plan planned, rank_number rank, const std::vector<box>& wanted, std::size_t dimensions) {
    std::size_t count = 0;
    ASSERT_EQ(laconic_plan_boxes_of(planned, rank, nullptr, nullptr, 0, &count), LACONIC_OK);
    ASSERT_EQ(count, wanted.size());
    numbers lower(count * dimensions + 1, -1), upper(lower);
    ASSERT_EQ(laconic_plan_boxes_of(planned, rank, lower.data(), upper.data(), count, &count), LACONIC_OK);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t d = 0; d < dimensions; ++d) {
            EXPECT_EQ(lower[i * dimensions + d], wanted[i].lower[d]);
            EXPECT_EQ(upper[i * dimensions + d], wanted[i].upper[d]);
        }
    EXPECT_EQ(lower.back(), -1);
    EXPECT_EQ(upper.back(), -1);
}

TEST(c_plan, says_what_the_plan_of_cpp_says) {
    tests::random_layouts random(21);
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const problem given(random);
        const plan wanted = given.planned();
        laconic_plan planned = plan_of(given.asked());
        ASSERT_NE(planned, nullptr);
        expect_figures(planned, wanted.figures());
        const std::int32_t* owners = nullptr;
        std::size_t count = 0;
        ASSERT_EQ(laconic_plan_owners(planned, &owners, &count), LACONIC_OK);
        EXPECT_TRUE(std::equal(owners, owners + count, wanted.owners().begin(), wanted.owners().end()));
        for (rank_number rank = 0; rank < given.ranks; ++rank) {
            const rank_plan mine = wanted.of_rank(rank);
            expect_transfers(planned, rank, LACONIC_SENDS, mine.sends);
            expect_transfers(planned, rank, LACONIC_RECEIVES, mine.receives);
            expect_transfers(planned, rank, LACONIC_COPIES, mine.copies);
            expect_boxes(planned, rank, wanted.from().boxes_of(rank), given.extents.size());
        }
        EXPECT_EQ(laconic_plan_free(&planned), LACONIC_OK);
    }
}

TEST(c_plan, takes_zeros_for_the_defaults) {
    const numbers extents{40, 30}, patch{7, 7};
    const std::vector<std::int32_t> nodes{0, 0, 1, 1, 2, 2};
    laconic_plan_request asked{};
    asked.dimensions = 2;
    asked.extents = extents.data();
    asked.ranks = 6;
    asked.patch = patch.data();
    asked.node_of = nodes.data();
    const auto from = layout::regular(extents, even_blocks(6, extents).value()).value();
    const auto to = patch_grid::of_size(extents, patch).value();
    placement how;
    how.node_of = nodes;
    for (const placement_kind kind : {placement_kind::greedy, placement_kind::optimal}) {
        how.kind = kind;
        asked.placement = static_cast<laconic_placement>(kind);
        laconic_plan planned = plan_of(asked);
        expect_figures(planned, plan::make(from, to, how).value().figures());
        laconic_plan_free(&planned);
    }
}

TEST(c_plan, names_what_is_wrong) {
    const numbers extents{8, 8}, patch{3, 3};
    laconic_plan_request asked{};
    asked.dimensions = 2;
    asked.extents = extents.data();
    asked.ranks = 4;
    asked.patch = patch.data();
    asked.placement = LACONIC_PLACE_OPTIMAL;
    const auto refused = [&](const laconic_plan_request& wrong) {
        laconic_plan made = LACONIC_PLAN_NULL;
        EXPECT_EQ(laconic_plan_make(&wrong, &made), LACONIC_ERR_ARGUMENT);
        EXPECT_EQ(made, nullptr);
        return std::string(laconic_last_message());
    };
    laconic_plan_request wrong = asked;
    const int no_load = 2;
    std::memcpy(&wrong.load, &no_load, sizeof wrong.load);
    EXPECT_NE(refused(wrong).find("load 2"), std::string::npos);
    wrong = asked;
    wrong.between_nodes = 1001;
    EXPECT_NE(refused(wrong).find("between_nodes is 1001"), std::string::npos);
    const std::vector<std::int32_t> nodes{0, 0, -1, 0};
    wrong = asked;
    wrong.node_of = nodes.data();
    for (const auto kind : {LACONIC_PLACE_OPTIMAL, LACONIC_PLACE_GREEDY}) {
        wrong.placement = kind;
        EXPECT_NE(refused(wrong).find("node_of[2] is -1"), std::string::npos);
    }

    laconic_plan planned = plan_of(asked);
    const std::int32_t* owners = nullptr;
    std::size_t count = 0;
    laconic_transfer piece{};
    std::int64_t lower[2], upper[2];
    EXPECT_EQ(laconic_plan_owners(planned, &owners, nullptr), LACONIC_ERR_ARGUMENT);
    EXPECT_EQ(laconic_plan_owners(LACONIC_PLAN_NULL, &owners, &count), LACONIC_ERR_ARGUMENT);
    for (const std::int32_t rank : {-1, 4}) {
        EXPECT_EQ(laconic_plan_transfers(planned, rank, LACONIC_SENDS, nullptr, 0, &count), LACONIC_ERR_ARGUMENT);
        EXPECT_NE(std::string(laconic_last_message()).find("no rank " + std::to_string(rank)), std::string::npos);
        EXPECT_EQ(laconic_plan_boxes_of(planned, rank, lower, upper, 1, &count), LACONIC_ERR_ARGUMENT);
    }
    laconic_transfer_kind no_kind = LACONIC_SENDS;
    const int three = 3;
    std::memcpy(&no_kind, &three, sizeof no_kind);
    EXPECT_EQ(laconic_plan_transfers(planned, 0, no_kind, nullptr, 0, &count), LACONIC_ERR_ARGUMENT);
    EXPECT_EQ(laconic_plan_transfers(planned, 0, LACONIC_SENDS, nullptr, 1, &count), LACONIC_ERR_ARGUMENT);
    EXPECT_EQ(laconic_plan_boxes_of(planned, 0, lower, nullptr, 1, &count), LACONIC_ERR_ARGUMENT);
    // Every block has more than one piece that stays: too little room, the number needed, nothing written.
    piece.peer = -7;
    EXPECT_EQ(laconic_plan_transfers(planned, 0, LACONIC_COPIES, &piece, 0, &count), LACONIC_ERR_OUTPUT_TOO_SMALL);
    EXPECT_GT(count, 0u);
    EXPECT_NE(std::string(laconic_last_message()).find("room for 0 where there are " + std::to_string(count)),
              std::string::npos);
    EXPECT_EQ(piece.peer, -7);
    EXPECT_EQ(laconic_plan_boxes_of(planned, 0, lower, upper, 0, &count), LACONIC_ERR_OUTPUT_TOO_SMALL);
    EXPECT_EQ(count, 1u);
    laconic_plan_free(&planned);
}

}  // namespace
}  // namespace laconic
