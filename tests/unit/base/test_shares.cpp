// SPDX-License-Identifier: BSD-3-Clause
// Tests that leave out combinations leave out no parameter: whatever remainder a loop takes its parameter from.
#include <gtest/gtest.h>

#include "../../mpi/shares.hpp"

namespace laconic::test {
namespace {

TEST(shares, hold_every_remainder_and_their_part_of_the_turns) {
    for (const std::size_t shares : {2U, 3U, 4U, 7U})
        for (const int ranks : {4, 5, 8, 11, 16}) {
            const std::size_t part = ranks > 8 ? 2 * shares : shares;
            const std::size_t turns = part < 5 ? 96 : 200;
            std::size_t taken = 0;
            for (std::size_t turn = 1; turn <= turns; ++turn) taken += falls_to_size(turn, shares, ranks) ? 1U : 0U;
            EXPECT_GE(2 * taken * part, turns) << shares << " shares, " << ranks << " ranks";
            EXPECT_LE(taken * part, 2 * turns) << shares << " shares, " << ranks << " ranks";
            for (std::size_t modulus = 2; modulus <= 5; ++modulus)
                for (std::size_t rest = 0; rest < modulus; ++rest) {
                    bool found = false;
                    for (std::size_t turn = 1; turn <= turns; ++turn)
                        found = found || (turn % modulus == rest && falls_to_size(turn, shares, ranks));
                    EXPECT_TRUE(found) << rest << " of " << modulus << ", " << shares << " shares, " << ranks
                                       << " ranks";
                }
        }
}

TEST(shares, of_four_are_disjoint_and_leave_out_what_eleven_ranks_leave) {
    std::size_t left_out = 0;
    for (std::size_t turn = 0; turn < 1000; ++turn) {
        int sizes = 0;
        for (const int ranks : {4, 5, 8, 11}) sizes += falls_to_size(turn, 4, ranks) ? 1 : 0;
        EXPECT_LE(sizes, 1) << turn;
        left_out += sizes == 0 ? 1U : 0U;
    }
    // An eighth, give or take what mixing does to a thousand.
    EXPECT_NEAR(static_cast<double>(left_out), 125.0, 15.0);
}

}  // namespace
}  // namespace laconic::test
