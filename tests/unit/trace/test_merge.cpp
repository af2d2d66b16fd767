// SPDX-License-Identifier: BSD-3-Clause
// Programs of many ranks: recorded rank by rank, merged in pairs, and read again call by call; and how small they are.
#include <gtest/gtest.h>

#include <cstdio>

#include "dice.hpp"
#include "programs.hpp"
#include "trace/container.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"
#include "trace/replay.hpp"

namespace laconic::trace {
namespace {

using source = std::function<calls(int me)>;

bytes recorded(const calls& made, int me, int ranks) {
    recorder_options options;
    options.rank = static_cast<std::uint32_t>(me);
    options.ranks = static_cast<std::uint32_t>(ranks);
    options.timing.mode = timing_mode::none;
    const auto to = recorder::make(options);
    if (!to) return {};
    for (const bytes& each : made) (*to)->call(each, 0, 0);
    auto done = (*to)->finish();
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

/// The bytes of the whole file, which is right.
std::size_t file_size_of(int ranks, const source& of) {
    const bytes core = merged(ranks, of);
    expect_same(core, ranks, of);
    const auto file = file_of(core, {});
    EXPECT_TRUE(file.ok());
    return (file ? file->size() : 0) + end_section().size();
}

struct size_case {
    const char* name;
    std::vector<int> scales;
    std::function<int(int)> ranks;
    std::function<calls(int me, int scale)> of;
    std::size_t most_bytes;
    std::size_t grows_bytes;  ///< from the first scale to the last: longer varints, no more
};

/// What tests print, and their list: not bytes and addresses.
void PrintTo(const size_case& of, std::ostream* out) { *out << of.name; }

class sizes : public testing::TestWithParam<size_case> {};

TEST_P(sizes, are_bounded_and_do_not_grow_with_ranks) {
    const size_case& of = GetParam();
    std::vector<std::size_t> found;
    for (const int scale : of.scales) {
        const int ranks = of.ranks(scale);
        found.push_back(file_size_of(ranks, [&](int me) { return of.of(me, scale); }));
        RecordProperty("bytes_" + std::to_string(ranks), static_cast<int>(found.back()));
        std::printf("%-20s %4d ranks: %zu bytes\n", of.name, ranks, found.back());
        EXPECT_LE(found.back(), of.most_bytes) << ranks << " ranks";
    }
    EXPECT_LE(found.back(), found.front() + of.grows_bytes);
}

int square(int scale) { return scale * scale; }
int cube(int scale) { return scale * scale * scale; }
int same(int scale) { return scale; }

INSTANTIATE_TEST_SUITE_P(
    programs, sizes,
    testing::Values(
        size_case{"stencil_2d",
                  {3, 4, 8, 16},
                  square,
                  [](int me, int n) {
                      return stencil(me, {n, n}, false, 50);
                  },
                  1500,
                  32},
        size_case{"stencil_3d",
                  {3, 4, 6},
                  cube,
                  [](int me, int n) {
                      return stencil(me, {n, n, n}, true, 50);
                  },
                  2500,
                  32},
        size_case{"stencil_3d_edges",
                  {3, 4, 6},
                  cube,
                  [](int me, int n) {
                      return stencil(me, {n, n, n}, false, 20);
                  },
                  6000,
                  200},
        size_case{"root_fan", {8, 16, 64, 256}, same, [](int me, int n) { return root_fan(me, n, 50); }, 2000, 32},
        size_case{"root_fan_nonblocking",
                  {8, 16, 64, 256},
                  same,
                  [](int me, int n) { return root_fan_nonblocking(me, n, 50); },
                  2000,
                  32},
        size_case{"transpose", {2, 4, 8, 16}, square, [](int me, int n) { return transpose(me, n, n, 50); }, 1500, 32},
        size_case{"transpose_1_2",
                  {2, 4, 8},
                  [](int n) { return 2 * n * n; },
                  [](int me, int n) { return transpose(me, n, 2 * n, 50); },
                  1500,
                  32},
        // One more step, and one more class, each time the ranks double.
        size_case{"butterfly", {4, 8, 64, 256}, same, [](int me, int n) { return butterfly(me, n, 50); }, 600, 300},
        size_case{"tree", {4, 8, 13, 64, 256}, same, [](int me, int n) { return tree(me, n, 50); }, 700, 400},
        size_case{"all_pairs", {8, 16, 64}, same, [](int me, int n) { return all_pairs(me, n, false); }, 600, 32},
        size_case{
            "all_pairs_rotated", {8, 16, 64}, same, [](int me, int n) { return all_pairs(me, n, true); }, 600, 32}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(merge, a_trace_does_not_depend_on_the_number_of_iterations) {
    const auto size = [](int iterations) {
        return file_size_of(9, [=](int me) { return stencil(me, {3, 3}, false, iterations); });
    };
    constexpr std::size_t longer_counts = 9;  // one byte more for each rank, where nothing is compressed
    EXPECT_LE(size(3000), size(20) + longer_counts);
}

TEST(merge, in_any_order_and_grouping) {
    const auto of = [](int me) { return stencil(me, {4, 3}, false, 5); };
    std::vector<bytes> parts;
    for (int me = 0; me < 12; ++me) parts.push_back(recorded(of(me), me, 12));
    bytes all = parts[7];
    for (const int next : {3, 11, 0, 1, 10, 2, 9, 4, 8, 5, 6}) {
        auto both = next % 2 == 0 ? merge(all, parts[static_cast<std::size_t>(next)])
                                  : merge(parts[static_cast<std::size_t>(next)], all);
        ASSERT_TRUE(both.ok()) << both.error().message();
        all = std::move(*both);
    }
    expect_same(all, 12, of);
}

TEST(merge, irregular_ranks_cost_a_list) {
    // A permutation that no expression knows, and counts that differ from rank to rank.
    const auto of = [](int me) {
        program p(me, 64);
        p.send((me * 37 + me / 3) % 64, 1, 2, 0, 1000 + me * me % 17);
        for (int i = 0; i < 1 + me % 5; ++i) p.allreduce();
        return p.end();
    };
    const bytes core = merged(64, of);
    expect_same(core, 64, of);
    const auto from = decoded(core);
    ASSERT_TRUE(from.ok());
    EXPECT_EQ(from->classes.size(), 1U);
}

TEST(merge, ranks_with_little_in_common) {
    // Few values, so that signatures of some ranks agree, of others nearly; few structures, so that classes are small.
    for (unsigned seed = 0; seed < 150; ++seed) {
        const int ranks = 2 + static_cast<int>(seed % 9);
        const auto of = [&](int me) {
            dice random(1000 * seed + static_cast<unsigned>(me));
            program p(me, ranks);
            const auto small = [&] { return static_cast<int>(random(3)) + (random(2) == 0 ? me : 0); };
            for (std::uint32_t i = random(4); i < 5; ++i)
                for (std::uint32_t turn = random(6); turn < 6; ++turn) {
                    if (random(4) == 0) p.allreduce();
                    p.send((me + small()) % ranks, small(), random(2), 8 * static_cast<int>(turn));
                }
            return p.end();
        };
        expect_same(merged(ranks, of), ranks, of);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(merge, a_number_that_two_ranks_share_is_not_taken_for_a_line) {
    // Each rank is a class of its own; tags 5, 5, 7: ranks 0 and 2 alone would be rank + 5.
    const auto of = [](int me) {
        program p(me, 3);
        for (int i = 0; i < me; ++i) {
            p.allreduce();
            p.add(written_call(me, f_init).number(i));
        }
        p.add(written_call(me, f_send).number(me == 2 ? 7 : 5));
        return p.end();
    };
    expect_same(merged(3, of), 3, of);
}

TEST(merge, a_signature_found_late_belongs_to_both_ranks) {
    // Classes of one rank with more signatures of a shape than are tried, in another order, some of them equal: what
    // the second rank shares with the first must not be made a line through a third number.
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto of = [&](int me) {
            dice random(2 * seed + static_cast<unsigned>(me));
            program p(me, 2);
            if (me == 1) p.allreduce();
            for (int i = 0; i < 300; ++i) p.add(written_call(me, f_send).number(static_cast<int>(random(400))));
            return p.end();
        };
        expect_same(merged(2, of), 2, of);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(merge, refuses_what_does_not_belong_together) {
    const bytes a = recorded(root_fan(0, 4, 1), 0, 4);
    const bytes b = recorded(root_fan(1, 4, 1), 1, 4);
    EXPECT_EQ(merge(a, a).error().code(), errc::mismatch);
    EXPECT_EQ(merge(a, recorded(root_fan(1, 8, 1), 1, 8)).error().code(), errc::mismatch);
    EXPECT_EQ(merge(a, view(b).first(b.size() - 1)).error().code(), errc::corrupt);
    EXPECT_EQ(merge({}, b).error().code(), errc::corrupt);
}

}  // namespace
}  // namespace laconic::trace
