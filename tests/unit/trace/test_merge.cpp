// SPDX-License-Identifier: BSD-3-Clause
// Programs of many ranks: recorded rank by rank, merged in pairs, and read again call by call; and how small they are.
#include <gtest/gtest.h>

#include <cstdio>

#include "programs.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"
#include "trace/replay.hpp"

namespace laconic::trace {
namespace {

using source = std::function<calls(int me)>;

bytes recorded(const calls& made, int me, int ranks) {
    recorder to({static_cast<std::uint32_t>(me), static_cast<std::uint32_t>(ranks), false});
    for (const bytes& each : made) to.call(each, 0, 0);
    auto done = to.finish();
    EXPECT_TRUE(done.ok()) << done.error().message();
    return done ? done->core : bytes();
}

/// In log2(ranks) steps, as processes would.
bytes merged(int ranks, const source& of) {
    std::vector<bytes> parts;
    for (int me = 0; me < ranks; ++me) parts.push_back(recorded(of(me), me, ranks));
    for (std::size_t step = 1; step < parts.size(); step *= 2)
        for (std::size_t at = 0; at + step < parts.size(); at += 2 * step) {
            auto both = merge(parts[at], parts[at + step]);
            EXPECT_TRUE(both.ok()) << both.error().message();
            if (!both) return {};
            parts[at] = std::move(*both);
        }
    return parts[0];
}

void expect_same(const bytes& core, int ranks, const source& of) {
    const auto from = decoded(core);
    ASSERT_TRUE(from.ok()) << from.error().message();
    for (int me = 0; me < ranks; ++me) {
        const calls expected = of(me);
        auto at = replay::of_rank(*from, static_cast<std::uint32_t>(me));
        ASSERT_TRUE(at.ok()) << at.error().message();
        ASSERT_EQ(at->calls(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i, at->next()) {
            ASSERT_FALSE(at->at_end());
            const auto signature = at->signature();
            ASSERT_TRUE(signature.ok()) << signature.error().message();
            ASSERT_TRUE(std::equal(signature->begin(), signature->end(), expected[i].begin(), expected[i].end()))
                << "rank " << me << ", call " << i;
        }
        ASSERT_TRUE(at->at_end());
    }
}

/// The bytes of the merged core, which is right.
std::size_t size_of(int ranks, const source& of, const char* what) {
    const bytes core = merged(ranks, of);
    expect_same(core, ranks, of);
    const auto from = decoded(core);
    if (from)
        std::printf("%-24s %4d ranks: %5zu bytes, %zu classes, %zu signatures, %zu expressions\n", what, ranks, core.size(),
                    from->classes.size(), from->signatures.size(), from->expressions.size());
    return core.size();
}

TEST(merge, sizes) {
    for (const int side : {2, 3, 4, 8, 16})
        size_of(side * side, [side](int me) { return stencil(me, {side, side}, false, 50); }, "stencil 2-d");
    for (const int side : {2, 3, 4, 6})
        size_of(side * side * side, [side](int me) { return stencil(me, {side, side, side}, true, 50); }, "stencil 3-d");
    for (const int ranks : {4, 8, 16, 64, 256}) size_of(ranks, [ranks](int me) { return root_fan(me, ranks, 50); }, "root fan");
    for (const int ranks : {4, 8, 16, 64, 256})
        size_of(ranks, [ranks](int me) { return root_fan_nonblocking(me, ranks, 50); }, "root fan nb");
    for (const int side : {2, 3, 4, 8, 16})
        size_of(side * side, [side](int me) { return transpose(me, side, side, 50); }, "transpose");
    for (const int side : {2, 4, 8})
        size_of(2 * side * side, [side](int me) { return transpose(me, side, 2 * side, 50); }, "transpose 1:2");
    for (const int ranks : {4, 8, 16, 64, 256}) size_of(ranks, [ranks](int me) { return butterfly(me, ranks, 50); }, "butterfly");
    for (const int ranks : {4, 8, 13, 64, 256}) size_of(ranks, [ranks](int me) { return tree(me, ranks, 50); }, "tree");
    for (const int ranks : {4, 8, 16, 64}) size_of(ranks, [ranks](int me) { return all_pairs(me, ranks, false); }, "all pairs");
    for (const int ranks : {4, 8, 16, 64}) size_of(ranks, [ranks](int me) { return all_pairs(me, ranks, true); }, "all pairs rotated");
}

}  // namespace
}  // namespace laconic::trace
