// SPDX-License-Identifier: BSD-3-Clause
// What calls borrow and give back, or lose.
#include <gtest/gtest.h>

#include <memory>

#include "collective/lending.hpp"

namespace laconic::collective {
namespace {

struct note {
    int text = 0;
    bool in_use = false;
};

TEST(lending, nobody_shares_what_is_lent) {
    lending<note> notes;
    note* const first = notes.borrow();
    note* const second = notes.borrow();
    EXPECT_NE(first, second);
    EXPECT_TRUE(first->in_use && second->in_use);
}

TEST(lending, what_comes_back_is_lent_again_as_it_is) {
    lending<note> notes;
    note* const first = notes.borrow();
    note* const second = notes.borrow();
    first->text = 7;
    first->in_use = false;
    EXPECT_EQ(notes.borrow(), first);
    EXPECT_EQ(first->text, 7);
    second->in_use = false;
    EXPECT_EQ(notes.borrow(), second);
}

TEST(lending, what_is_lost_outlives_the_lender) {
    auto notes = std::make_unique<lending<note>>();
    note* const kept = notes->borrow();
    note* const lost = notes->borrow();
    notes->lose(lost);
    notes->lose(lost);
    EXPECT_NE(notes->borrow(), lost);
    kept->in_use = false;
    EXPECT_EQ(notes->borrow(), kept);
    notes.reset();
    lost->text = 7;  // under the address sanitizer: it is still there
    EXPECT_EQ(lost->text, 7);
    delete lost;
}

}  // namespace
}  // namespace laconic::collective
