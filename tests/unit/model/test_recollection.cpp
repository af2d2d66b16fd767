// SPDX-License-Identifier: BSD-3-Clause
// How often calls ask after answers that were stock, and that others and better answers are not touched by it.
#include "model/recollection.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace laconic::model {
namespace {

TEST(recollection, asks_less_and_less_while_the_answer_is_stock) {
    recollection memory;
    const call_likeness call{7, 1000};
    unsigned asked = 0, longest = 0, silent = 0;
    for (int i = 0; i < 1000; ++i) {
        if (!memory.should_ask(call)) {
            longest = std::max(longest, ++silent);
            continue;
        }
        silent = 0;
        ++asked;
        memory.learn(call, true);
    }
    // 1 + 2 + 4 + ... + 64, and then one in 64.
    EXPECT_EQ(longest, recollection::longest_silence - 1);
    EXPECT_GT(asked, 15u);
    EXPECT_LT(asked, 25u);
}

TEST(recollection, always_asks_where_asking_pays) {
    recollection memory;
    const call_likeness call{7, 1000}, longer{7, 1001}, another{8, 1000};
    EXPECT_TRUE(memory.should_ask(call));
    memory.learn(call, false);
    EXPECT_TRUE(memory.should_ask(call));
    memory.learn(call, true);
    EXPECT_TRUE(memory.should_ask(longer));
    EXPECT_TRUE(memory.should_ask(another));
    EXPECT_FALSE(memory.should_ask(call));
    EXPECT_TRUE(memory.should_ask(call));
    memory.learn(call, false);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(memory.should_ask(call));
}

TEST(recollection, forgets_the_oldest) {
    recollection memory;
    for (std::uint64_t i = 1; i <= recollection::most + 1; ++i) memory.learn({1, i}, true);
    EXPECT_TRUE(memory.should_ask({1, 1}));
    EXPECT_FALSE(memory.should_ask({1, 2}));
    EXPECT_FALSE(memory.should_ask({1, recollection::most + 1}));
}

}  // namespace
}  // namespace laconic::model
