// SPDX-License-Identifier: BSD-3-Clause
// Shapes, sets of ranks and expressions: what goes in comes out, regular things stay short, bytes come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "dice.hpp"
#include "trace/fit_expression.hpp"
#include "trace/shape.hpp"

namespace laconic::trace {
namespace {

using ranks = std::vector<std::uint32_t>;

ranks below(std::uint32_t limit, const std::function<bool(std::uint32_t)>& in) {
    ranks some;
    for (std::uint32_t rank = 0; rank < limit; ++rank)
        if (in(rank)) some.push_back(rank);
    return some;
}

/// The bytes of the set, after everything it says was compared with the list.
std::size_t checked(const ranks& list, std::uint32_t limit) {
    const rank_set set(list);
    EXPECT_EQ(set.ranks(), list);
    EXPECT_EQ(set.size(), list.size());
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t index = 0;
    for (std::uint32_t rank = 0; rank < limit + 3; ++rank) {
        const bool in = std::binary_search(list.begin(), list.end(), rank);
        EXPECT_EQ(set.contains(rank), in) << rank;
        EXPECT_EQ(set.index_of(rank).value_or(none), in ? index : none) << rank;
        index += in;
    }
    bytes written;
    set.write(written);
    wire_reader in(written);
    const auto read = rank_set::read(in, limit);
    EXPECT_TRUE(read.ok() && in.complete());
    EXPECT_EQ(read.ok() ? read->ranks() : ranks(), list);
    return written.size();
}

TEST(rank_set, parts_of_grids_are_short) {
    const auto x = [](std::uint32_t r) { return r % 16; };
    const auto y = [](std::uint32_t r) { return r / 16 % 16; };
    const auto z = [](std::uint32_t r) { return r / 256; };
    EXPECT_LE(checked(below(4096, [](auto) { return true; }), 4096), 6U);
    EXPECT_LE(checked(below(4096, [&](auto r) { return x(r) == 0; }), 4096), 6U);
    EXPECT_LE(checked(below(4096, [&](auto r) { return y(r) == 15; }), 4096), 9U);
    EXPECT_LE(checked(below(4096, [&](auto r) { return z(r) == 3 && x(r) == 15; }), 4096), 9U);
    const auto inside = [](std::uint32_t c) { return c > 0 && c < 15; };
    EXPECT_LE(checked(below(4096, [&](auto r) { return inside(x(r)) && inside(y(r)) && inside(z(r)); }), 4096), 14U);
    EXPECT_LE(checked(below(4096, [](auto r) { return r % 2 == 1; }), 4096), 6U);
    EXPECT_LE(checked(below(4096, [](auto r) { return (r & 64) != 0; }), 4096), 9U);
    EXPECT_LE(checked({4095}, 4096), 4U);
    EXPECT_EQ(checked({}, 4096), 1U);
}

TEST(rank_set, any_list_comes_back) {
    dice random(5);
    for (int round = 0; round < 300; ++round) {
        const std::uint32_t density = 1 + random(10);
        checked(below(1 + random(200), [&](auto) { return random(10) < density; }), 200);
    }
}

TEST(rank_set, refuses_ranks_beyond_the_limit_and_what_overlaps) {
    const auto read = [](std::initializer_list<std::uint64_t> numbers, std::uint64_t limit) {
        bytes data;
        for (const std::uint64_t each : numbers) put_varint(data, each);
        wire_reader in(data);
        return rank_set::read(in, limit).error().code();
    };
    EXPECT_EQ(read({1, 3, 1, 2, 0}, 7), errc::ok);       // 3 4 5 6
    EXPECT_EQ(read({1, 3, 1, 3, 0}, 7), errc::corrupt);  // 7, too
    EXPECT_EQ(read({1, 7, 0}, 7), errc::corrupt);
    EXPECT_EQ(read({200, 0, 0}, 7), errc::corrupt);
    EXPECT_EQ(read({1, 0, 2, ~std::uint64_t{0} - 2, 0, 1, 1}, 7), errc::corrupt);
}

/// The bytes of the expression that is found, which is right, also after it was written and read.
std::size_t found(std::uint32_t job, const ranks& list, const std::function<std::uint64_t(std::uint64_t)>& of) {
    std::vector<std::uint64_t> values;
    for (const std::uint32_t rank : list) values.push_back(of(rank));
    expression_finder finder(job);
    const expression made = finder.find(list, values);
    bytes written;
    made.write(written);
    wire_reader in(written);
    const auto read = expression::read(in, job);
    EXPECT_TRUE(read.ok() && in.complete());
    for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_EQ(made.at(list[i]), values[i]) << "rank " << list[i];
        EXPECT_EQ(read.ok() ? read->at(list[i]) : ~values[i], values[i]) << "rank " << list[i];
    }
    return written.size();
}

ranks all(std::uint32_t job) {
    ranks list(job);
    std::iota(list.begin(), list.end(), 0U);
    return list;
}

TEST(expression, what_programs_compute_from_their_rank_is_short) {
    const std::uint32_t job = 1024;
    const auto size = [&](const std::function<std::uint64_t(std::uint64_t)>& of) { return found(job, all(job), of); };
    EXPECT_LE(size([](auto r) { return r + 5; }), 5U);
    EXPECT_LE(size([](auto r) { return 3 * r + 1000; }), 6U);
    EXPECT_LE(size([](auto r) { return 1023 - r; }), 6U);
    EXPECT_LE(size([](auto r) { return zigzag(static_cast<std::int64_t>(r) - 512); }), 6U);
    EXPECT_LE(size([](auto r) { return (r ^ 37) + 5; }), 5U);
    EXPECT_LE(size([](auto r) { return (r + 1) % 1024 + 5; }), 14U) << "ring";
    EXPECT_LE(size([](auto r) { return (r + 100) % 1024; }), 16U) << "shift";
    EXPECT_LE(size([](auto r) { return r % 32; }), 8U) << "column";
    EXPECT_LE(size([](auto r) { return r / 32; }), 8U) << "row";
    EXPECT_LE(size([](auto r) { return r % 32 * 32 + r / 32; }), 10U) << "transpose";
    EXPECT_LE(size([](auto r) {
                  return zigzag(static_cast<std::int64_t>(r % 32 * 32 + r / 32) - static_cast<std::int64_t>(r));
              }),
              12U)
        << "transpose, relative";
    EXPECT_LE(size([](auto r) { return r % 32 == 31 ? r - 31 : r + 1; }), 16U) << "periodic neighbour";
    EXPECT_LE(size([](auto r) { return r % 32 == 31 ? 0 : r + 6; }), 16U) << "neighbour or none";
    EXPECT_LE(size([](auto r) { return r % 8 + 100 * (r / 8 % 16) + 7 * (r / 128); }), 14U) << "three dimensions";
    EXPECT_LE(size([](auto r) { return r < 24 ? 43U : 42U; }), 13U) << "a remainder spread over the first ranks";
}

TEST(expression, anything_else_is_a_list) {
    dice random(9);
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t job = 1 + random(60);
        const ranks some = below(job, [&](auto) { return random(3) > 0; });
        if (some.empty()) continue;
        const std::uint32_t spread = random(4) == 0 ? ~std::uint32_t{0} : 1 + random(9);
        found(job, some, [&](auto) { return random(9) == 0 ? ~std::uint64_t{0} - random(5) : random(spread); });
    }
}

bytes signature_with(const std::vector<std::uint64_t>& numbers) {
    bytes made;
    for (const std::uint64_t each : numbers) put_varint(made, each);
    return made;
}

void expect_comes_back(const bytes& signature) {
    const shaped parts = shape_of(signature);
    bytes again;
    const status done = signature_of(parts.shape, parts.slots, {}, 3, again);
    EXPECT_TRUE(done.ok()) << done.message();
    EXPECT_EQ(again, signature);
    const auto slots = slots_of(parts.shape);
    EXPECT_TRUE(slots.ok() && *slots == parts.slots.size());
}

TEST(shape, signatures_come_back) {
    dice random(11);
    for (int round = 0; round < 2000; ++round) {
        bytes noise(1 + random(40));
        for (auto& each : noise) each = static_cast<std::byte>(random(random(2) == 0 ? 256 : 3));
        expect_comes_back(noise);
        std::vector<std::uint64_t> numbers{random(500)};
        while (random(8) != 0) {
            const std::uint64_t period = 1 + random(6);
            std::vector<std::uint64_t> at(period), step(period);
            for (auto& each : at) each = random(300);
            for (auto& each : step) each = random(3) == 0 ? ~std::uint64_t{0} : random(9);
            for (std::uint64_t turn = random(30); turn > 0; --turn)
                for (std::uint64_t lane = 0; lane < period; ++lane) {
                    numbers.push_back(at[lane]);
                    at[lane] += step[lane];
                }
        }
        expect_comes_back(signature_with(numbers));
    }
}

TEST(shape, long_regular_arrays_cost_as_much_as_short_ones) {
    const auto waitall = [](std::uint64_t requests) {
        std::vector<std::uint64_t> numbers{16, requests, requests + 1};
        for (std::uint64_t i = 0; i < requests; ++i) numbers.insert(numbers.end(), {i + 1, 0});
        return shape_of(signature_with(numbers));
    };
    EXPECT_EQ(waitall(20).shape, waitall(2000).shape);
    EXPECT_EQ(waitall(20).slots.size(), waitall(2000).slots.size());
    EXPECT_LE(waitall(2000).slots.size(), 8U);
}

TEST(shape, progressions_add_turn_by_turn) {
    const shaped parts = shape_of(signature_with({4, 10, 20, 30}));
    bytes third;
    ASSERT_TRUE(
        signature_of(parts.shape, parts.slots, std::vector<std::uint64_t>{1, 0, ~std::uint64_t{0}}, 2, third).ok());
    EXPECT_EQ(third, signature_with({4, 12, 20, 28}));
    EXPECT_EQ(signature_of(parts.shape, {}, {}, 0, third).code(), errc::corrupt);
}

}  // namespace
}  // namespace laconic::trace
