// SPDX-License-Identifier: BSD-3-Clause
// What is on its way to a rank that others send to.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "collective/send_window.hpp"

namespace laconic::collective {
namespace {

constexpr std::uint32_t senders = 7;
constexpr std::size_t limit = send_window::most_bytes / senders;

struct sent {
    std::size_t size;
    bool confirmed;
};

/// Sends messages of these sizes through a network that takes all at once and whose receiver takes none before the
/// sender has to wait. Returns the most bytes that were sent and not taken.
std::size_t most_on_way(send_window& window, const std::vector<std::size_t>& sizes, std::size_t& confirmed) {
    std::size_t rest = 0;
    for (const std::size_t size : sizes) rest += size;
    std::deque<sent> pending;
    std::size_t untaken = 0;
    std::size_t most = 0;
    const auto end_first = [&] {
        window.is_over(pending.front().size);
        pending.pop_front();
    };
    // What nobody has to confirm is over as soon as it has left, in order.
    const auto end_unconfirmed = [&] {
        while (!pending.empty() && !pending.front().confirmed) end_first();
    };
    for (const std::size_t size : sizes) {
        while (!window.has_room_for(size)) {
            if (pending.empty()) {
                ADD_FAILURE() << "nothing is on its way, and yet there is no room";
                return most;
            }
            // The first one is to be confirmed, or it would be over: the receiver takes all up to it.
            EXPECT_TRUE(pending.front().confirmed);
            end_first();
            untaken = 0;
            for (const sent& one : pending) untaken += one.size;
            end_unconfirmed();
        }
        rest -= size;
        const bool is_confirmed = window.leaves(size, rest);
        confirmed += is_confirmed ? 1 : 0;
        pending.push_back({size, is_confirmed});
        untaken += size;
        most = std::max(most, untaken);
        end_unconfirmed();
    }
    return most;
}

TEST(send_window, holds_back_what_is_not_confirmed) {
    std::mt19937_64 random(3);
    for (const std::size_t longest : {600U, 5000U, 40000U}) {
        std::vector<std::size_t> sizes(20 * send_window::most_bytes / longest);
        for (std::size_t& size : sizes) size = 1 + random() % longest;
        send_window window(senders);
        std::size_t confirmed = 0;
        const std::size_t most = most_on_way(window, sizes, confirmed);
        EXPECT_LE(most, 2 * (limit + longest)) << longest;
        EXPECT_GE(most, limit) << longest;
        EXPECT_GT(confirmed, 20U) << longest;
    }
}

TEST(send_window, asks_for_nothing_where_nothing_would_wait) {
    for (const std::uint32_t alone : {0U, 1U}) {
        send_window open(alone);
        for (int i = 0; i < 1000; ++i) {
            EXPECT_TRUE(open.has_room_for(1 << 20));
            EXPECT_FALSE(open.leaves(1 << 20, 1 << 30));
        }
    }
    std::size_t confirmed = 0;
    send_window window(senders);
    most_on_way(window, std::vector<std::size_t>(10, limit / 5), confirmed);
    EXPECT_EQ(confirmed, 0U);
    send_window other(senders);
    most_on_way(other, std::vector<std::size_t>(12, limit / 5), confirmed);
    EXPECT_EQ(confirmed, 1U);
}

TEST(send_window, lets_a_message_longer_than_itself_pass_alone) {
    send_window window(senders);
    EXPECT_TRUE(window.has_room_for(10 * limit));
    EXPECT_TRUE(window.leaves(10 * limit, 10 * limit));
    EXPECT_FALSE(window.has_room_for(1));
    window.is_over(10 * limit);
    EXPECT_TRUE(window.has_room_for(10 * limit));
}

}  // namespace
}  // namespace laconic::collective
