// SPDX-License-Identifier: BSD-3-Clause
// What a communicator remembers of how well messages shrank.
#include <gtest/gtest.h>

#include "collective/message_shares.hpp"

namespace laconic::collective {
namespace {

message_shares::kind call_of(std::int64_t limit) {
    message_shares::kind alike;
    alike.payload = payload_kind::once;
    alike.limit = limit;
    return alike;
}

TEST(message_shares, nothing_is_known_of_a_new_call) {
    message_shares shares;
    EXPECT_EQ(shares.agreed(call_of(1)), 0);
    EXPECT_EQ(shares.seen(call_of(1)), 0);
    // What was never agreed on has no place.
    shares.see(call_of(1), 0.5);
    EXPECT_EQ(shares.seen(call_of(1)), 0);
}

TEST(message_shares, calls_that_differ_are_told_apart) {
    message_shares shares;
    shares.agree_on(call_of(1), 0.25);
    shares.see(call_of(1), 0.5);
    EXPECT_EQ(shares.agreed(call_of(1)), 0.25);
    EXPECT_EQ(shares.seen(call_of(1)), 0.5);
    EXPECT_EQ(shares.agreed(call_of(2)), 0);
    message_shares::kind other = call_of(1);
    other.combine = reduction::max;
    EXPECT_EQ(shares.agreed(other), 0);
    other = call_of(1);
    other.rate = 8;
    EXPECT_EQ(shares.agreed(other), 0);
}

TEST(message_shares, who_knows_nothing_changes_nothing) {
    message_shares shares;
    shares.agree_on(call_of(1), 0.25);
    shares.agree_on(call_of(1), 0);
    EXPECT_EQ(shares.agreed(call_of(1)), 0.25);
    shares.agree_on(call_of(1), 0.75);
    EXPECT_EQ(shares.agreed(call_of(1)), 0.75);
}

TEST(message_shares, the_oldest_makes_room) {
    message_shares shares;
    for (int i = 1; i <= 17; ++i) shares.agree_on(call_of(i), 0.25);
    EXPECT_EQ(shares.agreed(call_of(1)), 0);
    for (int i = 2; i <= 17; ++i) EXPECT_EQ(shares.agreed(call_of(i)), 0.25) << i;
}

TEST(message_shares, nothing_is_known_any_more_once_memory_ran_out) {
    message_shares shares;
    shares.agree_on(call_of(1), 0.25);
    shares.give_up();
    EXPECT_EQ(shares.agreed(call_of(1)), 0);
    shares.agree_on(call_of(1), 0.25);
    EXPECT_EQ(shares.agreed(call_of(1)), 0);
}

}  // namespace
}  // namespace laconic::collective
